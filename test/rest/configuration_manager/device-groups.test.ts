import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import type { DeviceGroup } from '#db/schemas/network/device.ts';
import { issuesOf, openConfiguration } from '../../helpers/configuration.ts';
import { cliHost } from '../../helpers/gateway.ts';

const { db, done, groupOf, send, call } = await openConfiguration();

type Written = { id: string; name: string; status: string; message: string; warnings?: string[] };

const create = (groupName: string, deviceNames: string | string[] = '') =>
  done<Written>('POST', '/devicegroup', { groupName, deviceNames });
const read = (key: string) => done<DeviceGroup>('GET', `/deviceGroups/${encodeURIComponent(key)}`);

beforeEach(async () => {
  await db.execute(sql`delete from device_groups`);
  await db.execute(sql`delete from golden_trees`);
});

test('a group is made of a text with commas or of a list, and read by id or name', async () => {
  const made = await create('Edge', ' edge-1, edge-2 ,,edge-1');
  expect(made).toMatchObject({ name: 'Edge', status: 'success', message: 'Device group Edge created' });
  const group = await read(made.id);
  expect(group).toEqual({
    id: made.id,
    _id: made.id,
    name: 'Edge',
    description: '',
    devices: ['edge-1', 'edge-2'],
    gbac: { read: [], write: [] },
    created: expect.any(String),
    createdBy: expect.any(String),
    updated: expect.any(String),
    lastUpdatedBy: expect.any(String),
  });
  expect(await read('Edge')).toEqual(group);
  await create('Core: east @2', ['core,1']);
  expect((await read('Core: east @2')).devices).toEqual(['core,1']);
  expect((await send('GET', '/deviceGroups/none')).status).toBe(404);
});

test('both spellings of each path lead to the same endpoint', async () => {
  const { id } = await create('Edge');
  expect(await done('GET', '/devicegroups')).toEqual(await done('GET', '/deviceGroups'));
  expect(await done('GET', `/devicegroups/${id}`)).toMatchObject({ id });
  expect(await done('GET', '/name/devicegroups?groupName=Edge')).toMatchObject({ id });
  expect(await done('GET', '/name/devicegroups', { groupName: 'Edge' })).toMatchObject({ id });
  expect(await done('POST', '/deviceGroups/query', {})).toEqual(
    await done('POST', '/deviceGroups/search', {}),
  );
});

test('names of unknown devices are kept, and reported', async () => {
  await call('admin', 'POST', '/automationgateway/inventory/cli', {
    host: cliHost({ name: 'real-1' }),
  });
  const made = await create('Edge', 'real-1,ghost');
  expect(made.warnings).toEqual(['Device ghost is unknown']);
  const known = await create('Known', 'real-1');
  expect(known).not.toHaveProperty('warnings');
  const added = await done<Written>('POST', `/deviceGroups/${known.id}/devices`, { devices: ['shade'] });
  expect(added.warnings).toEqual(['Device shade is unknown']);
  expect((await read('Edge')).devices).toEqual(['real-1', 'ghost']);
});

test('a taken name is rejected, on a new group and on a rename', async () => {
  await create('Edge');
  const other = await create('Core');
  expect((await send('POST', '/devicegroup', { groupName: 'Edge', deviceNames: '' })).status).toBe(409);
  expect((await send('PUT', `/deviceGroups/${other.id}`, { details: { name: 'Edge' } })).status).toBe(409);
  expect((await read('Core')).name).toBe('Core');
});

test('devices given in a change replace the list; fields not given, or null, stay', async () => {
  const { id } = await create('Edge', 'a,b');
  await done('PUT', `/deviceGroups/${id}`, { details: { description: 'north', devices: ['c'] } });
  expect(await read(id)).toMatchObject({ name: 'Edge', description: 'north', devices: ['c'] });
  await done('PUT', `/deviceGroups/${id}`, { details: { name: 'North', devices: null, description: null } });
  expect(await read(id)).toMatchObject({ name: 'North', description: 'north', devices: ['c'] });
  // The fields at the top level, as other clients send them.
  await done('PUT', `/deviceGroups/${id}`, { name: 'South', devices: ['d'], description: 'south' });
  expect(await read(id)).toMatchObject({ name: 'South', description: 'south', devices: ['d'] });
  await done('PUT', `/deviceGroups/${id}`, { details: { devices: [] } });
  expect((await read(id)).devices).toEqual([]);
});

