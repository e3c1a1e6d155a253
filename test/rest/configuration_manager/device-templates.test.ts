import { expect, test } from 'vitest';
import type { DeviceTemplate } from '#db/schemas/network/device.ts';
import { issuesOf, openConfiguration } from '../../helpers/configuration.ts';

const { done, send } = await openConfiguration();

type Found = { list: DeviceTemplate[]; total: number };
const create = (name: string, template = 'ntp server {{ ntp }}\n') =>
  done<{ result: string; data: DeviceTemplate }>('POST', '/templates', { name, template });
const find = (body: unknown) => done<Found>('POST', '/templates/search', body);

test('a template is stored with the given fields, and found by name or id', async () => {
  const { result, data } = await done<{ result: string; data: DeviceTemplate }>('POST', '/templates', {
    name: 'NTP',
    template: 'ntp server {{ ntp }}\n',
    variables: { ntp: '192.0.2.9' },
    options: { deviceOSTypes: ['cisco-ios'] },
  });
  expect(result).toBe('success');
  expect(data).toMatchObject({
    id: data._id,
    name: 'NTP',
    template: 'ntp server {{ ntp }}\n',
    variables: { ntp: '192.0.2.9' },
    deviceOSTypes: ['cisco-ios'],
    gbac: { read: [], write: [] },
  });
  await create('NTP old');
  expect(await find({ name: 'ntp', options: { limit: 1, sort: { name: 1 } } })).toEqual({
    list: [data],
    total: 2,
  });
  expect(await find({ name: data.id })).toEqual({ list: [data], total: 1 });
  expect((await find({})).total).toBe(2);
});

test('a taken name and a source that is no template are rejected', async () => {
  await create('Taken');
  expect((await send('POST', '/templates', { name: 'Taken', template: '' })).status).toBe(409);
  const answer = await send('POST', '/templates', { name: 'Broken', template: 'a\n{% if %}' });
  expect(answer.status).toBe(400);
  expect(answer.json).toMatchObject({
    issues: [{ path: ['template'], line: 2, column: expect.any(Number) }],
  });
});

test('a change keeps what it does not name', async () => {
  const { data } = await create('Change me');
  expect(await done('PUT', '/templates', { id: data.id, data: { variables: { a: 1 } } })).toEqual({
    status: 'success',
    updated: 1,
  });
  await done('PUT', '/templates', {
    id: data.id,
    data: { name: 'Changed' },
    options: { deviceOSTypes: ['x'] },
  });
  const [changed] = (await find({ name: data.id })).list;
  expect(changed).toMatchObject({
    name: 'Changed',
    template: data.template,
    variables: { a: 1 },
    deviceOSTypes: ['x'],
  });
  await create('Other');
  expect((await send('PUT', '/templates', { id: data.id, data: { name: 'Other' } })).status).toBe(409);
  expect((await send('PUT', '/templates', { id: data.id, data: { template: '{{' } })).status).toBe(400);
  expect((await send('PUT', '/templates', { id: 'none', data: {} })).status).toBe(404);
  const late = { ifMatch: `"${data.updated}"` };
  expect((await send('PUT', '/templates', { id: data.id, data: {} }, late)).status).toBe(409);
});

test('templates are deleted by their ids, and unknown ids are not counted', async () => {
  const { data } = await create('Gone');
  const body = { templateIds: [data.id, '65f0c1d2e3a4b5c6d7e8f9ff'] };
  expect(await done('DELETE', '/templates', body)).toEqual({ status: 'success', deleted: 1 });
  expect(await done('DELETE', '/templates', body)).toEqual({ status: 'success', deleted: 0 });
});

test('an import keeps free names and unknown fields, or rejects the whole file', async () => {
  const { data: there } = await create('Here');
  const id = '65f0c1d2e3a4b5c6d7e8f911';
  const { data, message } = await done<{ data: { id: string; name: string }[]; message: string }>(
    'POST',
    '/import/templates',
    { templates: [{ id, name: 'Here', template: 'x', colour: 'red' }] },
  );
  expect({ data, message }).toEqual({
    data: [{ id, name: 'Here (1)' }],
    message: 'Imported 1 device template',
  });
  expect((await find({ name: id })).list).toMatchObject([{ name: 'Here (1)', colour: 'red', variables: {} }]);
  const before = (await find({})).total;
  const wrong = await send('POST', '/import/templates', {
    templates: [
      { name: 'Fine', template: 'x' },
      { name: 'Broken', template: '{{' },
    ],
  });
  expect(wrong.status).toBe(400);
  expect(issuesOf(wrong)[0]).toContain('templates.1.template');
  expect((await find({})).total).toBe(before);
  expect(there.name).toBe('Here');
});
