/** A cell that a spreadsheet would run as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * Rows as comma-separated values (RFC 4180): every cell quoted, lines ended by CRLF. A cell that a spreadsheet would
 * take for a formula begins with an apostrophe: names are written by callers, and exports are opened by admins.
 */
export const csvOf = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('');

const quoted = (cell: string) => `"${(FORMULA.test(cell) ? `'${cell}` : cell).replaceAll('"', '""')}"`;
