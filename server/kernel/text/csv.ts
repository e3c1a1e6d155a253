/** A value of a table. */
export type Cell = string | number | boolean | null;

/** Beginnings of a cell that spreadsheets evaluate as a formula; the last four are those of East Asian keyboards. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** Text that needs quotes; some spreadsheets also separate cells at semicolons and tabs, and a formula could follow. */
const QUOTED = /[",;\t\r\n]/;

/** Returns a text as a cell that no spreadsheet evaluates: one that would be a formula begins with an apostrophe. */
export const escapeFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

function cellOf(value: Cell): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const text = escapeFormula(value);
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Returns a table as CSV (RFC 4180). A text that a spreadsheet would evaluate as a formula begins with an apostrophe.
 *
 * @param head names of the columns; null for lines that follow others
 * @param lines cells of each row
 */
export const csvOf = (head: readonly string[] | null, lines: Iterable<readonly Cell[]>): string =>
  [...(head ? [head] : []), ...lines].map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');

/**
 * Returns the header that makes browsers save an answer as a file.
 *
 * @param name of the file, of letters, digits, dots and hyphens
 */
export const attachment = (name: string): Record<string, string> => ({
  'Content-Disposition': `attachment; filename="${name}"`,
});
