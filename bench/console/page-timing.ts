import type { Page } from 'playwright-core';
import { timeFrames, timeInPage, type Until } from './in-page.mjs';

/** Opens a path within the console and returns the milliseconds until all of it has been painted; no path: from now on. */
export const timeToPaint = (page: Page, untils: readonly Until[], path?: string): Promise<number> =>
  page.evaluate(timeInPage, { untils, ...(path !== undefined && { path }) });

/** Opens the console anew on a page without lists, so that nothing is in its memory. */
export async function openAnew(page: Page): Promise<void> {
  await page.goto('/console/no-such-page');
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
}

/** Scrolls an element and returns the 50th and 95th percentile of the milliseconds between frames. */
export async function frameTimes(page: Page, css: string): Promise<{ p50: number; p95: number }> {
  const times = await page.evaluate(timeFrames, { css, frames: 150 });
  return { p50: percentile(times, 0.5), p95: percentile(times, 0.95) };
}

/** The value below which this share of the values lies. */
export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

/** The arguments of a part of the benchmark: a signed-in page, and what prints a duration beside its budget. */
export type Part = { page: Page; budget: (label: string, ms: number, most: number) => void };
