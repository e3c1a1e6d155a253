import { expect, test } from 'vitest';
import { openOrchestrator, orchestratorAdapter } from '../helpers/devices/orchestrator.ts';
import { issuePathsOf, rejectionOf, rolesThatMay, unique } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const peer = await openOrchestrator();
const { adapters } = await service.as('admin');

const documentOf = (name: string, connection: object = {}) =>
  orchestratorAdapter(name, peer.port, connection as Record<string, unknown>) as never;
const create = async (connection: object = {}) => {
  const name = unique('orch').replace(' ', '-');
  await adapters.createAdapter({ properties: documentOf(name, connection) });
  return name;
};
const connectionOf = async (name: string) =>
  (await adapters.getAdapter({ name })).data.properties.properties as Record<string, unknown>;

test('an adapter is stored, listed and exported with its secrets masked', async () => {
  const name = await create();
  const { data, metadata } = await adapters.getAdapter({ name });
  expect(data).toMatchObject({ name, model: '@vendor/adapter-orchestrator' });
  expect(metadata).toMatchObject({ isActive: true });
  const listed = await adapters.listAdapters({ queryOptions: { equals: name, equalsField: 'name' } });
  expect(listed).toMatchObject({ total: 1, results: [{ data: { name } }] });
  const shown = JSON.stringify([data, listed, await adapters.exportAdapter({ name })]);
  expect(shown).toContain('********');
  expect(shown).not.toContain('Orch-Secret-7');
});

test('a taken name is rejected', async () => {
  const name = await create();
  expect(await rejectionOf(adapters.createAdapter({ properties: documentOf(name) }))).toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining(name),
  });
});

test.each([
  [{ port: 0 }, 'port'],
  [{ protocol: 'gopher' }, 'protocol'],
  [{ timeouts: { connect: -1 } }, 'timeouts'],
])('a connection with %j is rejected and the field named', async (connection, field) => {
  const paths = await issuePathsOf(create(connection));
  expect(paths.some((path) => path.startsWith(`properties.properties.properties.${field}`))).toBe(true);
});

test('settings of a connection are merged into the stored ones; a changed host requires the secrets again', async () => {
  const name = await create();
  await adapters.updateProperties({ name, properties: { maxConcurrent: 4 } });
  expect(await connectionOf(name)).toMatchObject({ maxConcurrent: 4, port: peer.port });
  const moved = adapters.updateProperties({ name, properties: { host: 'orch.example.net' } });
  expect(await rejectionOf(moved)).toMatchObject({ code: 'BAD_REQUEST' });
  const changes = await adapters.listChanges({ name });
  expect(changes.length).toBeGreaterThanOrEqual(1);
});

test('a replacement keeps the name, the model, and the secrets that are sent as masks', async () => {
  const name = await create();
  const { data } = await adapters.getAdapter({ name });
  await adapters.replaceAdapter({ name, properties: data as never });
  expect((await adapters.testAdapter({ name })).ok).toBe(true);
  const renamed = adapters.replaceAdapter({ name, properties: documentOf('another') });
  expect(await rejectionOf(renamed)).toMatchObject({ code: 'BAD_REQUEST' });
});

test('the connection is tried as stored, or with other settings that are not stored', async () => {
  const name = await create();
  expect(await adapters.testAdapter({ name })).toMatchObject({ ok: true });
  const wrong = { authentication: { auth_method: 'basic', username: 'bar', password: 'Not-This-9' } };
  expect(await adapters.testAdapter({ name, properties: wrong })).toMatchObject({ ok: false });
  expect(await adapters.testAdapter({ name })).toMatchObject({ ok: true });
});

test('the devices of an orchestrator become devices of the platform, until its adapter is deleted', async () => {
  const name = await create();
  const { configurationManager } = await service.as('admin');
  expect((await adapters.syncAdapter({ name })).data).toMatchObject({ added: 2, removed: 0 });
  expect((await adapters.syncAdapter({ name })).data).toMatchObject({ added: 0, unchanged: 2 });
  expect(await configurationManager.getDevice({ name: 'ce1' })).toMatchObject({ name: 'ce1' });
  await adapters.deleteAdapter({ name });
  expect(await rejectionOf(configurationManager.getDevice({ name: 'ce1' }))).toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('a stopped adapter makes no calls until it is started', async () => {
  const name = await create();
  await adapters.stopAdapter({ name });
  expect(await rejectionOf(adapters.syncAdapter({ name }))).toMatchObject({ code: 'CONFLICT' });
  await adapters.startAdapter({ name });
  expect((await adapters.syncAdapter({ name })).status).toBe('success');
  await adapters.deleteAdapter({ name });
});

test('built-in adapters stay, and an unknown one is reported', async () => {
  expect(await rejectionOf(adapters.deleteAdapter({ name: 'local_aaa' }))).toMatchObject({
    code: 'FORBIDDEN',
  });
  for (const call of [
    adapters.getAdapter,
    adapters.stopAdapter,
    adapters.deleteAdapter,
    adapters.listChanges,
  ])
    expect(await rejectionOf(call({ name: 'no-such' }))).toMatchObject({ code: 'NOT_FOUND' });
});

test('apiread reads adapters, only an admin changes them', async () => {
  expect(await rolesThatMay(service, (as) => as.adapters.listAdapters({}))).toEqual(['admin', 'apiread']);
  expect(await rolesThatMay(service, (as) => as.adapters.mapBrokers({}))).toEqual(['admin', 'apiread']);
  expect(await rolesThatMay(service, (as) => as.adapters.testAdapter({ name: 'no-such' }))).toEqual([
    'admin',
  ]);
});
