import { isObject } from '../json/objects.ts';

/**
 * Returns an object with a merge patch applied (RFC 7396): objects are merged key by key, null removes a key, and every other
 * value, lists too, replaces what was there.
 *
 * @param before any value; one that is no object counts as an empty one
 * @param patch what to change, with null for each key that goes
 * @returns a new object; neither argument is changed
 */
export function mergePatch(before: unknown, patch: Record<string, unknown>): Record<string, unknown> {
  const result = new Map(Object.entries(isObject(before) ? before : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, isObject(value) ? mergePatch(result.get(key), value) : value);
  }
  return Object.fromEntries(result);
}
