/** Characters that each list element or object field counts for, besides its name. */
const EACH = 8;

/**
 * Returns the approximate number of characters of a value as JSON, counted up to `most`: parts that occur in several
 * places count in each.
 *
 * @param value as JSON.parse returns it
 */
export function sizeOf(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  const isList = Array.isArray(value);
  let size = 0;
  for (const name in value) {
    size += EACH + (isList ? 0 : name.length);
    size += sizeOf((value as Record<string, unknown>)[name], most - size);
    if (size > most) break;
  }
  return size;
}
