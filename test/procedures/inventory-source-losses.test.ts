import { expect, test } from 'vitest';
import type { NewInventorySource } from '#db/schemas/network/inventory-source.ts';
import { netboxDevice, openNetbox } from '../helpers/inventory/netbox.ts';
import { unique } from '../helpers/procedures.ts';
import { until } from '../helpers/processes/processes.ts';
import { openService } from '../helpers/service.ts';

const service = await openService({}, { works: true });
const { automationgateway, inventory } = await service.as('admin');
const netbox = await openNetbox();

const nameOf = (word: string) => unique(word).replace(' ', '-');
const create = async (more: Partial<NewInventorySource> = {}) =>
  (
    await inventory.createSource({
      source: { name: nameOf('source'), type: 'netbox', url: netbox.url, token: netbox.token, ...more },
    })
  ).data;
const host = (name: string) => automationgateway.getHost({ kind: 'cli', name });

/** Runs a source, with a confirmed number of gone devices, and returns the run when it has ended. */
async function synced(id: string, confirmGone?: number) {
  const { runId } = await inventory.syncSource({ id, confirmGone });
  return until('the run ends', async () => {
    const run = await inventory.getRun({ runId });
    return run.status === 'running' ? undefined : run;
  });
}

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

test('a device that moves to a page that was read already is not taken for gone', async () => {
  const names = Array.from({ length: 520 }, (_, at) => nameOf(`paged-${at}`));
  netbox.state.devices = names.map((name) => netboxDevice(name));
  const { _id } = await create({ deletes: 'remove' });
  expect(await synced(_id)).toMatchObject({ status: 'complete', new: 520 });
  let changes = 1;
  netbox.state.answer = ({ url = '' }) => {
    if (changes > 0 && url.includes('offset=250')) {
      changes -= 1;
      netbox.state.devices = netbox.state.devices.slice(1);
    }
    return false;
  };
  expect(await synced(_id)).toMatchObject({ status: 'complete', new: 0, gone: 1, unchanged: 519 });
  expect((await host(names[250] as string)).name).toBe(names[250]);
  changes = Number.POSITIVE_INFINITY;
  expect(await synced(_id)).toMatchObject({ status: 'error', gone: 0, error: { code: 'SOURCE_INCOMPLETE' } });
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
