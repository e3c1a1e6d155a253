import { isObject } from './objects.ts';

/**
 * JSON with the members of every object in one order, so that equal values are equal texts: the database gives members
 * back in an order of its own.
 */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isObject(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
