import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { sql } from 'drizzle-orm';
import { afterEach, expect, test } from 'vitest';
import { scheduledSyncs } from '#server/domains/network/sources/runs.service.ts';
import { startDue } from '#server/kernel/schedules/scheduler.ts';
import { netboxDevice, openNetbox } from '../helpers/inventory/netbox.ts';
import { nameOf, openSources } from '../helpers/inventory/sources.ts';
import { sampled } from '../helpers/long.ts';
import { openAuthority } from '../lab/certificates.ts';

const { service, inventory, netbox, create, ended, synced } = await openSources();
const { audit, operationsManager } = await service.as('admin');
const countOf = async (source: string) =>
  (await inventory.listSelection({ selection: { sources: [source] } })).total;
/** A run of 2,000 devices after which the source answers otherwise. */
async function filled() {
  const prefix = nameOf('fault');
  netbox.state.devices = Array.from({ length: 2000 }, (_, at) => netboxDevice(`${prefix}-${at}`));
  const source = await create({ deletes: 'remove' });
  expect(await synced(source._id)).toMatchObject({ status: 'complete', new: 2000 });
  netbox.state.devices = netbox.state.devices.slice(0, 1900);
  return source;
}

afterEach(() => {
  netbox.state.answer = () => false;
  netbox.state.left = Number.POSITIVE_INFINITY;
});

const onPage = (page: number, request: IncomingMessage) => request.url?.includes(`offset=${page * 250}`);

type Fault = [string, string, (request: IncomingMessage, response: ServerResponse) => boolean];

