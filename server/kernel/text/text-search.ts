/*
 * Searches for one text in another in a time that grows with their lengths. Those of JavaScript (`includes`, `indexOf`, `split`,
 * `replaceAll`) multiply the two in the worst case, and nothing interrupts them: several seconds for 300,000 characters.
 */

/** Maximum length of a part that is left to JavaScript, which is faster with usual texts. */
const SHORT = 64;

/**
 * Returns the index of the first occurrence of a part, as `indexOf` does; -1 when there is none.
 *
 * @param text that is searched
 * @param part that is looked for
 * @param from index at which the search begins
 */
export function indexOfText(text: string, part: string, from = 0): number {
  if (part.length <= SHORT) return text.indexOf(part, from);
  for (const at of placesOf(text, part, from)) return at;
  return -1;
}

/**
 * Returns the index of the last occurrence of a part, as `lastIndexOf` does; -1 when there is none.
 *
 * @param text that is searched
 * @param part that is looked for
 * @param last highest index that counts
 */
export function lastIndexOfText(text: string, part: string, last = text.length): number {
  if (part.length <= SHORT) return text.lastIndexOf(part, last);
  let found = -1;
  for (const at of placesOf(text, part)) {
    if (at > Math.max(0, last)) break;
    found = at;
  }
  return found;
}

/**
 * Returns whether a text contains a part, as `includes` does.
 *
 * @param text that is searched
 * @param part that is looked for
 * @param from index at which the search begins
 */
export const containsText = (text: string, part: string, from = 0): boolean =>
  indexOfText(text, part, from) !== -1;

/**
 * Splits a text, as `split` does.
 *
 * @param text that is split
 * @param separator between the pieces
 * @param most pieces to return; those behind them are left out
 * @returns the pieces, in their order
 */
export function splitText(text: string, separator: string, most = 2 ** 32 - 1): string[] {
  if (separator.length <= SHORT) return text.split(separator, most);
  const pieces: string[] = [];
  let from = 0;
  for (const at of placesOf(text, separator)) {
    if (pieces.length >= most) break;
    if (at < from) continue;
    pieces.push(text.slice(from, at));
    from = at + separator.length;
  }
  if (pieces.length < most) pieces.push(text.slice(from));
  return pieces;
}

/** Yields each index at which a part begins, also where two occurrences overlap (Knuth, Morris, Pratt). */
function* placesOf(text: string, part: string, from = 0): Generator<number> {
  const shorter = shorterMatches(part);
  let matched = 0;
  for (let at = Math.max(0, from); at < text.length; at++) {
    matched = matchedWith(part, shorter, matched, text.charCodeAt(at));
    if (matched < part.length) continue;
    yield at - matched + 1;
    matched = shorter[matched - 1] ?? 0;
  }
}

/** Returns, for each matched beginning of a part, the length of the longest shorter one that ends at the same place. */
function shorterMatches(part: string): Int32Array {
  const shorter = new Int32Array(part.length);
  for (let at = 1, matched = 0; at < part.length; at++) {
    matched = matchedWith(part, shorter, matched, part.charCodeAt(at));
    shorter[at] = matched;
  }
  return shorter;
}

/** Returns how much of a part is matched once the next character is read. */
function matchedWith(part: string, shorter: Int32Array, matched: number, code: number): number {
  let length = matched;
  while (length > 0 && part.charCodeAt(length) !== code) length = shorter[length - 1] ?? 0;
  return part.charCodeAt(length) === code ? length + 1 : length;
}
