import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Answer, openService } from '../service.ts';

type Service = Pick<Awaited<ReturnType<typeof openService>>, 'send'>;

/** Requests that are answered sooner prove nothing, in milliseconds. */
const TELLING_MS = 300;

/** Between two probes, in milliseconds: it counts as waited, and a probe costs as much CPU time as many a request. */
const PAUSE_MS = 20;

/**
 * Sends a request while health is asked again and again.
 *
 * @returns its answer; fails when others were not served for the larger part of the time that it took
 */
export async function servedMeanwhile(
  service: Service,
  ...[as, method, path, body]: Parameters<Service['send']>
): Promise<Answer> {
  // Writing the body takes this process time as well.
  const raw = JSON.stringify(body);
  let isOver = false;
  let longest = 0;
  // The service runs in this process: what holds it up may hold up a pause between two probes.
  const probe = (async () => {
    for (let answered = performance.now(); !isOver; ) {
      expect((await service.send(null, 'GET', '/health/status')).status).toBe(200);
      longest = Math.max(longest, performance.now() - answered);
      answered = performance.now();
      await sleep(PAUSE_MS);
    }
  })();
  const begun = performance.now();
  try {
    return await service.send(as, method, path, undefined, { raw });
  } finally {
    const took = performance.now() - begun;
    isOver = true;
    await probe;
    if (process.env.SHOW_STALLS)
      process.stdout.write(`${method} ${path}: ${took | 0} ms, stall ${longest | 0} ms\n`);
    if (took > TELLING_MS) expect(longest / took, `health waited ${longest} of ${took} ms`).toBeLessThan(0.6);
  }
}