const FAULTS: Fault[] = [
  [
    'an error on page 7',
    'SOURCE_REJECTED',
    (request, response) => {
      if (!onPage(6, request)) return false;
      response.writeHead(500).end('{"detail": "Internal Server Error"}');
      return true;
    },
  ],
  [
    'half a JSON document on page 3',
    'SOURCE_INVALID',
    (request, response) => {
      if (!onPage(2, request)) return false;
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"count": 1900, "results": [{"na');
      return true;
    },
  ],
  [
    'a redirect to another server',
    'SOURCE_REJECTED',
    (_request, response) => {
      response.writeHead(302, { Location: 'http://192.0.2.99/api/dcim/devices/' }).end();
      return true;
    },
  ],
  [
    'ten times the largest answer',
    'OUTPUT_LIMIT',
    (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(`{"count":1,"results":[],"more":"${'x'.repeat(33 * 1024 * 1024)}"}`);
      return true;
    },
  ],
  [
    'no device',
    'SOURCE_EMPTY',
    (_request, response) => {
      response.writeHead(200).end('{"count":0,"next":null,"previous":null,"results":[]}');
      return true;
    },
  ],
];

test.each(sampled(FAULTS, 2))(
  'a source that answers with %s leaves all of its devices, with the error %s',
  async (_, code, answer) => {
    const { _id, name } = await filled();
    netbox.state.answer = answer;
    const run = await synced(_id);
    expect(run).toMatchObject({ status: 'error', error: { code }, gone: 0 });
    expect(run.issues).toHaveLength(1);
    expect(await countOf(name)).toBe(2000);
    expect((await inventory.getSource({ id: _id })).lastError).toMatchObject({ code });
    const health = await service.send(null, 'GET', '/health/status');
    expect(health.text).toContain('{"service":"inventorySources","status":"degraded"}');
    netbox.state.answer = () => false;
    expect(await synced(_id)).toMatchObject({ status: 'complete', gone: 100, unchanged: 1900 });
  },
);

test('a source that cannot be reached is tried again, and is named on its page and in the health view', async () => {
  const { _id, name } = await filled();
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address() as AddressInfo;
  free.close();
  await inventory.updateSource({
    id: _id,
    updates: { url: `http://127.0.0.1:${port}`, token: netbox.token },
  });
  const run = await synced(_id);
  expect(run).toMatchObject({ status: 'error', gone: 0 });
  const { lastError } = await inventory.getSource({ id: _id });
  expect(lastError?.message).toBe(`${name}: the host refuses the connection`);
  const { results } = await (await service.as('admin')).health.getConnections({});
  expect(results).toContainEqual({
    kind: 'inventory source',
    id: _id,
    name,
    state: 'FAILING',
    since: lastError?.time,
    lastError: lastError?.message,
  });
  expect(await countOf(name)).toBe(2000);
});

test('a source that limits requests is read further after the pause that it asks for', async () => {
  netbox.state.devices = Array.from({ length: 600 }, (_, at) => netboxDevice(`${nameOf('slow')}-${at}`));
  const { _id } = await create();
  netbox.state.left = 2;
  const began = performance.now();
  expect(await synced(_id)).toMatchObject({ status: 'complete', new: 600 });
  expect(performance.now() - began).toBeGreaterThan(900);
});

test('filters of a source are those of NetBox, and one that it does not know is the error of the run', async () => {
  const prefix = nameOf('filter');
  netbox.state.devices = [
    netboxDevice(`${prefix}-1`, { site: { slug: 'paris' }, tags: [{ slug: 'edge' }] }),
    netboxDevice(`${prefix}-2`, { site: { slug: 'rome' } }),
    netboxDevice(`${prefix}-3`, { site: { slug: 'paris' }, status: 'planned' }),
  ];
  const { _id, name } = await create({ filters: { site: ['paris'], status: 'active', tag: 'edge' } });
  expect(await synced(_id)).toMatchObject({ status: 'complete', new: 1 });
  expect((await inventory.listSelection({ selection: { sources: [name] } })).devices).toEqual([
    `${prefix}-1`,
  ]);
  const wrong = await create({ filters: { colour: 'red' } });
  const { error } = await inventory.previewSource({ id: wrong._id });
  expect(error).toMatchObject({ code: 'SOURCE_REJECTED', message: expect.stringContaining('400') });
});

test('an untrusted certificate is the error of the run, and the source is read once its authority is configured', async () => {
  const authority = openAuthority('NetBox');
  const identity = authority.issue({ names: ['127.0.0.1'] });
  const secure = await openNetbox('secure-token', identity);
  secure.state.devices = [netboxDevice(nameOf('tls'))];
  const { _id } = await create({ url: secure.url, token: 'secure-token' });
  const failed = await synced(_id);
  expect(failed).toMatchObject({
    status: 'error',
    error: { message: expect.stringContaining('UNABLE_TO_VERIFY_LEAF_SIGNATURE') },
  });
  expect(secure.state.requests).toEqual([]);
  await inventory.updateSource({ id: _id, updates: { ca: authority.ca } });
  expect(await synced(_id)).toMatchObject({ status: 'complete', new: 1 });
});

test('the audit trail names each device that a run writes, with the account of the run', async () => {
  const prefix = nameOf('audit');
  const named = (count: number, site: string) =>
    Array.from({ length: count }, (_, at) => netboxDevice(`${prefix}-${at}`, { site: { slug: site } }));
  const entriesOf = async (requestId: string) => {
    const { results } = await audit.listEntries({ queryOptions: { limit: 20 } } as never);
    return results
      .filter((entry) => entry.operation === 'inventory.syncSource' && entry.requestId === requestId)
      .map(({ account, document, documents }) => ({
        account,
        names: ((documents as { name: string }[] | undefined) ?? [document]).map((one) => one?.name),
      }));
  };
  netbox.state.devices = named(30, 'paris');
  const { _id } = await create({ deletes: 'remove' });
  const first = await synced(_id);
  const [row, ...more] = await entriesOf(first._id);
  expect(more).toEqual([]);
  expect(row?.names).toHaveLength(30);
  expect(row?.account).toEqual(expect.any(String));
  expect(await entriesOf((await synced(_id))._id)).toEqual([]);
  netbox.state.devices = [...named(28, 'paris'), netboxDevice(`${prefix}-28`, { site: { slug: 'rome' } })];
  const last = await entriesOf((await synced(_id))._id);
  expect(last.flatMap(({ names }) => names).sort()).toEqual([`${prefix}-28`, `${prefix}-29`]);
});

test('a source that is due is read once, for the account that last wrote it', async () => {
  netbox.state.devices = [netboxDevice(nameOf('due'))];
  const schedule = { cron: '30 2 * * *', timeZone: 'Europe/Berlin' };
  const source = await create({ schedule });
  const due = source.nextRunAt ?? 0;
  const { moments } = await operationsManager.previewSchedule({ schedule, count: 2 } as never);
  expect(new Date(due).toISOString()).toBe(moments[0]);
  const { platform, db } = service;
  const parts = { db, log: platform.log, now: () => new Date(due + 1000) };
  expect(await startDue(parts, scheduledSyncs(platform))).toBe(1);
  expect(await startDue(parts, scheduledSyncs(platform))).toBe(0);
  const after = await inventory.getSource({ id: source._id });
  expect(new Date(after.nextRunAt ?? 0).toISOString()).toBe(moments[1]);
  const run = await ended(after.lastRun ?? '');
  expect(run).toMatchObject({ status: 'complete', new: 1 });
});

test('a run whose devices the database has no room for ends with that error, and changes nothing', async () => {
  const source = await create();
  netbox.state.devices = [netboxDevice(nameOf('full'))];
  await service.db.execute(sql`
    create function refuse_batches() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`);
  await service.db.execute(
    sql`create trigger refused before insert on inventory_run_batches for each row execute function refuse_batches()`,
  );
  try {
    expect(await synced(source._id)).toMatchObject({
      status: 'error',
      error: { code: 'RUN_FAILED', message: 'The database has no room left on its disk; retry later' },
      new: 0,
    });
    expect(await countOf(source.name)).toBe(0);
  } finally {
    await service.db.execute(sql`drop function refuse_batches cascade`);
  }
});
