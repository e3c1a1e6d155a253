/** Characters that an element of a list or a member of an object counts for, beside its name. */
const EACH = 8;

/**
 * Characters that a value has about as JSON, counted as far as `most`: parts that stand in several places count in each, as
 * they are written in each.
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
