/** Most digits of a number that PostgreSQL writes without an exponent. */
const WRITTEN_OUT = 330;

/**
 * Returns an upper bound of the characters of a value as JSON: parts that occur in several places count in each.
 *
 * @param value as JSON.parse returns it
 * @param most counting ends soon after this many; the result is then larger than `most`
 */
export function jsonLength(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length > most ? value.length + 2 : textLength(value);
  if (typeof value === 'number') return numberLength(value);
  if (typeof value !== 'object' || value === null) return 5;
  const isList = Array.isArray(value);
  let length = 2;
  for (const name in value) {
    length += isList ? 1 : 2 + textLength(name);
    length += jsonLength((value as Record<string, unknown>)[name], most - length);
    if (length > most) break;
  }
  return length;
}

/** An expression that finds what must be escaped takes as long, and four times as long in an old process (decision 0160). */
const textLength = (text: string): number => JSON.stringify(text).length;

function numberLength(value: number): number {
  const size = Math.abs(value);
  return size === 0 || (size >= 1e-6 && size < 1e21) ? String(value).length : WRITTEN_OUT;
}
