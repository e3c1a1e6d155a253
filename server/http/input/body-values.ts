import { ServiceError } from '#server/kernel/errors.ts';

/** Values that the JSON of any body may hold: lists, objects, and what is in them. */
const MOST_VALUES = 1_000_000;
/** A longer body, an import, may hold more: one for so many characters. */
const CHARACTERS_A_VALUE = 16;

/**
 * Refuses JSON text of more values than a request may bring, before it is parsed: millions of empty objects in a body that
 * is not too long would hold up everybody while they are made and looked through.
 *
 * @param text whether it is JSON does not matter
 * @throws ServiceError PAYLOAD_TOO_LARGE naming the limit
 */
export function assertFewValues(text: string): void {
  const most = Math.max(MOST_VALUES, Math.floor(text.length / CHARACTERS_A_VALUE));
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
