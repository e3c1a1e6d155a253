import { expect, test } from 'vitest';
import { cliHost, grpcHost } from '../helpers/gateway.ts';
import { issuePathsOf, rejectionOf, rolesThatMay, unique } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const { automationgateway, configurationManager } = await service.as('admin');

const create = async (more: object = {}) =>
  (await automationgateway.createHost({ kind: 'cli', host: cliHost(more as never) as never })).data;
const nameOf = (word: string) => unique(word).replace(' ', '-');

test('a host is stored with its secret masked, listed, and becomes a device', async () => {
  const { name } = await create();
  const host = await automationgateway.getHost({ kind: 'cli', name });
  expect(host).toMatchObject({ name, device_type: 'cisco_ios', password: '********' });
  const found = await automationgateway.listHosts({
    kind: 'cli',
    queryOptions: { equals: name, equalsField: 'name' },
  });
  expect(found).toEqual({ results: [host], total: 1 });
  expect(JSON.stringify(await automationgateway.exportHosts({ kind: 'cli' }))).not.toContain('Lantern');
  expect(await configurationManager.getDevice({ name })).toMatchObject({ name });
  expect(await rejectionOf(automationgateway.getHost({ kind: 'grpc', name }))).toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('a taken name is rejected', async () => {
  const { name } = await create();
  expect(await rejectionOf(create({ name }))).toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining(name),
  });
});

test.each([
  [{ device_type: 'toaster' }, 'host.device_type'],
  [{ port: 70_000 }, 'host.port'],
  [{ host: '' }, 'host.host'],
  [{ host: '192.0.2.11 x' }, 'host.host'],
])('a host with %j is rejected and the field named', async (more, path) => {
  expect(await issuePathsOf(create(more))).toContain(path);
});

test('an update changes the given fields; a changed port requires the secrets again', async () => {
  const { name } = await create();
  const { data } = await automationgateway.updateHost({ kind: 'cli', name, updates: { tags: ['north'] } });
  expect(data).toMatchObject({ name, tags: ['north'], password: '********' });
  const moved = automationgateway.updateHost({ kind: 'cli', name, updates: { port: 2222 } });
  expect(await rejectionOf(moved)).toMatchObject({ code: 'BAD_REQUEST' });
  const updates = { port: 2222, password: 'Lantern-44' };
  expect((await automationgateway.updateHost({ kind: 'cli', name, updates })).data.port).toBe(2222);
});

test('of an import each host is stored or rejected separately, and a dry run stores nothing', async () => {
  const good = grpcHost();
  const hosts = [good, { name: 'bad', host: 'no address !' }];
  const dry = await automationgateway.importHosts({ kind: 'grpc', hosts, options: { dryRun: true } });
  expect(dry.data.map(({ success }) => success)).toEqual([true, false]);
  const missing = automationgateway.getHost({ kind: 'grpc', name: good.name });
  expect(await rejectionOf(missing)).toMatchObject({ code: 'NOT_FOUND' });
  const { message, data } = await automationgateway.importHosts({ kind: 'grpc', hosts });
  expect(message).toBe('Imported 1 of 2 hosts');
  expect(data[1]).toMatchObject({ success: false, row: 1 });
  expect(await automationgateway.getHost({ kind: 'grpc', name: good.name })).toMatchObject({
    host: good.host,
  });
});

