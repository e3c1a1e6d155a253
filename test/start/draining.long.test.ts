import { once } from 'node:events';
import { expect, test } from 'vitest';
import { openLaunching } from '../helpers/processes/launched-service.ts';
import { until } from '../helpers/processes/processes.ts';

const { launch } = openLaunching();

test('a process that drains is not ready, and still answers requests, each of which ends its connection', async () => {
  const { child, url } = await launch({ env: { DRAIN_SECONDS: '5' } });
  const ready = () => fetch(`${url}/health/ready`).then(({ status }) => status);
  expect(await ready()).toBe(200);
  const ended = once(child, 'exit');
  const begun = performance.now();
  child.kill('SIGTERM');
  // Long before its end, or nothing would answer what follows.
  await until('503', async () => (await ready()) === 503 || undefined);
  const answer = await fetch(`${url}/health/live`);
  expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
  expect(await ended).toEqual([0, null]);
  expect(performance.now() - begun).toBeGreaterThan(4900);
});
