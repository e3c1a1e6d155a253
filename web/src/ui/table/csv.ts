import type { Column } from './data-table.tsx';

/** Beginnings of a cell that spreadsheets evaluate as a formula; the last four are those of East Asian keyboards. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** What needs quotes; some spreadsheets also separate cells at semicolons and tabs, and a formula could follow. */
const QUOTED = /[",;\t\r\n]/;

/** Returns a value as a field of CSV (RFC 4180), made harmless for spreadsheets. */
function fieldOf(value: string | number | null | undefined): string {
  const plain = value === null || value === undefined ? '' : String(value);
  const text = typeof value === 'string' && FORMULA.test(plain) ? `'${plain}` : plain;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns rows as CSV with the headers of the columns that have a text. */
export function csvOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const written = columns.filter(({ text }) => text !== undefined);
  const lines = [
    written.map(({ header }) => fieldOf(header)),
    ...rows.map((row) => written.map(({ text }) => fieldOf(text?.(row)))),
  ];
  return lines.map((line) => `${line.join(',')}\r\n`).join('');
}

/**
 * Returns the address of the CSV file of a list, which the server writes.
 *
 * @param path the path key of the procedure
 * @param input of the procedure, without a page
 * @returns undefined where no server's list has these rows or fields
 */
export function addressOfCsv<Row>(
  columns: readonly Column<Row>[],
  path: readonly unknown[],
  input: Readonly<Record<string, unknown>>,
): string | undefined {
  const [procedure] = path;
  const written = columns.flatMap(({ header, field }) => {
    if (field === undefined) return [];
    return field.includes(':') ? [field] : [`${field}:${header.replaceAll(',', ' ')}`];
  });
  if (!Array.isArray(procedure) || written.length === 0) return undefined;
  const query = new URLSearchParams({ input: JSON.stringify(input), columns: written.join(',') });
  return `/lists/${procedure.join('.')}/csv?${query}`;
}

/** Lets the browser save a text as a file. */
export const saveFile = (name: string, text: string, type = 'text/csv'): void =>
  saveBlob(name, new Blob([text], { type: `${type};charset=utf-8` }));

/** Lets the browser save a file that arrived in base64. */
export const saveBytes = (name: string, base64: string, type: string): void =>
  saveBlob(name, new Blob([Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))], { type }));

function saveBlob(name: string, blob: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
