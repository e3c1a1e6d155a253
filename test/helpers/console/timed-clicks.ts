import type { Locator } from 'playwright-core';
import { expect } from 'vitest';

/** Time limit of one task of an engineer, in milliseconds, and most clicks of it. */
const TASK_MS = 60_000;
const TASK_CLICKS = 6;

type Work = (click: (at: Locator) => Promise<void>) => Promise<void>;

/**
 * Measures tasks of engineers in the console.
 *
 * @returns the figures of the tasks so far, and a function that does one: it counts its clicks and its time, and neither may be above the limit
 */
export function timedClicks() {
  const figures: string[] = [];
  const timed = async (name: string, work: Work): Promise<void> => {
    let clicks = 0;
    const began = performance.now();
    await work(async (at) => {
      clicks++;
      await at.click();
    });
    const ms = performance.now() - began;
    figures.push(`${name}: ${(ms / 1000).toFixed(1)} s, ${clicks} clicks`);
    expect(ms, name).toBeLessThan(TASK_MS);
    expect(clicks, name).toBeLessThanOrEqual(TASK_CLICKS);
  };
  return { figures, timed };
}
