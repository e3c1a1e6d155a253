/** Matches characters that JSON must escape, which makes a text longer. */
const ESCAPED = /["\\]|[^ -\uffff]/;
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

const textLength = (text: string): number =>
  ESCAPED.test(text) ? JSON.stringify(text).length : text.length + 2;

function numberLength(value: number): number {
  const size = Math.abs(value);
  return size === 0 || (size >= 1e-6 && size < 1e21) ? String(value).length : WRITTEN_OUT;
}
