import { ServiceError } from '#server/kernel/errors.ts';

/** Values that the JSON of a body may hold (lists, objects, and what is in them): reading them takes a quarter of a second. */
export const MOST_VALUES = 400_000;
/** The same of an import: a longer one may hold one for so many characters. */
const MOST_IMPORTED = 1_000_000;
const CHARACTERS_A_VALUE = 16;

/** Returns how many values the text of an import may hold. */
export const importedValues = (text: string): number =>
  Math.max(MOST_IMPORTED, Math.floor(text.length / CHARACTERS_A_VALUE));

/**
 * Refuses JSON text of more values than a request may bring, before it is parsed: millions of empty objects in a body that
 * is not too long would hold up everybody while they are made and looked through.
 *
 * @param text whether it is JSON does not matter
 * @param most values that it may hold
 * @throws ServiceError PAYLOAD_TOO_LARGE naming the limit
 */
export function assertFewValues(text: string, most: number): void {
  // A value takes two characters at least: it and what parts it from the next one.
  if (text.length / 2 <= most || !hasMoreValues(text, most)) return;
  const limit = most.toLocaleString('en-US');
  throw new ServiceError(
    'PAYLOAD_TOO_LARGE',
    `The body holds more than the limit of ${limit} values (every list, object, member and element counts); send it in parts`,
  );
}

const [QUOTE, BACKSLASH, COMMA, LIST, OBJECT] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];

/** Counts what begins a value: a comma before it, or a bracket that opens. An empty list counts twice so. Texts are passed over. */
function hasMoreValues(text: string, most: number): boolean {
  let count = 1;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) {
      at = endOfText(text, at);
      if (at < 0) return false;
    } else if (sign === COMMA || sign === LIST || sign === OBJECT) {
      count += 1;
      if (count > most) return true;
    }
  }
  return false;
}

/** The place of the quote that ends a text; -1 when none does. */
function endOfText(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  for (; end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return -1;
}
