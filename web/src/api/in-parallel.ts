/**
 * Does work for every item, a few at a time, in order of the items.
 *
 * @param limit how many are under way at once
 * @param work must not throw: what it finds, it reports itself
 * @param signal aborted: no further item is begun
 */
export async function inParallel<Item>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < items.length && !signal.aborted) {
      const item = items[next++] as Item;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}
