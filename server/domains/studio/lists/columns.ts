import { invalid, invalidRequest } from '#server/kernel/errors.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import type { ListReader } from '#server/kernel/platform.ts';
import type { Cell } from '#server/kernel/text/csv.ts';

/** A column of a file: its head, and the path of its field in a row. */
export type Column = { head: string; path: readonly string[] };

/** Maximum number of columns of a file, and of parts of a field's path. */
const MOST_COLUMNS = 100;
const MOST_PARTS = 8;

/**
 * Returns the columns of a file.
 *
 * @param wanted fields separated by commas, with dots for nested ones, and with a head of their own after a colon if wanted:
 *   `name:Name,metrics.start_time`. In a list, a number, `length` or `specId=a1` chooses; undefined: every field that fills one cell
 * @throws ServiceError BAD_REQUEST for fields that rows of the list do not have
 */
export function columnsOf({ columns, fields }: ListReader, wanted: string | undefined): Column[] {
  if (wanted === undefined) return columns.map((field) => ({ head: field, path: field.split('.') }));
  const parts = wanted.split(',').filter((part) => part.trim() !== '');
  if (parts.length === 0 || parts.length > MOST_COLUMNS) {
    throw invalid(['columns'], `must name 1 to ${MOST_COLUMNS} columns (got ${parts.length})`);
  }
  const found = parts.map((part) => {
    const colon = part.indexOf(':');
    const field = (colon < 0 ? part : part.slice(0, colon)).trim();
    return { head: colon < 0 ? field : part.slice(colon + 1).trim(), path: field.split('.') };
  });
  const unknown = found.filter(({ path }) => !fields.includes(path[0] ?? '') || path.length > MOST_PARTS);
  if (unknown.length === 0) return found;
  throw invalidRequest(
    unknown.map(({ path }) => ({
      path: ['columns'],
      message: `${JSON.stringify(path.join('.').slice(0, 100))} is no field of this list; there are ${fields.join(', ')}`,
      code: 'unknown_field',
    })),
  );
}

/** Returns the cell of a row in a column: lists of values as one text with semicolons, other structures as JSON. */
export function cellOf(row: unknown, { path }: Column): Cell {
  const value = valueAt(row, path, 0);
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value) && !value.some((one) => typeof one === 'object')) return value.join('; ');
  return JSON.stringify(value);
}

function valueAt(value: unknown, path: readonly string[], from: number): unknown {
  const part = path[from];
  if (part === undefined) return value;
  if (Array.isArray(value)) {
    if (part === 'length') return value.length;
    const [, key = '', wanted] = /^(\w+)=(.+)$/.exec(part) ?? [];
    if (wanted !== undefined) {
      const found = value.find((one) => isObject(one) && Object.hasOwn(one, key) && one[key] === wanted);
      return valueAt(found, path, from + 1);
    }
    if (/^\d{1,9}$/.test(part)) return valueAt(value[Number(part)], path, from + 1);
    return value.map((one) => valueAt(one, path, from)).filter((one) => one !== undefined && one !== null);
  }
  return isObject(value) && Object.hasOwn(value, part) ? valueAt(value[part], path, from + 1) : undefined;
}
