import { escapeFormula } from '#server/kernel/text/csv.ts';

/**
 * Returns rows as comma-separated values (RFC 4180): every cell is quoted, lines end with CRLF. A cell that a spreadsheet
 * would run as a formula is prefixed with an apostrophe: callers write names, and admins open exports.
 */
export const csvOf = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('');

const quoted = (cell: string) => `"${escapeFormula(cell).replaceAll('"', '""')}"`;