test('adding and removing devices may be repeated', async () => {
  const { id } = await create('Edge', 'a');
  for (let round = 0; round < 2; round++) {
    await done('POST', `/deviceGroups/${id}/devices`, { devices: ['b', 'a', 'c'] });
    expect((await read(id)).devices).toEqual(['a', 'b', 'c']);
  }
  for (let round = 0; round < 2; round++) {
    await done('DELETE', `/deviceGroups/${id}/devices`, { devices: ['a', 'x'] });
    expect((await read(id)).devices).toEqual(['b', 'c']);
  }
  await done('DELETE', `/deviceGroups/${id}/devices?devices=b&devices=c`);
  expect((await read(id)).devices).toEqual([]);
});

test('devices that are added at the same moment are all there', async () => {
  const { id } = await create('Edge');
  await Promise.all(
    Array.from({ length: 8 }, (_, at) =>
      done('POST', `/deviceGroups/${id}/devices`, { devices: [`d-${at}`] }),
    ),
  );
  expect((await read(id)).devices.toSorted()).toEqual(Array.from({ length: 8 }, (_, at) => `d-${at}`));
});

test('a caller with a stale version gets the conflict', async () => {
  const { id } = await create('Edge');
  const { updated } = await read(id);
  const seen = { ifMatch: `"${updated}"` };
  await done('POST', `/deviceGroups/${id}/devices`, { devices: ['a'] }, seen);
  expect((await send('POST', `/deviceGroups/${id}/devices`, { devices: ['b'] }, seen)).status).toBe(409);
  expect((await send('DELETE', '/deviceGroups', { groupIds: [id] }, seen)).status).toBe(409);
});

test('groups are searched by their names, and listed with their devices', async () => {
  await create('Edge', 'a,b');
  await create('edge old', 'b');
  await create('Core', 'c');
  const found = async (body: unknown) => {
    const { list, total } = await done<{ list: DeviceGroup[]; total: number }>(
      'POST',
      '/deviceGroups/search',
      body,
    );
    return { names: list.map(({ name }) => name), total };
  };
  expect(await found({ query: { name: 'EDGE' } })).toEqual({ names: ['Edge', 'edge old'], total: 2 });
  expect(await found({ options: { filter: { name: '^C' }, regex: true } })).toEqual({
    names: ['Core'],
    total: 1,
  });
  expect(await found({ options: { limit: 1, start: 1, sort: { name: -1 } } })).toEqual({
    names: ['Edge'],
    total: 3,
  });
  expect((await send('POST', '/deviceGroups/search', { options: { limit: 101 } })).status).toBe(400);
  const withB = await done<DeviceGroup[]>('GET', '/groups/device/b');
  expect(withB.map(({ name }) => name)).toEqual(['Edge', 'edge old']);
  expect(await done('GET', '/groups/device/none')).toEqual([]);
});

test('a group that a node holds is not deleted; the others are', async () => {
  const [held, free] = [await create('Held', 'a'), await create('Free')];
  const tree = await done<{ id: string }>('POST', '/configs', { name: 'Edge', deviceType: 'cisco-ios' });
  const place = { treeId: tree.id, version: 'initial', nodePath: 'base' };
  await done('POST', '/configs/devices/groups', { ...place, deviceGroups: [held.id] });
  const nobody = '65f0c1d2e3a4b5c6d7e8f909';
  expect(await done('DELETE', '/deviceGroups', { groupIds: [held.id, free.id, nobody] })).toEqual({
    status: 'conflict',
    deleted: 1,
    conflicts: [{ id: held.id, usedBy: ['tree Edge, version initial, node base'] }],
  });
  expect(await done('DELETE', '/name/deviceGroups', { groupNames: ['Held'] })).toMatchObject({
    status: 'conflict',
    deleted: 0,
  });
  await done('DELETE', '/configs/devices/groups', { ...place, deviceGroups: [held.id] });
  expect(await done('DELETE', `/devicegroups?groupIds=${held.id}`)).toEqual({
    status: 'success',
    deleted: 1,
  });
  expect(await done('GET', '/deviceGroups')).toEqual([]);
});

test('a group is not put on a node that is deleted at the same moment', async () => {
  const tree = await done<{ id: string }>('POST', '/configs', { name: 'Edge', deviceType: 'cisco-ios' });
  const place = { treeId: tree.id, version: 'initial', nodePath: 'base' };
  for (let round = 0; round < 8; round++) {
    const { id } = await create(`Group ${round}`);
    const [put, gone] = await Promise.all([
      send('POST', '/configs/devices/groups', { ...place, deviceGroups: [id] }),
      send('DELETE', '/deviceGroups', { groupIds: [id] }),
    ]);
    const { deleted } = gone.json as { deleted: number };
    expect([put.status, deleted]).not.toEqual([200, 1]);
  }
});

