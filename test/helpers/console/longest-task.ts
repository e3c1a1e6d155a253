import type { Page } from 'playwright-core';

/** What a browser notes of its work; times are microseconds. */
type Noted = { name: string; pid: number; tid: number; args: { name?: string }; tdur?: number };

/**
 * Does something with a page and returns the CPU time of the longest task of any page meanwhile, in milliseconds. What the
 * browser reports as a long task is time on the clock, most of which belongs to others on a busy machine.
 */
export async function longestTaskOf(page: Page, work: () => Promise<void>): Promise<number> {
  const browser = page.context().browser();
  if (!browser) throw new Error('the page has no browser');
  await browser.startTracing(page, { categories: ['toplevel'] });
  await work();
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as { traceEvents: Noted[] };
  const threadOf = ({ pid, tid }: Noted) => `${pid} ${tid}`;
  const pages = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(threadOf),
  );
  const tasks = traceEvents.filter((one) => one.tdur !== undefined && pages.has(threadOf(one)));
  if (tasks.length === 0) throw new Error('the browser noted no task');
  return Math.round(Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000);
}
