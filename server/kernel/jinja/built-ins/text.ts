/* Functions for texts that filters and methods share, with Python's results. */

/** Returns a text whose first letter is a capital one, and whose others are not. */
export const capitalised = (text: string): string =>
  text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase();

/** Returns a text with a capital letter after everything that is no letter, as the method `title` does. */
export const titled = (text: string): string => text.replace(/\p{L}+/gu, (word) => capitalised(word));

/** Returns whether a text has letters, and all of them are in one case. */
export const isInCase = (text: string, which: 'upper' | 'lower'): boolean => {
  const [upper, lower] = [text.toUpperCase(), text.toLowerCase()];
  return upper !== lower && text === (which === 'upper' ? upper : lower);
};

/**
 * Removes characters from the ends of a text.
 *
 * @param text whose ends are looked at
 * @param chars those to remove; null: blanks
 * @returns the text without them
 */
export function trimmed(text: string, chars: string | null, ends: 'both' | 'start' | 'end'): string {
  const goes = (one: string) => (chars === null ? /\s/.test(one) : chars.includes(one));
  let from = 0;
  let to = text.length;
  if (ends !== 'end') while (from < to && goes(text.charAt(from))) from++;
  if (ends !== 'start') while (to > from && goes(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}

/**
 * Divides the gap around a centred text, as Python does: an odd one is larger before the text where the width is odd.
 *
 * @param gap characters that are missing to the width
 * @param width of the text with the gap, in characters
 * @returns the characters before and behind the text
 */
export function centred(gap: number, width: number): [before: number, behind: number] {
  const before = Math.floor(gap / 2) + (gap % 2 === 1 && width % 2 === 1 ? 1 : 0);
  return [before, gap - before];
}

/**
 * Splits a text into its lines.
 *
 * @param text with line ends of any system
 * @param keepsEnds whether each line keeps its line end
 * @returns the lines; what follows the last line end is one only when it is not empty
 */
export function linesOf(text: string, keepsEnds = false): string[] {
  const lines = text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
  return keepsEnds ? [...lines] : lines.map((line) => line.slice(0, line.length - endOf(line)));
}

/** Returns the length of the line end of a line: 0, 1 or 2. */
const endOf = (line: string): number =>
  line.endsWith('\r\n') ? 2 : Number(line.endsWith('\n') || line.endsWith('\r'));