test('the devices of a node are its own and those of its groups', async () => {
  const { id: group } = await create('Edge', 'a,b');
  const tree = await done<{ id: string }>('POST', '/configs', { name: 'Edge', deviceType: 'cisco-ios' });
  await done('POST', `/configs/${tree.id}/initial/base`, { name: 'north' });
  const place = { treeId: tree.id, version: 'initial', nodePath: 'base/north' };
  await done('POST', '/configs/devices/groups', { ...place, deviceGroups: [group] });
  await done('POST', `/configs/${tree.id}/initial/base/devices`, { devices: ['a', 'c'] });
  expect(await done('POST', '/devices/tree', { treeId: tree.id, version: 'initial' })).toEqual([
    { device: 'a', nodePath: 'base', via: 'device' },
    { device: 'a', nodePath: 'base/north', via: group },
    { device: 'b', nodePath: 'base/north', via: group },
    { device: 'c', nodePath: 'base', via: 'device' },
  ]);
  const at = (nodePath: string) => ({ treeId: tree.id, name: 'Edge', version: 'initial', nodePath });
  expect(await done('POST', '/devices/device/trees', { deviceName: 'a' })).toEqual([
    at('base'),
    at('base/north'),
  ]);
  expect(await done('POST', '/devices/device/trees', { deviceName: 'b' })).toEqual([at('base/north')]);
  await done('DELETE', `/deviceGroups/${group}/devices`, { devices: ['b'] });
  expect(await done('POST', '/devices/device/trees', { deviceName: 'b' })).toEqual([]);
});

test('an import keeps ids and names that are free, and fields that we do not know', async () => {
  const [id, taken] = ['65f0c1d2e3a4b5c6d7e8f901', (await create('Edge', 'a')).id];
  const answer = await done<{ message: string; data: { id: string; name: string }[] }>(
    'POST',
    '/import/groups',
    {
      groups: [
        { id, name: 'Core', devices: ['c'], colour: 'red', created: '2026-02-03T04:05:06.000Z' },
        { id: taken, name: 'Edge', devices: ['b', 'b'] },
      ],
    },
  );
  expect(answer.message).toBe('Imported 2 device groups');
  expect(answer.data).toEqual([
    { id, name: 'Core' },
    { id: expect.not.stringContaining(taken), name: 'Edge (1)' },
  ]);
  expect(await read(id)).toMatchObject({
    devices: ['c'],
    colour: 'red',
    created: '2026-02-03T04:05:06.000Z',
  });
  expect(await read('Edge (1)')).toMatchObject({ devices: ['b'], description: '' });
  expect((await read(taken)).devices).toEqual(['a']);
  const wrong = await send('POST', '/import/groups', { groups: [{ name: 'x' }, { name: '' }] });
  expect(wrong.status).toBe(400);
  expect(issuesOf(wrong)[0]).toContain('groups.1.name');
  expect(await done('GET', '/deviceGroups')).toHaveLength(3);
});

test('an access list keeps others out of a group, its devices and its searches', async () => {
  const [readers, writers] = [await groupOf(['apiread']), await groupOf(['apiwrite'])];
  const { id } = await create('Edge', 'a');
  const details = (gbac: unknown) => ({ details: { gbac } });
  const lonely = await send('PUT', `/deviceGroups/${id}`, details({ read: [readers], write: [] }));
  expect(lonely.status).toBe(400);
  await done('PUT', `/deviceGroups/${id}`, details({ read: [], write: [readers] }));
  const add = () => send('POST', `/deviceGroups/${id}/devices`, { devices: ['b'] }, { as: 'apiwrite' });
  expect((await add()).status).toBe(403);
  expect((await send('DELETE', '/deviceGroups', { groupIds: [id] }, { as: 'apiwrite' })).status).toBe(403);
  await done('PUT', `/deviceGroups/${id}`, details({ read: [writers], write: [writers] }));
  expect((await add()).status).toBe(200);
  const reader = { as: 'apiread' } as const;
  expect((await send('GET', `/deviceGroups/${id}`, undefined, reader)).status).toBe(404);
  expect(await done('GET', '/deviceGroups', undefined, reader)).toEqual([]);
  expect(await done('GET', '/groups/device/a', undefined, reader)).toEqual([]);
  expect(await done('POST', '/deviceGroups/search', {}, reader)).toEqual({ list: [], total: 0 });
  const gone = await call('admin', 'DELETE', `/authorization/groups/${writers}`);
  expect(gone.status).toBe(409);
  expect(gone.text).toContain('device groups: Edge');
});
