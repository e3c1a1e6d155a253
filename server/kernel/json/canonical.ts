import { isObject } from './objects.ts';

/**
 * Returns JSON with sorted field names, so that equal values are equal texts: the database returns fields in its own order.
 */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) =>
    isObject(field) ? Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1))) : field,
  );
}
