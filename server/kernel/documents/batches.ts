/** Most rows and characters per statement: more gain nothing, and cost memory on both sides. */
const ROWS = 250;
const CHARACTERS = 4_000_000;

/**
 * Splits items into batches that fit one statement; an item larger than a batch gets a batch of its own.
 *
 * @param items read while batches are taken
 * @param textOf returns the text of an item, or an object with its length in characters
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
