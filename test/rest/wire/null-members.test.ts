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
