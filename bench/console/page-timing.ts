import type { CDPSession, Page } from 'playwright-core';
import { timeFrames, timeInPage, type Until } from './in-page.mjs';

/** Opens a path within the console and returns the milliseconds until all of it has been painted; no path: from now on. */
export const timeToPaint = (page: Page, untils: readonly Until[], path?: string): Promise<number> =>
  page.evaluate(timeInPage, { untils, ...(path !== undefined && { path }) });

/** Opens the console anew on a page without lists, so that nothing is in its memory. */
export async function openAnew(page: Page): Promise<void> {
  await page.goto('/console/no-such-page');
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
}

/** Parts of the work of the main thread that Chromium counts. */
const PARTS = {
  all: 'TaskDuration',
  script: 'ScriptDuration',
  layout: 'LayoutDuration',
  style: 'RecalcStyleDuration',
};

/** Work of the main thread for one frame, in milliseconds: processor time, so that a loaded machine changes it little. */
export type FrameWork = Record<keyof typeof PARTS, number>;

const FRAMES = 150;

/**
 * Scrolls an element.
 *
 * @returns the 50th and 95th percentile of the milliseconds between frames, and the work of the main thread for each
 */
export async function frameTimes(
  page: Page,
  css: string,
): Promise<{ p50: number; p95: number; work: FrameWork }> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const before = await countersOf(session);
  const times = await page.evaluate(timeFrames, { css, frames: FRAMES });
  const after = await countersOf(session);
  await session.detach();
  const work = Object.fromEntries(
    Object.entries(PARTS).map(([name, metric]) => [
      name,
      (((after.get(metric) ?? 0) - (before.get(metric) ?? 0)) * 1000) / FRAMES,
    ]),
  ) as FrameWork;
  return { p50: percentile(times, 0.5), p95: percentile(times, 0.95), work };
}

const countersOf = async (session: CDPSession) =>
  new Map((await session.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value]));

/** The value below which this share of the values lies. */
export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

/** The arguments of a part of the benchmark: a signed-in page, and what prints a duration beside its budget. */
export type Part = { page: Page; budget: (label: string, ms: number, most: number) => void };
