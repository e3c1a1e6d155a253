import { beforeEach, expect, test } from 'vitest';
import { syncDue } from '#server/domains/network/adapters/sync.service.ts';
import { closedPort, openOrchestrator, orchestratorAdapter } from '../../helpers/devices/orchestrator.ts';
import { openWebService } from '../../helpers/devices/web-service.ts';
import { cliHost } from '../../helpers/gateway.ts';
import { isLong } from '../../helpers/long.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();
const peer = await openOrchestrator();
type Fields = Record<string, unknown>;
const send = (method: string, path: string, body?: unknown) => service.send('admin', method, path, body);
const done = async (method: string, path: string, body?: unknown): Promise<Fields> => {
  const answer = await send(method, path, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json as Fields;
};
const add = (name: string, port = peer.port, connection: Fields = {}) =>
  done('POST', '/adapters', { properties: orchestratorAdapter(name, port, connection) });
const sync = (name: string) => send('POST', `/adapters/${name}/sync`, {});
const device = (name: string) => send('GET', `/configuration_manager/devices/${name}`);
const known = (names: readonly string[]) => ({
  devices: names.map((name) => ({ name, address: '192.0.2.9' })),
});

await add('orch');
beforeEach(() => peer.behave());

test('the devices of an orchestrator become devices, with their parser and their origin', async () => {
  expect((await sync('orch')).json).toEqual({
    status: 'success',
    message: 'orch reports 2 devices',
    data: { added: 2, removed: 0, unchanged: 0, changed: 0 },
  });
  expect((await device('ce1')).json).toMatchObject({
    name: 'ce1',
    host: '192.0.2.51',
    ipaddress: '192.0.2.51',
    port: 22,
    ostype: 'cisco-ios',
    deviceType: 'cisco-ios',
    origin: 'orch',
    chosenAdapter: 'orch',
    origins: ['orch'],
  });
  expect((await device('Pe-East')).json).toMatchObject({ ostype: 'juniper-junos' });
  expect(
    await done('POST', '/configuration_manager/devices', { options: { adapterType: ['Orchestrator'] } }),
  ).toMatchObject({ total: 2, totalByAdapter: { orch: 2 } });
});

test('a second reading reports which devices were added, removed and changed', async () => {
  peer.behave(known(['ce1', 'ce2', 'ce3']));
  expect((await sync('orch')).json).toMatchObject({
    data: { added: 2, removed: 1, unchanged: 0, changed: 1 },
  });
  expect((await sync('orch')).json).toMatchObject({ data: { added: 0, removed: 0, unchanged: 3 } });
  expect((await device('Pe-East')).status).toBe(404);
});

test.skipIf(!isLong)('a reading that takes too long is answered with 504 and changes no device', async () => {
  peer.behave({ delay: 6000 });
  expect(await sync('orch')).toMatchObject({ status: 504, json: { reason: 'REQUEST_TIMEOUT' } });
  expect((await device('ce3')).status).toBe(200);
});

test('an orchestrator that supports only names as fields is queried for these', async () => {
  peer.behave({ ...known(['ce1', 'ce2']), namesOnly: true });
  expect((await sync('orch')).json).toMatchObject({ data: { removed: 1, unchanged: 2 } });
});

test('of several sources that report a device the gateway is queried first, then the oldest adapter', async () => {
  await add('another');
  peer.behave(known(['shared-1', 'shared-2']));
  await sync('another');
  await sync('orch');
  await done('POST', '/automationgateway/inventory/cli', { host: cliHost({ name: 'shared-1' }) });
  expect((await device('shared-1')).json).toMatchObject({
    origin: 'gateway',
    origins: ['gateway', 'orch', 'another'],
  });
  expect((await device('shared-2')).json).toMatchObject({ origin: 'orch', origins: ['orch', 'another'] });
  expect(await done('POST', '/configuration_manager/devices')).toMatchObject({ total: 2 });
  await done('DELETE', '/adapters/another');
  expect((await device('shared-2')).json).toMatchObject({ origins: ['orch'] });
});

test('an adapter whose devices are on a node is deleted only with force, together with its devices', async () => {
  await add('east');
  peer.behave(known(['east-1', 'shared-1']));
  await sync('east');
  const { id } = (await done('POST', '/configuration_manager/configs', {
    name: 'East',
    deviceType: 'cisco-ios',
  })) as { id: string };
  const sit = (devices: string[]) =>
    done('POST', `/configuration_manager/configs/${id}/initial/base/devices`, { devices });
  // The gateway reports this one as well: it stays a device.
  await sit(['shared-1']);
  await sit(['east-1']);
  const rejected = await send('DELETE', '/adapters/east');
  expect(rejected.status).toBe(409);
  expect(rejected.text).toContain('tree East, version initial, node base');
  expect((await send('DELETE', '/adapters/east?force=true')).status).toBe(200);
  expect((await device('east-1')).status).toBe(404);
});

/** A server in the place of an orchestrator: it answers with a first list, then with what a test sets. */
let says: { status: number; type: string; body: string } | null = null;
const stranger = await openWebService((_, response) => {
  const one = '{"tailf-ncs:device":[{"name":"only-one","address":"192.0.2.7"}]}';
  const { status, type, body } = says ?? { status: 200, type: 'application/yang-data+json', body: one };
  response.writeHead(status, { 'Content-Type': type }).end(body);
});
const JSON_TYPE = 'application/yang-data+json';
const absent = (tag: string) =>
  JSON.stringify({ 'ietf-restconf:errors': { error: [{ 'error-type': 'application', 'error-tag': tag }] } });

test.each([
  {
    reported: 'a 404 of RESTCONF: nothing there',
    status: 404,
    type: JSON_TYPE,
    body: absent('invalid-value'),
  },
  { reported: 'a 404 of RESTCONF: no such data', status: 404, type: JSON_TYPE, body: absent('data-missing') },
  { reported: 'no content', status: 204, type: JSON_TYPE, body: '' },
  { reported: 'an empty list', status: 200, type: JSON_TYPE, body: '{"tailf-ncs:device":[]}' },
])('an answer without devices removes those of the orchestrator: $reported', async (answer) => {
  says = null;
  await add('empties', stranger.port).catch(() => undefined);
  expect((await sync('empties')).status).toBe(200);
  expect((await device('only-one')).status).toBe(200);
  says = answer;
  expect((await sync('empties')).json).toMatchObject({ data: { removed: 1, added: 0 } });
  expect((await device('only-one')).status).toBe(404);
});

test.each([
  { reported: 'a page that is not there', status: 404, type: 'text/html', body: '<h1>404 Not Found</h1>' },
  { reported: 'nothing at all', status: 404, type: 'text/plain', body: '' },
  {
    reported: 'an error of another service',
    status: 404,
    type: 'application/json',
    body: '{"error":"no route"}',
  },
  { reported: 'a page to sign in', status: 200, type: 'text/html', body: '<html>Sign in</html>' },
  { reported: 'other data', status: 200, type: 'application/json', body: '{"status":"ok"}' },
])('an answer that is no list of devices removes none: $reported', async (answer) => {
  says = null;
  await add('strange', stranger.port).catch(() => undefined);
  expect((await sync('strange')).status).toBe(200);
  says = answer;
  expect(await sync('strange')).toMatchObject({
    status: 502,
    json: { reason: 'NO_SUCH_ENDPOINT', message: expect.stringContaining('devices') },
  });
  expect((await device('only-one')).status).toBe(200);
});

test('only a running orchestrator is read, and only by admin', async () => {
  expect((await sync('nobody')).status).toBe(404);
  expect((await sync('gateway')).json).toMatchObject({ issues: [{ path: ['name'] }] });
  await add('asleep');
  await done('PUT', '/adapters/asleep/stop');
  expect((await sync('asleep')).status).toBe(409);
  await add('dead', await closedPort());
  expect(await sync('dead')).toMatchObject({ status: 502, json: { reason: 'REFUSED' } });
  expect((await service.send('apiwrite', 'POST', '/adapters/orch/sync', {})).status).toBe(403);
});

test('a running orchestrator is read automatically, every quarter of an hour, by one process', async () => {
  await service.db.execute("update adapters set synced_at = now() - interval '16 minutes' where id = 'orch'");
  peer.seen.length = 0;
  peer.behave(known(['by-itself']));
  const call = { db: service.db, platform: service.platform };
  const readings = () => peer.seen.filter(({ path }) => path.includes('devices/device')).length;
  await Promise.all([syncDue(call), syncDue(call)]);
  expect((await device('by-itself')).status).toBe(200);
  expect(readings()).toBe(1);
  await syncDue(call);
  expect(readings()).toBe(1);
});

test('one that does not answer is read again automatically, as often as the retries of the profile say', async () => {
  const call = { db: service.db, platform: service.platform };
  const { most } = await service.platform.retries();
  const failed = async () =>
    (await service.db.execute<{ failed: number }>("select failed from adapters where id = 'dead'"))[0]
      ?.failed;
  // `dead` was read by a call of somebody already.
  for (let look = 0; look < most + 3; look++) {
    await service.db.execute("update adapters set probed_at = now() - interval '1 minute' where id = 'dead'");
    await syncDue(call);
  }
  expect(await failed()).toBe(most + 1);
});

test.skipIf(!isLong)('twenty thousand devices are read in one call', async () => {
  peer.behave(known(Array.from({ length: 20_000 }, (_, index) => `site-${index}`)));
  expect((await sync('orch')).json).toMatchObject({ data: { added: 20_000 } });
  const page = await done('POST', '/configuration_manager/devices', {
    options: { filter: { name: 'site-1999' }, limit: 5 },
  });
  expect(page).toMatchObject({ total: 11 });
});
