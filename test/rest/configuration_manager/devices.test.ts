import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import type { Device } from '#db/schemas/network/device.ts';
import { issuesOf, openConfiguration } from '../../helpers/configuration.ts';
import { cliHost, grpcHost } from '../../helpers/gateway.ts';

const { db, done, groupOf, send, call } = await openConfiguration();

type Page = {
  total: number;
  totalByAdapter: Record<string, number>;
  unique_device_count: number;
  return_count: number;
  start_index: number;
  list: Device[];
};
type Fields = Record<string, unknown>;

async function inventory(kind: string, ...hosts: Fields[]) {
  const answer = await call('admin', 'POST', `/automationgateway/inventory/${kind}/import`, {
    hosts,
  });
  expect((answer.json as { data: { success: boolean }[] }).data.every(({ success }) => success)).toBe(true);
}
const search = (options?: Fields, as?: { as: 'apiread' }) =>
  done<Page>('POST', '/devices', options && { options }, as);
const names = async (options?: Fields) => (await search(options)).list.map(({ name }) => name);

beforeEach(async () => {
  await db.execute(sql`delete from gateway_hosts`);
});

test('a host of the gateway is a device, shown without its credentials', async () => {
  await inventory('cli', cliHost({ name: 'edge-1', tags: ['north'] }));
  const device = await done<Device>('GET', '/devices/edge-1', undefined, { as: 'apiread' });
  expect(device).toEqual({
    name: 'edge-1',
    host: '192.0.2.11',
    ipaddress: '192.0.2.11',
    port: 22,
    ostype: 'cisco-ios',
    deviceType: 'cisco-ios',
    'device-type': 'network_cli',
    device_type: 'cisco_ios',
    tags: ['north'],
    actions: ['getConfig', 'setConfig', 'runCommand', 'isAlive'],
    origins: ['gateway'],
    origin: 'gateway',
    chosenAdapter: 'gateway',
    status: 'UNKNOWN',
  });
  expect(await search({}, { as: 'apiread' })).toEqual({
    entity: 'device',
    total: 1,
    totalByAdapter: { gateway: 1 },
    unique_device_count: 1,
    return_count: 1,
    start_index: 0,
    list: [device],
  });
  expect((await send('GET', '/devices/edge-2')).status).toBe(404);
});

test('a name in both inventories is one device, reached over SSH', async () => {
  await inventory('grpc', grpcHost({ name: 'leaf-1', host: '192.0.2.21' }), grpcHost({ name: 'leaf-2' }));
  await inventory('cli', cliHost({ name: 'leaf-1', host: '192.0.2.22' }));
  const { total, totalByAdapter, list } = await search();
  expect({ total, totalByAdapter }).toEqual({ total: 2, totalByAdapter: { gateway: 2 } });
  expect(list).toMatchObject([
    { name: 'leaf-1', host: '192.0.2.22', 'device-type': 'network_cli', origins: ['gateway'] },
    { name: 'leaf-2', 'device-type': 'gnoi', ostype: '' },
  ]);
  // What the other inventory says of it is not searched: it is not what is shown.
  expect(await names({ filter: { address: '192.0.2.21' } })).toEqual(['leaf-2']);
});

test('pages hold every device once, and return_count is the total throughout', async () => {
  await inventory(
    'cli',
    ...Array.from({ length: 30 }, (_, at) => cliHost({ name: `d-${String(at).padStart(2, '0')}` })),
  );
  const seen: string[] = [];
  for (let start = 0; start < 30; start += 7) {
    const page = await search({ start: String(start), limit: '7' });
    expect(page).toMatchObject({ return_count: 30, start_index: start });
    seen.push(...page.list.map(({ name }) => name));
  }
  expect(seen).toEqual([...new Set(seen)].sort());
  expect(seen).toHaveLength(30);
  expect((await search()).list).toHaveLength(25);
});

test('filters are substrings, whole values with exactMatch, nothing when empty', async () => {
  await inventory(
    'cli',
    cliHost({ name: 'Edge-1', host: '192.0.2.1' }),
    cliHost({ name: 'edge-10', host: '192.0.2.10', port: 2222, device_type: 'arista_eos' }),
    cliHost({ name: 'core_1', host: '198.51.100.1' }),
  );
  expect(await names({ filter: { name: 'edge-1' } })).toEqual(['Edge-1', 'edge-10']);
  expect(await names({ filter: { name: 'edge-10' }, exactMatch: true })).toEqual(['edge-10']);
  expect(await names({ filter: { name: 'e_1' } })).toEqual(['core_1']);
  expect(await names({ filter: { address: '192.0.2.1' } })).toEqual(['Edge-1', 'edge-10']);
  expect(await names({ filter: { address: '192.0.2.1' }, exactMatch: true })).toEqual(['Edge-1']);
  expect(await names({ filter: { port: '22' } })).toHaveLength(3);
  expect(await names({ filter: { port: 2222 }, exactMatch: true })).toEqual(['edge-10']);
  expect(await names({ filter: { ostype: 'arista' } })).toEqual(['edge-10']);
  expect(await names({ filter: { name: '', ostype: '' } })).toHaveLength(3);
  expect(await names({ filter: { name: 'edge', ostype: 'ios' } })).toEqual(['Edge-1']);
  const rejected = await send('POST', '/devices', { options: { filter: { colour: 'red' }, limit: 5000 } });
  expect(rejected.status).toBe(400);
  expect((await send('POST', '/devices', { options: { limit: 5000 } })).status).toBe(400);
});

