import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { nautobotDevice } from '../helpers/inventory/nautobot.ts';
import { netboxDevice } from '../helpers/inventory/netbox.ts';
import { nameOf, openSources } from '../helpers/inventory/sources.ts';
import { isLong } from '../helpers/long.ts';
import { issuePathsOf, rejectionOf, rolesThatMay } from '../helpers/procedures.ts';

const { service, automationgateway, inventory, netbox, create, synced, host } = await openSources();

test('a run stores the devices of NetBox, and the next one writes nothing', async () => {
  const [one, two, noAddress] = [nameOf('nb'), nameOf('nb'), nameOf('nb')];
  netbox.state.devices = [
    netboxDevice(one, { custom_fields: { rack_unit: 12, row: 'B', owner: null } }),
    netboxDevice(two, { platform: { slug: 'juniper-junos' }, tags: [] }),
    netboxDevice(noAddress, { primary_ip: null }),
  ];
  const { _id, name: source } = await create({ filters: { status: ['active', 'staged'] } });
  const preview = await inventory.previewSource({ id: _id });
  expect(preview).toMatchObject({ new: [one, two], changed: [], gone: [], unchanged: 0, error: null });
  expect(preview.issues).toEqual([{ name: noAddress, field: 'host', message: 'has no management address' }]);
  expect((await inventory.listSelection({ selection: { sources: [source] } })).total).toBe(0);
  expect(await synced(_id)).toMatchObject({ status: 'complete', new: 2, changed: 0, gone: 0, unchanged: 0 });
  expect(netbox.state.requests.at(-1)).toContain('status=active&status=staged');
  expect(await host(one)).toMatchObject({
    host: '192.0.2.11',
    device_type: 'cisco_ios',
    site: 'berlin-1',
    tags: ['core'],
    custom: { rack_unit: 12, row: 'B' },
    source,
  });
  expect((await inventory.listSelection({ selection: { sources: [source] } })).devices).toEqual(
    [one, two].sort(),
  );
  const before = await host(one);
  // Several custom fields, whose order a stored batch changes.
  expect(await inventory.previewSource({ id: _id })).toMatchObject({ changed: [], unchanged: 2 });
  expect(await synced(_id)).toMatchObject({ new: 0, changed: 0, unchanged: 2 });
  expect(await host(one)).toEqual(before);
  expect(await inventory.getSource({ id: source })).toMatchObject({ token: '********', lastError: null });
  const { results, total } = await inventory.listRuns({ id: source });
  expect([total, results.map((run) => [run.new, run.unchanged, run.issueCount])]).toEqual([
    2,
    [
      [0, 2, 1],
      [2, 0, 1],
    ],
  ]);
});

