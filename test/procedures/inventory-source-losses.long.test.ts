import { expect, test } from 'vitest';
import { netboxDevice } from '../helpers/inventory/netbox.ts';
import { nameOf, openSources } from '../helpers/inventory/sources.ts';

const { inventory, netbox, create, synced, host } = await openSources();

test('a source that no longer shows more than a fifth of its devices removes none until the number is confirmed', async () => {
  const names = Array.from({ length: 50 }, (_, at) => nameOf(`many-${at}`));
  const show = (count: number, from = names) => {
    netbox.state.devices = from.slice(0, count).map((name) => netboxDevice(name));
  };
  show(50);
  const { _id, name: source } = await create({ deletes: 'remove' });
  await synced(_id);
  show(40);
  expect(await inventory.previewSource({ id: _id })).toMatchObject({ confirmGone: null });
  show(39, [nameOf('added'), ...names]);
  expect(await inventory.previewSource({ id: _id })).toMatchObject({ confirmGone: 12, error: null });
  const stopped = await synced(_id);
  expect(stopped).toMatchObject({ status: 'error', new: 0, error: { code: 'SOURCE_SHRUNK' } });
  expect(stopped.error?.message).toMatch(/^no longer has 12 of its 50 devices, so none was removed: /);
  expect(stopped.error?.message).toContain('start a run with confirmGone 12');
  expect((await inventory.getSource({ id: _id })).lastError).toMatchObject({ code: 'SOURCE_SHRUNK' });
  const owned = async () => (await inventory.listSelection({ selection: { sources: [source] } })).total;
  expect([await owned(), (await host(names[49] as string)).missingSince ?? null]).toEqual([50, null]);
  expect(await synced(_id, 11)).toMatchObject({ error: { code: 'SOURCE_SHRUNK' } });
  expect(await synced(_id, 12)).toMatchObject({ status: 'complete', new: 1, gone: 12 });
  expect(await owned()).toBe(39);
  expect(await synced(_id)).toMatchObject({ status: 'complete', gone: 0 });
  show(10);
  await inventory.updateSource({ id: _id, updates: { maxGonePercent: 100 } });
  expect(await synced(_id)).toMatchObject({ status: 'complete' });
});

test('a small source may lose most of its devices, and one that keeps or marks them any number', async () => {
  const names = Array.from({ length: 30 }, (_, at) => nameOf(`few-${at}`));
  const show = (count: number) => {
    netbox.state.devices = names.slice(0, count).map((name) => netboxDevice(name));
  };
  show(30);
  const { _id } = await create({ maxGonePercent: 0 });
  await synced(_id);
  show(10);
  expect(await synced(_id)).toMatchObject({ status: 'complete', gone: 20 });
  await inventory.updateSource({ id: _id, updates: { deletes: 'mark' } });
  expect(await synced(_id)).toMatchObject({ status: 'complete', gone: 20 });
  await inventory.updateSource({ id: _id, updates: { deletes: 'remove' } });
  expect(await synced(_id)).toMatchObject({ status: 'error', error: { code: 'SOURCE_SHRUNK' } });
  await synced(_id, 20);
  show(1);
  expect(await synced(_id)).toMatchObject({ status: 'complete', gone: 9 });
});

/** Shows devices, and changes them before a page after the first is answered, as often as `changes` says. */
function changing(names: readonly string[], change: (devices: unknown[]) => unknown[]) {
  netbox.state.devices = names.map((name) => netboxDevice(name));
  const pages = { changes: 0 };
  netbox.state.answer = ({ url = '' }) => {
    if (pages.changes > 0 && url.includes('offset=250')) {
      pages.changes -= 1;
      netbox.state.devices = change(netbox.state.devices);
    }
    return false;
  };
  return pages;
}

test.each([
  ['one is deleted', () => []],
  ['one is deleted and another added', () => [netboxDevice(nameOf('added'))]],
])(
  'a device that moves to a page that was read already, because %s, is not taken for gone',
  async (_, added) => {
    const names = Array.from({ length: 520 }, (_, at) => nameOf(`paged-${at}`));
    const pages = changing(names, (devices) => [...devices.slice(1), ...added()]);
    const { _id } = await create({ deletes: 'remove' });
    expect(await synced(_id)).toMatchObject({ status: 'complete', new: 520 });
    pages.changes = 1;
    // the deleted device was shown on the first page
    expect(await synced(_id)).toMatchObject({ status: 'complete', gone: 0, unchanged: 520, issues: [] });
    expect((await host(names[250] as string)).name).toBe(names[250]);
    expect(netbox.state.requests.at(-1)).toContain(`name=${names[250]}`);
    pages.changes = 1;
    expect(await inventory.previewSource({ id: _id })).toMatchObject({ gone: [names[0]], error: null });
    expect(await synced(_id)).toMatchObject({ status: 'complete', gone: 2 });
    netbox.state.answer = () => false;
  },
);

test('a device that moves to a later page is read once', async () => {
  const names = Array.from({ length: 300 }, (_, at) => nameOf(`twice-${at}`));
  const pages = changing(names, (devices) => [netboxDevice(nameOf('first')), ...devices]);
  pages.changes = 1;
  const { _id } = await create({ deletes: 'remove' });
  expect(await synced(_id)).toMatchObject({ status: 'complete', new: 300, issues: [] });
  netbox.state.answer = () => false;
});

