/** What one statement carries at most: more rows or characters gain nothing, and cost memory on both sides. */
const ROWS = 250;
const CHARACTERS = 4_000_000;

/**
 * Cut texts into batches that a statement can carry; a text that is larger than a batch travels alone.
 *
 * @param textOf what of an item travels, or its length in characters
 */
export function* batches<Item>(
  items: Iterable<Item>,
  textOf: (item: Item) => { length: number },
  { rows = ROWS, characters = CHARACTERS }: { rows?: number; characters?: number } = {},
): Generator<Item[]> {
  let batch: Item[] = [];
  let size = 0;
  for (const item of items) {
    const { length } = textOf(item);
    if (batch.length > 0 && (batch.length >= rows || size + length > characters)) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(item);
    size += length;
  }
  if (batch.length > 0) yield batch;
}
