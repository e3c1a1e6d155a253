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
  const compare = (theirs: unknown, yours: unknown, path: string) => {
    if (found.length >= MOST || theirs === yours) return;
    fields += sizeOf(theirs) + sizeOf(yours);
    if (fields > MOST_FIELDS || !isSameKind(theirs, yours)) return note(path, 'changed');
    compareFields(fieldsOf(theirs), fieldsOf(yours), path);
  };
  const compareFields = (left: Fields, right: Fields, path: string) => {
    for (const name of new Set([...right.keys(), ...left.keys()])) {
      if (found.length >= MOST) return;
      if (path === '' && ignored.has(name)) continue;
      const at = pointerTo(path, name);
      if (!right.has(name)) note(at, 'only theirs');
      else if (left.has(name)) compare(left.get(name), right.get(name), at);
      else if (right.get(name) !== undefined) note(at, 'only yours');
    }
  };
  compare(theirs, yours, '');
  return found;
}

type Fields = ReadonlyMap<string, unknown>;

/** Returns whether both are objects, or both lists. */
const isSameKind = (theirs: unknown, yours: unknown): boolean =>
  isComposite(theirs) && isComposite(yours) && Array.isArray(theirs) === Array.isArray(yours);

const isComposite = (value: unknown): value is object => typeof value === 'object' && value !== null;

const sizeOf = (value: unknown): number =>
  Array.isArray(value) ? value.length : isComposite(value) ? Object.keys(value).length : 0;

const fieldsOf = (value: unknown): Fields => new Map(isComposite(value) ? Object.entries(value) : []);