test.skipIf(!isLong)(
  'a CSV file at an address is a source, with the columns and the encoding of a spreadsheet, and a row that is broken changes nothing',
  async () => {
    const [one, two] = [nameOf('sheet'), nameOf('sheet')];
    const file = { text: '' };
    const server = createServer((_, answer) => answer.end(Buffer.from(file.text, 'latin1')));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    afterAll(() => server.close());
    const header = 'sep=;\r\nDevice;Mgmt IP;Platform;Site;Tags;Rack;Password\r\n';
    file.text = `${header}${one};192.0.2.9;ios;Zürich;"core,north";A1;hush-hush\r\n${two};192.0.2.10;ios\r\n`;
    const { _id } = await create({
      type: 'csv',
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/devices.csv`,
      mapping: { name: 'Device', host: 'Mgmt IP', device_type: 'Platform', platforms: { ios: 'cisco_ios' } },
      deletes: 'remove',
    });
    expect(await inventory.previewSource({ id: _id })).toMatchObject({ new: [one, two], issues: [] });
    expect(await synced(_id)).toMatchObject({ status: 'complete', new: 2 });
    const stored = await host(one);
    expect(stored).toMatchObject({
      ...{ host: '192.0.2.9', device_type: 'cisco_ios', site: 'Zürich', tags: ['core', 'north'] },
      custom: { Rack: 'A1', Device: one },
    });
    expect(JSON.stringify(stored)).not.toContain('hush');
    expect(await synced(_id)).toMatchObject({ new: 0, changed: 0, unchanged: 2 });
    file.text = `${header}${one};192.0.2.9;ios;;;;;stray\r\n`;
    const broken = await synced(_id);
    expect(broken).toMatchObject({ status: 'error', error: { code: 'SOURCE_INVALID' }, gone: 0 });
    expect(broken.error?.message).toMatch(/^row 2: has 8 cells/);
    expect((await host(two)).name).toBe(two);
    const { content, url } = (
      await inventory.updateSource({
        id: _id,
        updates: {
          url: null,
          token: null,
          content: `name,host,device_type\n${one},192.0.2.9,cisco_ios\n`,
          mapping: null,
        },
      })
    ).data;
    expect([content, url]).toEqual(['********', null]);
    expect(await synced(_id)).toMatchObject({ gone: 1 });
    expect(await rejectionOf(host(two))).toMatchObject({ code: 'NOT_FOUND' });
  },
);

test('a source whose devices have lost their names changes nothing', async () => {
  const name = nameOf('named');
  const content = (column: string) => `${column},host,device_type\n${name},192.0.2.9,cisco_ios\n`;
  const { _id } = await create({
    type: 'csv',
    url: null,
    token: null,
    content: content('name'),
    deletes: 'remove',
  });
  expect(await synced(_id)).toMatchObject({ new: 1 });
  await inventory.updateSource({ id: _id, updates: { content: content('device') } });
  expect((await inventory.previewSource({ id: _id })).error).toMatchObject({ code: 'SOURCE_INVALID' });
  expect(await synced(_id)).toMatchObject({ status: 'error', error: { code: 'SOURCE_INVALID' }, gone: 0 });
  expect((await host(name)).name).toBe(name);
});

test.skipIf(!isLong)(
  'a source changes its own fields, keeps local tags and custom fields, and others cannot change its fields',
  async () => {
    const name = nameOf('own');
    netbox.state.devices = [netboxDevice(name)];
    const { _id } = await create();
    await synced(_id);
    const change = (updates: object) => automationgateway.updateHost({ kind: 'cli', name, updates });
    expect(await issuePathsOf(change({ site: 'paris' }))).toEqual(['updates.site']);
    expect(await issuePathsOf(change({ custom: { rack_unit: 1 } }))).toEqual(['updates.custom.rack_unit']);
    await change({
      tags: ['core', 'mine'],
      custom: { rack_unit: 12, note: 'spare' },
      password: 'Lantern-9',
      username: 'x',
    });
    netbox.state.devices = [
      netboxDevice(name, {
        site: { slug: 'paris' },
        tags: [{ slug: 'edge' }],
        custom_fields: { rack_unit: 13 },
      }),
    ];
    const preview = await inventory.previewSource({ id: _id });
    expect(preview.changed[0]).toMatchObject({
      name,
      fields: expect.arrayContaining(['site', 'tags', 'custom']),
    });
    expect(await synced(_id)).toMatchObject({ changed: 1, unchanged: 0 });
    expect(await host(name)).toMatchObject({
      site: 'paris',
      tags: ['mine', 'edge'],
      custom: { rack_unit: 13, note: 'spare' },
      password: '********',
    });
  },
);

test.skipIf(!isLong).each(['keep', 'mark', 'remove'] as const)(
  'a run with `deletes: %s` keeps, marks or removes a device that its source no longer has',
  async (deletes) => {
    const [stays, goes] = [nameOf('stays'), nameOf('goes')];
    netbox.state.devices = [netboxDevice(stays), netboxDevice(goes)];
    const { _id } = await create({ deletes });
    await synced(_id);
    netbox.state.devices = [netboxDevice(stays)];
    expect((await inventory.previewSource({ id: _id })).gone).toEqual([goes]);
    expect(await synced(_id)).toMatchObject({ gone: 1, unchanged: 1 });
    if (deletes === 'remove') expect((await rejectionOf(host(goes))).code).toBe('NOT_FOUND');
    else expect(Boolean((await host(goes)).missingSince)).toBe(deletes === 'mark');
    netbox.state.devices = [netboxDevice(stays), netboxDevice(goes)];
    await synced(_id);
    expect((await host(goes)).missingSince ?? null).toBeNull();
  },
);

test.skipIf(!isLong).each([
  ['no device', 'SOURCE_EMPTY', () => false],
  [
    'half an answer',
    'SOURCE_INVALID',
    (_: unknown, response: { writeHead: (n: number) => { end: (text: string) => void } }) => {
      response.writeHead(200).end('{"count": 2, "results": [{"na');
      return true;
    },
  ],
  [
    'too few devices',
    'SOURCE_INCOMPLETE',
    (_: unknown, response: { writeHead: (n: number) => { end: (text: string) => void } }) => {
      response.writeHead(200).end(JSON.stringify({ count: 2, next: null, results: [netboxDevice('half')] }));
      return true;
    },
  ],
  [
    'a server error',
    'SOURCE_REJECTED',
    (_: unknown, response: { writeHead: (n: number) => { end: (text: string) => void } }) => {
      response.writeHead(503).end('');
      return true;
    },
  ],
])('a source that answers with %s changes nothing and shows the error %s', async (_, code, answer) => {
  const name = nameOf('kept');
  netbox.state.devices = [netboxDevice(name)];
  const { _id } = await create({ deletes: 'remove' });
  await synced(_id);
  netbox.state.devices = [];
  netbox.state.answer = answer as never;
  const run = await synced(_id);
  netbox.state.answer = () => false;
  expect(run).toMatchObject({ status: 'error', error: { code } });
  expect(run.issues).toHaveLength(1);
  expect((await inventory.getSource({ id: _id })).lastError).toMatchObject({ code });
  const health = await service.send(null, 'GET', '/health/status');
  expect(health.text).toContain('{"service":"inventorySources","status":"degraded"}');
  expect((await host(name)).name).toBe(name);
});

test.skipIf(!isLong)('a failure that passes is repeated, and a wrong token is not', async () => {
  const name = nameOf('again');
  netbox.state.devices = [netboxDevice(name)];
  let failures = 2;
  netbox.state.answer = (_, response) => {
    failures -= 1;
    if (failures < 0) return false;
    response.writeHead(502).end();
    return true;
  };
  const { _id } = await create();
  expect(await synced(_id)).toMatchObject({ status: 'complete', new: 1 });
  const { _id: denied } = await create({ token: 'wrong' });
  expect((await inventory.previewSource({ id: denied })).error).toMatchObject({ code: 'SOURCE_AUTH_FAILED' });
});

test('a device of another source is an issue and stays', async () => {
  const name = nameOf('shared');
  netbox.state.devices = [netboxDevice(name)];
  const [first, second] = [await create(), await create()];
  await synced(first._id);
  const run = await synced(second._id);
  expect(run.issues[0]).toMatchObject({ name, message: `is managed by the inventory source ${first.name}` });
  await inventory.deleteSource({ id: first._id });
  expect((await host(name)).source).toBeUndefined();
});

test('Nautobot is read with the names of locations and the drivers of platforms', async () => {
  const name = nameOf('nautobot');
  netbox.state.devices = [nautobotDevice(name)];
  netbox.state.isNautobot = true;
  const { _id } = await create({ type: 'nautobot' });
  expect(await synced(_id)).toMatchObject({ status: 'complete', new: 1 });
  netbox.state.isNautobot = false;
  expect(netbox.state.requests.at(-1)).toContain('depth=1');
  expect(await host(name)).toMatchObject({ site: 'Berlin', tags: ['Core'], device_type: 'cisco_ios' });
});

test.each([
  [{ url: null }, 'source.url'],
  [{ url: 'http://user:secret@192.0.2.1' }, 'source.url'],
  [{ content: '[]' }, 'source.content'],
  [{ mapping: { platforms: { x: 'toaster' } } }, 'source.mapping.platforms.x'],
  [{ schedule: { everyMinutes: 0 } }, 'source.schedule.everyMinutes'],
  [{ schedule: { cron: '61 * * * *' } }, 'source.schedule.cron'],
  [{ token: '********' }, 'source.token'],
  [{ colour: 'red' }, 'source.colour'],
])('a source with %j is rejected and the field named', async (more, path) => {
  expect(await issuePathsOf(create(more as never))).toContain(path);
});

test('a token must be sent again when the address changes, and a schedule is stored', async () => {
  const { _id, name } = await create({ schedule: { everyMinutes: 60 } });
  const moved = inventory.updateSource({ id: _id, updates: { url: 'http://192.0.2.99' } });
  expect(await issuePathsOf(moved)).toEqual(['updates.token']);
  const { data } = await inventory.updateSource({ id: _id, updates: { token: '********', schedule: null } });
  expect(data).toMatchObject({ token: '********', schedule: null });
  expect((await rejectionOf(create({ name }))).code).toBe('CONFLICT');
});

test.skipIf(!isLong)(
  '10,000 devices are stored, and all of them unchanged when they are read again',
  async () => {
    const count = 10_000;
    const prefix = nameOf('many');
    netbox.state.devices = Array.from({ length: count }, (_, at) => netboxDevice(`${prefix}-${at}`));
    const { _id } = await create();
    const began = performance.now();
    expect(await synced(_id)).toMatchObject({ new: count, issues: [] });
    const first = performance.now() - began;
    expect(await synced(_id)).toMatchObject({ new: 0, changed: 0, unchanged: count });
    const second = performance.now() - began - first;
    console.info(`inventory of ${count}: ${Math.round(first)} ms, then ${Math.round(second)} ms`);
  },
);

test('only admin reads, changes and runs sources', async () => {
  expect(await rolesThatMay(service, (as) => as.inventory.listSources({}))).toEqual(['admin']);
  expect(await rolesThatMay(service, (as) => as.inventory.syncSource({ id: 'none' }))).toEqual(['admin']);
});