test('a host whose device is on a node of a tree is deleted only with force', async () => {
  const { name } = await create();
  const tree = await configurationManager.createTree({ name: unique('Edge'), deviceType: 'cisco-ios' });
  const place = { treeId: tree.id, version: 'initial', nodePath: 'base' };
  await configurationManager.addNodeDevices({ ...place, devices: [name] });
  expect(await rejectionOf(automationgateway.deleteHost({ kind: 'cli', name }))).toMatchObject({
    code: 'CONFLICT',
  });
  await automationgateway.deleteHost({ kind: 'cli', name, force: true });
  expect(await rejectionOf(automationgateway.getHost({ kind: 'cli', name }))).toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('devices are deleted together, and each that stays says why', async () => {
  const { name: plain } = await create();
  const { name: placed } = await create();
  const grpc = nameOf('radio');
  await automationgateway.createHost({ kind: 'grpc', host: grpcHost({ name: grpc } as never) as never });
  const web = nameOf('web');
  await automationgateway.createHost({
    kind: 'http',
    host: { name: web, host: '192.0.2.7', port: 443, protocol: 'https' } as never,
  });
  const tree = await configurationManager.createTree({ name: unique('Edge'), deviceType: 'cisco-ios' });
  const place = { treeId: tree.id, version: 'initial', nodePath: 'base' };
  await configurationManager.addNodeDevices({ ...place, devices: [placed] });
  const names = [plain, placed, grpc, web, 'none', plain];
  expect(await automationgateway.deleteDevices({ names })).toEqual({
    status: 'OK',
    message: 'Deleted 2 of 5 devices',
    data: [
      { name: plain, success: true, message: `Deleted ${plain}.` },
      { name: placed, success: false, message: expect.stringMatching(/is assigned to tree Edge.*base/) },
      { name: grpc, success: true, message: `Deleted ${grpc}.` },
      { name: web, success: false, message: `Device ${web} not found.` },
      { name: 'none', success: false, message: 'Device none not found.' },
    ],
  });
  expect((await automationgateway.getHost({ kind: 'http', name: web })).name).toBe(web);
  expect(await rejectionOf(automationgateway.getHost({ kind: 'grpc', name: grpc }))).toMatchObject({
    code: 'NOT_FOUND',
  });
  const { data } = await automationgateway.deleteDevices({ names: [placed], force: true });
  expect(data).toMatchObject([{ name: placed, success: true }]);
  expect(await issuePathsOf(automationgateway.deleteDevices({ names: [] }))).toEqual(['names']);
});

test('a credential is stored masked, replaced, and stays while a host uses it', async () => {
  const name = nameOf('net-ro');
  const { data } = await automationgateway.createCredential({ credential: { name, password: 'hush' } });
  expect(data).toMatchObject({ name, password: '********' });
  const credential = { name, username: 'svc', password: '********' };
  await automationgateway.replaceCredential({ name, credential });
  expect(await automationgateway.getCredential({ name })).toMatchObject({ username: 'svc' });
  const host = await create({ credential: name, username: undefined, password: undefined });
  expect(await rejectionOf(automationgateway.deleteCredential({ name }))).toMatchObject({
    code: 'CONFLICT',
  });
  await automationgateway.deleteHost({ kind: 'cli', name: host.name });
  await automationgateway.deleteCredential({ name });
  expect(await rejectionOf(automationgateway.getCredential({ name }))).toMatchObject({ code: 'NOT_FOUND' });
});

test('a command that a policy does not allow is denied before any device is reached', async () => {
  const policy = nameOf('reads');
  const { name } = await create({ host: '127.0.0.1', port: 1 });
  await automationgateway.createPolicy({ policy: { name: policy, allow: ['show'] } as never });
  const send = automationgateway.sendCommand({
    cliSendCommandParameters: {
      host: name,
      commands: ['reload'],
      connection_options: { device_type: 'cisco_ios' },
    },
  } as never);
  expect(await rejectionOf(send)).toMatchObject({
    code: 'FORBIDDEN',
    message: expect.stringContaining('reload'),
  });
  await automationgateway.deletePolicy({ name: policy });
  expect(await rejectionOf(automationgateway.deletePolicy({ name: policy }))).toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('apiread sees the inventory, only an admin changes it and sees credentials', async () => {
  expect(await rolesThatMay(service, (as) => as.automationgateway.listHosts({ kind: 'cli' }))).toEqual([
    'admin',
    'apiread',
  ]);
  expect(await rolesThatMay(service, (as) => as.automationgateway.listCredentials({}))).toEqual(['admin']);
  expect(
    await rolesThatMay(service, (as) => as.automationgateway.deleteHost({ kind: 'cli', name: 'none' })),
  ).toEqual(['admin']);
  expect(
    await rolesThatMay(service, (as) => as.automationgateway.deleteDevices({ names: ['none'] })),
  ).toEqual(['admin']);
});
