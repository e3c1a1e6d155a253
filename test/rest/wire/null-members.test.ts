import { expect, test } from 'vitest';
import { openService } from '../../helpers/service.ts';

const { send } = await openService();

async function done<Answer = unknown>(method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await send('admin', method, path, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json as Answer;
}

test('null in an option of a golden tree changes nothing, as if it were absent', async () => {
  const [{ name: deviceType }] = await done<[{ name: string }]>(
    'GET',
    '/configuration_manager/configurations/parser?limit=1',
  );
  const { id } = await done<{ id: string }>('POST', '/configuration_manager/configs', {
    name: 'Core',
    deviceType,
  });
  const at = `/configuration_manager/configs/${id}`;
  const before = await done<object>('GET', at);
  await done('PUT', at, { options: { name: null, gbac: { read: null, write: null } } });
  await done('PUT', at, { options: { name: null, gbac: null } });
  const { lastUpdated: _, ...after } = await done<Record<string, unknown>>('GET', at);
  expect(before).toMatchObject(after);
});

test('null in an option of a parser or a backup changes nothing', async () => {
  const parsers = '/configuration_manager/configurations/parser';
  await done('POST', parsers, { name: 'mine', template: 'cisco-ios', gbac: null });
  const nothing = { name: null, template: null, lexRules: null, gbac: null };
  await done('PUT', parsers, { name: 'mine', options: nothing });
  expect(await done('GET', `${parsers}?filter[name]=mine`)).toMatchObject([
    { name: 'mine', template: 'cisco-ios' },
  ]);
  const id = '65a0000000000000000000b1';
  const backup = { id, name: 'edge-1', rawConfig: 'hostname edge-1', description: 'first', notes: 'none' };
  await done('POST', '/configuration_manager/import/backups', { backups: [backup] });
  await done('PUT', `/configuration_manager/backups/${id}`, {
    options: { description: null, notes: null, gbac: null },
  });
  expect(await done('GET', `/configuration_manager/backups/${id}`)).toMatchObject({
    description: 'first',
    notes: 'none',
  });
});

test('null in any optional field of a request means absent, and in a required one is an error', async () => {
  const { data } = await done<{ data: { expires: string; created: string; readOnly: boolean } }>(
    'POST',
    '/user/tokens',
    { name: 'nightly', expiresInDays: null, roles: null, readOnly: null },
  );
  expect(data.readOnly).toBe(false);
  expect(Math.round((Date.parse(data.expires) - Date.parse(data.created)) / 86_400_000)).toBe(90);
  // A request whose fields are also checked together, twice: its schema is compiled when it is first used.
  for (let time = 0; time < 2; time++) {
    const run = { command: 'show version', devices: ['nowhere'], selection: null };
    expect(await send('admin', 'POST', '/mop/RunCommandDevices', run)).toMatchObject({
      status: 400,
      json: { issues: [{ path: ['devices', 0] }] },
    });
  }
  await done('POST', '/configuration_manager/search/configs', { name: null, options: { start: null } });
  await done('PUT', '/retention', { jobs: null, audit: { days: 30 } });
  expect(await done('GET', '/retention')).toEqual({ audit: { days: 30 } });
  expect(await send('admin', 'POST', '/user/tokens', { name: null })).toMatchObject({
    status: 400,
    json: { issues: [{ path: ['name'], message: 'must be a string, not null' }] },
  });
  expect(await send('admin', 'POST', '/user/tokens', { name: 'x', colour: null })).toMatchObject({
    status: 400,
    json: { issues: [{ path: ['colour'] }] },
  });
});

test('an adapter whose loggerProps is null is stored as one without', async () => {
  const properties = {
    name: 'quiet',
    model: '@vendor/adapter-orchestrator',
    properties: { id: 'quiet', type: 'Orchestrator', properties: { host: '192.0.2.9' } },
    loggerProps: null,
  };
  await done('POST', '/adapters', { properties });
  const { data } = await done<{ data: object }>('GET', '/adapters/quiet');
  expect(data).not.toHaveProperty('loggerProps', null);
  await done('PUT', '/adapters/quiet', { properties });
});
