import { setImmediate as othersFirst } from 'node:timers/promises';

/** Time on the event loop after which other requests are served, in milliseconds. */
const TURN_MS = 20;

/**
 * Maps items sequentially, and lets other requests be served in between.
 *
 * @param each returns the result of an item at a position, from 0
 * @returns the results in their order
 */
export async function mapYielding<Item, Result>(
  items: readonly Item[],
  each: (item: Item, at: number) => Result | Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let began = performance.now();
  for (const [at, item] of items.entries()) {
    results.push(await each(item, at));
    if (performance.now() - began < TURN_MS) continue;
    await othersFirst();
    began = performance.now();
  }
  return results;
}
