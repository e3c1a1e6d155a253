import { assertLength, type RunState, spendFields, spendList } from '../run.ts';
import { assertKey, define, fieldOf, isAbsent, isDict, isList } from './values.ts';

/**
 * Returns the value at a path; undefined when something on the path is absent (contract/engines#transformation-pointers).
 */
export function read(value: unknown, tokens: readonly string[]): unknown {
  let found = value;
  for (const token of tokens) {
    if (isAbsent(found)) return undefined;
    found = fieldOf(found, assertKey(token));
  }
  return found;
}

/** Returns the value with one path changed. Absent objects on the path are created; the input is not modified. */
export function written(run: RunState, value: unknown, tokens: readonly string[], fresh: unknown): unknown {
  const [token, ...rest] = tokens;
  if (token === undefined) return fresh;
  if (!isAbsent(value) && !isList(value) && !isDict(value)) return value;
  const base = isAbsent(value) ? {} : value;
  const key = token === '-' && isList(base) ? String(base.length) : token;
  return withField(run, base, key, written(run, fieldOf(base, key), rest, fresh));
}

/** Returns a copy of a list or object with one property set. @throws StepFailed for a forbidden key or too long a list */
export function withField(run: RunState, value: object, key: string, field: unknown): object {
  assertKey(key, 1);
  if (!isList(value)) {
    const copy = copied(run, value);
    define(copy, key, field);
    return copy;
  }
  if (key === 'length') {
    const length = Number(field);
    assertLength(run, length);
    const copy = value.slice();
    copy.length = length;
    return copy;
  }
  const at = indexOf(key);
  spendList(run, Math.max(value.length, at === null ? 0 : at + 1));
  const copy = value.slice();
  if (at === null) define(copy, key, field);
  else copy[at] = field;
  return copy;
}

/** Returns a copy of an object without one property. */
export function withoutField(run: RunState, value: object, key: string): object {
  if (isList(value)) {
    spendList(run, value.length);
    const copy = value.slice();
    const at = indexOf(key);
    if (at !== null) delete copy[at];
    return copy;
  }
  const copy = copied(run, value);
  Reflect.deleteProperty(copy, key);
  return copy;
}

function copied(run: RunState, value: object): object {
  spendFields(run, Object.keys(value).length + 1);
  // Spreading defines properties, also one called `__proto__`, and calls no getter: values are data.
  return { ...value };
}

/** Returns the list index that a key denotes; null when it is a name. */
const indexOf = (key: string): number | null =>
  /^(?:0|[1-9]\d{0,9})$/.test(key) && Number(key) < 2 ** 32 - 1 ? Number(key) : null;