test('lists are sorted by the shown values, in either spelling', async () => {
  await inventory(
    'cli',
    cliHost({ name: 'a', host: '192.0.2.3', device_type: 'frr' }),
    cliHost({ name: 'b', host: '192.0.2.2', device_type: 'arista_eos' }),
    cliHost({ name: 'c', host: '192.0.2.1', device_type: 'arista_eos' }),
  );
  expect(await names({ sort: { name: -1 } })).toEqual(['c', 'b', 'a']);
  expect(await names({ sort: [{ ostype: 1 }, { name: -1 }] })).toEqual(['c', 'b', 'a']);
  expect(await names({ sort: { address: 1 }, order: 'ascending' })).toEqual(['c', 'b', 'a']);
  expect(await names({ sort: [{ name: 1 }], order: 'descending' })).toEqual(['c', 'b', 'a']);
  const rejected = await send('POST', '/devices', { options: { sort: { colour: 1 } } });
  expect(issuesOf(rejected)[0]).toContain('options.sort.colour');
});

test('adapters and origins narrow the list', async () => {
  await inventory('cli', cliHost({ name: 'a' }));
  expect(await names({ adapterId: ['gateway'] })).toEqual(['a']);
  expect(await names({ adapterId: ['orch-east'] })).toEqual([]);
  expect(await names({ adapterType: ['Gateway', 'Orchestrator'] })).toEqual(['a']);
  expect(await names({ origins: ['orch-east'] })).toEqual([]);
  expect(await names({ origins: true, adapterId: [] })).toEqual(['a']);
});

test('an account that may not read a host does not see its device, nor in totals', async () => {
  const team = await groupOf(['apiread']);
  const gbac = (read: string) => ({ read: [read], write: [read] });
  await inventory(
    'cli',
    cliHost({ name: 'a', gbac: gbac(team) }),
    cliHost({ name: 'b', gbac: gbac('other') }),
  );
  await inventory('grpc', grpcHost({ name: 'b', host: '192.0.2.77' }));
  const page = await search({}, { as: 'apiread' });
  expect(page.total).toBe(2);
  // Of b it may see the grpc host only: so that is the device to it.
  expect(page.list).toMatchObject([{ name: 'a' }, { name: 'b', host: '192.0.2.77' }]);
  expect(await done('GET', '/devices/b', undefined, { as: 'apiread' })).toMatchObject({ host: '192.0.2.77' });
  expect(await done('GET', '/devices/b')).toMatchObject({ 'device-type': 'network_cli' });
  await db.execute(sql`delete from gateway_hosts where kind = 'grpc'`);
  expect((await send('GET', '/devices/b', undefined, { as: 'apiread' })).status).toBe(404);
  expect((await search({}, { as: 'apiread' })).total).toBe(1);
});

test('a host whose device is on a node is deleted only with force', async () => {
  await inventory('cli', cliHost({ name: 'a' }), cliHost({ name: 'b' }));
  const tree = await done<{ id: string }>('POST', '/configs', { name: 'Holding', deviceType: 'cisco-ios' });
  await done('POST', `/configs/${tree.id}/initial/base/devices`, { devices: ['a'] });
  const group = await done<{ id: string }>('POST', '/devicegroup', { groupName: 'Held', deviceNames: 'b' });
  await done('POST', '/configs/devices/groups', {
    treeId: tree.id,
    version: 'initial',
    nodePath: 'base',
    deviceGroups: [group.id],
  });
  for (const name of ['a', 'b']) {
    const path = `/automationgateway/inventory/cli/${name}`;
    const rejected = await call('admin', 'DELETE', path);
    expect(rejected.status).toBe(409);
    expect(rejected.text).toContain('tree Holding, version initial, node base');
    expect((await call('admin', 'DELETE', `${path}?force=true`)).status).toBe(200);
  }
  expect((await search()).total).toBe(0);
});
