import { setTimeout as sleep } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import { afterAll, expect, test } from 'vitest';
import { openDatabase } from '#db/client.ts';
import type { Remediation } from '#db/schemas/golden-config/remediation.ts';
import { deviceChanges } from '#db/tables/bookkeeping/changes.ts';
import { changeDevice } from '#server/domains/golden-config/campaigns/change-device.service.ts';
import { withDeviceLock } from '#server/domains/golden-config/live/keyed-semaphore.service.ts';
import { openFleet } from '../../../helpers/devices/fleet.ts';
import { liveDevices } from '../../../helpers/devices/live-devices.ts';
import { openDeafProxy } from '../../../helpers/processes/deaf-proxy.ts';

const fleet = await openFleet();
const { done, run, tree, platform } = fleet;
const { caller } = await fleet.callerWith('admin');
const device = liveDevices(async (method, path, body) => {
  const answer = await fleet.service('admin', method, path, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json;
}, platform.cli);
const proxy = await openDeafProxy(fleet.connection);
const far = openDatabase({ connection: proxy.connection, max: 4 });
afterAll(async () => {
  proxy.back();
  await far.close();
  await proxy.close();
});

const FORMER = ['hostname edge-r1', 'ip http server'];
const NTP = 'ntp server 192.0.2.9';

/** A device with an approved proposal; `change` makes it as a campaign does, on a database behind the proxy. */
async function approved() {
  const live = await device(FORMER);
  const { at, place } = await tree(`hostname edge-r1\n<e/>${NTP}\n{d/}ip http server\n`);
  await place('base', [live.name]);
  await done('POST', '/devices/backups', { name: live.name });
  const [report] = await run(at('base'));
  const options = { reportIds: [report?.id], removeDisallowed: true };
  const made = await done<{ data: Remediation[] }>('POST', '/remediations', { options }, { as: 'apiwrite' });
  const { id = '', configSha256 = '' } = made.data[0] ?? {};
  await done('POST', `/remediations/${id}/approve`, { configSha256 }, { as: 'engineering' });
  const row = { campaignId: 'outage', device: live.name, remediationId: id, configSha256 };
  return {
    ...live,
    read: () => done<Remediation>('GET', `/remediations/${id}`),
    times: () => live.simulated.heard.filter((command) => command === 'configure terminal').length,
    change: () =>
      changeDevice(
        { db: far.db, platform, now: platform.now, log: platform.log },
        row as never,
        async () => caller,
      ),
  };
}

/** Calls something the first time that the configuration of a device is changed. */
function onChange({ config }: { config: { running: string[] } }, changed: () => void) {
  let { running } = config;
  let isFirst = true;
  Object.defineProperty(config, 'running', {
    get: () => running,
    set: (lines: string[]) => {
      running = lines;
      if (isFirst) changed();
      isFirst = false;
    },
  });
}

test('a change is made once, and does not conflict with itself, when the answer to the commit of its start is lost', async () => {
  const { change, config, read, times } = await approved();
  proxy.hush('"applying"', 1);
  expect(await change()).toEqual({ status: 'applied', reason: 'the result is as predicted' });
  expect(proxy.left()).toBe(0);
  expect(times()).toBe(1);
  expect(config.running).toEqual(['hostname edge-r1', NTP]);
  expect((await read()).status).toBe('applied');
});

test('a change is sent once when the database goes away after it was sent and before its answer was stored', async () => {
  const live = await approved();
  onChange(live, () => {
    proxy.away();
    setTimeout(proxy.back, 2000);
  });
  expect(await live.change()).toEqual({ status: 'applied', reason: 'the result is as predicted' });
  expect(live.times()).toBe(1);
  expect(live.config.running).toEqual(['hostname edge-r1', NTP]);
});

test('a lock that could not be released while the database was away is released when it is back', async () => {
  const name = 'lock-in-an-outage';
  const call = { db: far.db, platform };
  const change = withDeviceLock(call, name, async () => {
    proxy.away();
    return 'done';
  });
  expect(await change).toBe('done');
  const held = () => fleet.db.$count(deviceChanges, eq(deviceChanges.device, name));
  expect(await held()).toBe(1);
  await sleep(500);
  proxy.back();
  expect(await withDeviceLock(call, name, async () => 'again')).toBe('again');
  expect(await held()).toBe(0);
});
