/** What JSON text may hold at most; absent: any. `fields`: those of one object. */
export type JsonBounds = { values?: number; levels?: number; fields?: number };

const [QUOTE, BACKSLASH, COMMA, LIST, OBJECT, LIST_END, OBJECT_END] = [
  0x22, 0x5c, 0x2c, 0x5b, 0x7b, 0x5d, 0x7d,
];

/** How many values JSON text has, and which bound it exceeds; counting ends there. */
export type JsonMeasure = { values: number; excess: keyof JsonBounds | null };

/**
 * Measures JSON text without parsing it. Values are counted by the characters that begin one, a comma or an opening bracket: an
 * empty list therefore counts twice. Strings are skipped.
 *
 * @param text need not be valid JSON
 * @returns the number of values, and which bound they exceed first; null: none
 */
export function measureJson(
  text: string,
  { values = Infinity, levels = Infinity, fields = Infinity }: JsonBounds,
): JsonMeasure {
  let count = 1;
  let level = 0;
  /** Fields of the innermost open object, which a list has none of; below it those of the objects around it. */
  let own = -Infinity;
  const around: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) {
      at = endOfText(text, at);
      if (at < 0) break;
    } else if (sign === COMMA) {
      count += 1;
      own += 1;
      if (own > fields) return { values: count, excess: 'fields' };
    } else if (sign === LIST || sign === OBJECT) {
      count += 1;
      level += 1;
      around.push(own);
      own = sign === OBJECT ? 1 : -Infinity;
      if (level > levels) return { values: count, excess: 'levels' };
    } else if (sign === LIST_END || sign === OBJECT_END) {
      level -= 1;
      own = around.pop() ?? -Infinity;
    }
    if (count > values) return { values: count, excess: 'values' };
  }
  return { values: count, excess: null };
}

/** Returns the index of the quote that closes a string; -1 when it is not closed. */
function endOfText(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  for (; end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return -1;
}