test('devices that a source did not show are gone only when it can be asked for them', async () => {
  const names = Array.from({ length: 150 }, (_, at) => nameOf(`asked-${at}-with-a-long-name`));
  netbox.state.devices = names.map((name) => netboxDevice(name));
  const { _id, name: source } = await create({ deletes: 'remove', maxGonePercent: 100 });
  await synced(_id);
  netbox.state.devices = netbox.state.devices.slice(0, 1);
  netbox.state.answer = ({ url = '' }, response) => {
    if (!url.includes('name=')) return false;
    response.writeHead(400).end('{"name":["Unknown filter field"]}');
    return true;
  };
  expect(await synced(_id)).toMatchObject({ status: 'error', error: { code: 'SOURCE_REJECTED' } });
  expect((await inventory.listSelection({ selection: { sources: [source] } })).total).toBe(150);
  netbox.state.answer = () => false;
  const before = netbox.state.requests.length;
  expect(await synced(_id)).toMatchObject({ status: 'complete', gone: 149 });
  const asked = netbox.state.requests.slice(before);
  expect(asked.length).toBeGreaterThan(2);
  expect(Math.max(...asked.map(({ length }) => length))).toBeLessThan(4000);
});

test.each([
  ['names of another field', { mapping: { name: 'display' } }],
  ['a filter by name', (names: string[]) => ({ filters: { name: names } })],
])('a source with %s is read a second time before a device is taken for gone', async (_, more) => {
  const names = Array.from({ length: 260 }, (_, at) => nameOf(`again-${at}`));
  const pages = changing(names, (devices) => devices.slice(1));
  const { _id } = await create({
    deletes: 'remove',
    ...(typeof more === 'function' ? more(names.slice(0, 100)) : more),
  });
  await synced(_id);
  pages.changes = 1;
  netbox.state.devices = netbox.state.devices.slice(1);
  const before = netbox.state.requests.length;
  expect(await synced(_id)).toMatchObject({ status: 'complete', gone: 1 });
  expect(netbox.state.requests.length - before).toBe(typeof more === 'function' ? 2 : 4);
  netbox.state.answer = () => false;
});

test('a JSON document of several pages is read a second time before a device is taken for gone', async () => {
  const names = ['a', 'b', 'c', 'd'].map((word) => nameOf(word));
  let shown = names;
  let isMoving = false;
  netbox.state.answer = ({ url = '' }, response) => {
    const page = Number(new URL(url, netbox.url).searchParams.get('page') ?? 0);
    if (isMoving && page === 1) [isMoving, shown] = [false, shown.slice(1)];
    const items = shown.slice(page * 2, page * 2 + 2).map((name) => ({ name, host: '192.0.2.1' }));
    response.end(JSON.stringify({ items, next: page === 0 ? '/devices?page=1' : null }));
    return true;
  };
  const mapping = { items: 'items', next: 'next', defaults: { device_type: 'cisco_ios' } };
  const { _id } = await create({ type: 'json', url: `${netbox.url}/devices`, deletes: 'remove', mapping });
  await synced(_id);
  isMoving = true;
  expect(await synced(_id)).toMatchObject({ status: 'complete', gone: 0 });
  expect(await synced(_id)).toMatchObject({ status: 'complete', gone: 1 });
  netbox.state.answer = () => false;
});

test('a token that is rejected on a later page changes nothing', async () => {
  const names = Array.from({ length: 300 }, (_, at) => nameOf(`denied-${at}`));
  netbox.state.devices = names.map((name) => netboxDevice(name));
  const { _id, name: source } = await create({ deletes: 'remove' });
  await synced(_id);
  netbox.state.devices = netbox.state.devices.slice(5);
  netbox.state.answer = ({ url = '' }, response) => {
    if (!url.includes('offset=250')) return false;
    response.writeHead(401, { 'Content-Type': 'application/json' }).end('{"detail":"Token expired"}');
    return true;
  };
  expect(await synced(_id)).toMatchObject({
    status: 'error',
    gone: 0,
    error: { code: 'SOURCE_AUTH_FAILED' },
  });
  netbox.state.answer = () => false;
  expect((await inventory.listSelection({ selection: { sources: [source] } })).total).toBe(300);
});

test('names count as they are written: two sites cannot share one, those that differ in case are two, none is an issue', async () => {
  const name = nameOf('Käse-日本');
  netbox.state.devices = [
    netboxDevice(name),
    netboxDevice(name, { site: { slug: 'rome-1' }, primary_ip: '192.0.2.77/24' }),
    netboxDevice(name.toLowerCase(), { primary_ip: '192.0.2.78/24' }),
    { ...netboxDevice('unnamed'), name: null },
  ];
  const { _id } = await create({ deletes: 'remove' });
  const run = await synced(_id);
  expect(run).toMatchObject({ status: 'complete', new: 2 });
  expect(run.issues).toEqual([
    { name, field: 'name', message: 'occurs twice in the source' },
    { name: 'record 4', field: 'name', message: 'has no name' },
  ]);
  expect([(await host(name)).host, (await host(name.toLowerCase())).host]).toEqual([
    '192.0.2.11',
    '192.0.2.78',
  ]);
  expect(await synced(_id)).toMatchObject({ new: 0, changed: 0, unchanged: 2 });
});
