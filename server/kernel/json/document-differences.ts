import { pointerTo } from './pointer.ts';

/** A position where two versions of a document differ, and how. */
export type Difference = { path: string; difference: 'changed' | 'only yours' | 'only theirs' };

/** Most differences reported: to merge more, a caller needs the documents themselves. */
const MOST = 50;
/** Most fields compared, of both versions: a fraction of a second. */
const MOST_FIELDS = 200_000;

/**
 * Returns where `yours` differs from `theirs`, as JSON pointers (RFC 6901), descending while both are objects or both
 * are lists. Values are omitted because they may be secrets. Larger documents are compared in part: an object or list
 * beyond the limit is reported as one difference.
 *
 * @param ignored top-level fields that a write sets by itself: stamps
 */
export function differencesOf(
  theirs: Readonly<Record<string, unknown>>,
  yours: Readonly<Record<string, unknown>>,
  ignored: ReadonlySet<string>,
): Difference[] {
  const found: Difference[] = [];
  const note = (path: string, difference: Difference['difference']) => {
    if (found.length < MOST) found.push({ path, difference });
  };
  let fields = 0;
  const walk = (theirs: unknown, yours: unknown, path: string) => {
    if (found.length >= MOST || theirs === yours) return;
    fields += sizeOf(theirs) + sizeOf(yours);
    if (fields > MOST_FIELDS) return note(path, 'changed');
    const left = fieldsOf(theirs);
    const right = fieldsOf(yours);
    if (!left || !right || Array.isArray(theirs) !== Array.isArray(yours)) return note(path, 'changed');
    for (const [name, value] of right) {
      if (found.length >= MOST) return;
      if (path === '' && ignored.has(name)) continue;
      if (left.has(name)) walk(left.get(name), value, pointerTo(path, name));
      else if (value !== undefined) note(pointerTo(path, name), 'only yours');
    }
    for (const name of left.keys()) {
      if (found.length >= MOST) return;
      if (right.has(name) || (path === '' && ignored.has(name))) continue;
      note(pointerTo(path, name), 'only theirs');
    }
  };
  walk(theirs, yours, '');
  return found;
}

const sizeOf = (value: unknown): number =>
  Array.isArray(value)
    ? value.length
    : typeof value === 'object' && value !== null
      ? Object.keys(value).length
      : 0;

const fieldsOf = (value: unknown): Map<string, unknown> | undefined =>
  typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined;
