import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openCliInThread } from '#server/southbound/cli/sessions/cli-in-thread.ts';
import { at, never } from '../../helpers/devices/cli.ts';
import { isLong } from '../../helpers/long.ts';
import { SCRIPTS } from '../../lab/devices/scripts.ts';
import { newHostKey, openDevice } from '../../lab/devices/simulator.ts';

const script = SCRIPTS.find(({ device_type }) => device_type === 'frr') ?? none();
function none(): never {
  throw new Error('there is no such device');
}
const insecure: string[] = [];
const open = () =>
  openCliInThread({
    allowPrivateTargets: true,
    insecure: (name) => insecure.push(name),
    lost: (error) => {
      throw error;
    },
  });

test('sessions in their thread answer, report each command as it ends, and are reused', async () => {
  const device = await openDevice(script);
  const cli = open();
  const target = at(device, {
    deviceType: 'frr',
    hostKey: { policy: 'insecure', algorithm: '', fingerprint: null },
  });
  const reported: string[] = [];
  const run = await cli.run(target, ['show version', 'nonsense'], {
    ...never(),
    onResult: ({ command, status }) => reported.push(`${command}: ${status}`),
  });
  expect(run.result.map(({ status }) => status)).toEqual(['success', 'failed']);
  expect(reported).toEqual(['show version: success', 'nonsense: failed']);
  expect(insecure).toContain(target.name);
  const again = await cli.run(target, ['show version'], never());
  expect(again.session?.reused).toBe(true);
  expect((await cli.probe(target, new AbortController().signal)).session.reused).toBe(false);
  await cli.close();
  await device.close();
});

test('a rejection by a device comes out of the thread with its reason, and the output until then', async () => {
  const device = await openDevice(script);
  const cli = open();
  const target = at(device, { deviceType: 'frr' });
  await expect(cli.run({ ...target, password: 'wrong' }, ['show version'], never())).rejects.toMatchObject({
    code: 'BAD_GATEWAY',
    extra: { reason: 'DEVICE_AUTH_FAILED', stage: 'auth', host: target.name },
  });
  await expect(cli.run(target, ['show version'], never(0))).rejects.toMatchObject({
    code: 'GATEWAY_TIMEOUT',
    extra: { reason: 'COMMAND_TIMEOUT', partial: { result: [{ status: 'incomplete' }] } },
  });
  await expect(cli.run(at(device, { deviceType: 'nobody_knows' }), ['x'], never())).rejects.toMatchObject({
    code: 'UNPROCESSABLE_CONTENT',
  });
  await cli.close();
  await device.close();
});

test.skipIf(!isLong)(
  'a call that is given up stops on the device, also when it was given up before it began',
  async () => {
    const device = await openDevice(script);
    const cli = open();
    await cli.run(at(device, { deviceType: 'frr' }), ['show version'], never());
    device.heard.length = 0;
    device.mood = { delayMs: 10_000 };
    const call = new AbortController();
    const running = cli.run(at(device, { deviceType: 'frr' }), ['show version'], {
      commandMs: 20_000,
      signal: call.signal,
    });
    running.catch(() => undefined);
    while (!device.heard.includes('show version')) await sleep(20);
    call.abort();
    await expect(running).rejects.toMatchObject({ extra: { reason: 'CANCELED' } });
    await expect(
      cli.run(at(device, { deviceType: 'frr' }), ['show version'], {
        commandMs: 20_000,
        signal: AbortSignal.abort(),
      }),
    ).rejects.toMatchObject({ extra: { retryable: true } });
    await cli.close();
    await device.close();
  },
);

test('closing ends all sessions, and devices see theirs end', async () => {
  const device = await openDevice(script);
  const cli = open();
  await cli.run(at(device, { deviceType: 'frr' }), ['show version'], never());
  await cli.close();
  await expect(cli.run(at(device, { deviceType: 'frr' }), ['x'], never())).rejects.toMatchObject({
    extra: { reason: 'SHUTTING_DOWN' },
  });
  while (device.open.size > 0) await sleep(20);
  await device.close();
});

test.skipIf(!isLong).each(['diffie-hellman-group18-sha512', 'diffie-hellman-group1-sha1'])(
  'a device that supports %s alone is reached, by several sessions together',
  async (kex) => {
    const device = await openDevice(script, { hostKeys: [newHostKey('rsa')], algorithms: { kex: [kex] } });
    const cli = open();
    const runs = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((name) =>
        cli.run(at(device, { name, deviceType: 'frr' }), ['show version'], never(20_000)),
      ),
    );
    for (const { session, result } of runs) {
      expect(session?.algorithms.kex).toBe(kex);
      expect(result[0]?.status).toBe('success');
    }
    await cli.close();
    await device.close();
  },
);
