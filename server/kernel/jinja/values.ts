/*
 * Values of a template: JSON values, plus missing values, macros and namespaces. Only the own properties of objects are
 * ever read.
 */

const MISSING = Symbol('missing');
const MACRO = Symbol('macro');
const NAMESPACE = Symbol('namespace');

/** The placeholder for a variable that is not defined; it has the name of the variable. */
export type MissingValue = { readonly [MISSING]: string };
/** What a template may call: a macro, or a function that the language gives it; the fields are its attributes. */
export type Macro = {
  readonly [MACRO]: string;
  run: (listed: unknown[], named: Map<string, unknown>) => unknown;
  fields: Dict;
};
/** The result of `namespace()`: fields that the body of a loop may set. */
export type Namespace = { readonly [NAMESPACE]: Map<string, unknown> };

/** An object of which only own properties are read. */
export type Dict = Record<string, unknown>;

/** Returns the value of a variable that is not defined. @param name for the error of an operation that needs it */
export const missing = (name: string): MissingValue => ({ [MISSING]: name });
/**
 * Returns a value that a template may call.
 *
 * @param name as messages call it
 * @param fields its attributes
 */
export const macro = (name: string, run: Macro['run'], fields: Dict = NO_FIELDS): Macro => ({
  [MACRO]: name,
  run,
  fields,
});
const NO_FIELDS: Dict = Object.create(null);
/**
 * Returns a namespace as a value of a template: the only one whose attributes `set` changes.
 *
 * @param fields its attributes by name
 */
export const namespace = (fields: Map<string, unknown>): Namespace => ({ [NAMESPACE]: fields });

/** Returns whether a value is the placeholder of an undefined variable. */
export const isMissing = (value: unknown): value is MissingValue =>
  typeof value === 'object' && value !== null && MISSING in value;
/** Returns whether a template may call a value. */
export const isMacro = (value: unknown): value is Macro =>
  typeof value === 'object' && value !== null && MACRO in value;
/** Returns whether a value was made by `namespace()`. */
export const isNamespace = (value: unknown): value is Namespace =>
  typeof value === 'object' && value !== null && NAMESPACE in value;
/** Returns whether a value is a list. */
export const isList = (value: unknown): value is unknown[] => Array.isArray(value);
/** Returns whether a value has named attributes that a template may read. */
export const isDict = (value: unknown): value is Dict =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(MISSING in value) &&
  !(MACRO in value) &&
  !(NAMESPACE in value);

/** Returns the name of a missing value. */
export const nameOf = (value: MissingValue): string => value[MISSING];
/** Returns the fields of a namespace. */
export const namespaceFields = (value: Namespace): Map<string, unknown> => value[NAMESPACE];

/** Returns the type of a value, as messages call it. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  if (isMissing(value)) return 'nothing';
  if (isMacro(value)) return 'a macro';
  if (isNamespace(value)) return 'a namespace';
  if (isList(value)) return 'a list';
  if (typeof value === 'object') return 'a dict';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'a number';
  return typeof value === 'boolean' ? 'a truth value' : typeof value;
}

/**
 * Returns a new dict without a prototype.
 *
 * @param entries keys with their values; a later one replaces an earlier one
 */
export function dictOf(entries: Iterable<readonly [string, unknown]>): Dict {
  const dict: Dict = Object.create(null);
  for (const [key, value] of entries) dict[key] = value;
  return dict;
}

/**
 * Returns a copy of a value, with copies of all lists and dicts in it.
 *
 * @param value any value of a template
 * @param toll charges for each value, and throws where they are too many or too deep
 * @param depth of the value inside the one that is copied
 */
export function copyOf(value: unknown, toll: CostCounter, depth = 0): unknown {
  toll(depth);
  if (isList(value)) return value.map((one) => copyOf(one, toll, depth + 1));
  if (!isDict(value)) return value;
  return dictOf(Object.keys(value).map((key) => [key, copyOf(value[key], toll, depth + 1)]));
}

/**
 * Returns an own attribute of a dict, a namespace, a list or a string; undefined when it has none.
 *
 * @param value any value of a template
 * @param key name of the attribute
 */
export function memberOf(value: unknown, key: unknown): unknown {
  if (isNamespace(value)) return namespaceFields(value).get(String(key));
  if (isMacro(value)) return typeof key === 'string' ? value.fields[key] : undefined;
  if (isGroup(value) && (key === 'grouper' || key === 'list')) return value[key === 'grouper' ? 0 : 1];
  if (isList(value) || typeof value === 'string') {
    if (key === 'length') return value.length;
    const at = typeof key === 'number' ? key : Number.NaN;
    return Number.isInteger(at) ? value.at(at) : undefined;
  }
  if (!isDict(value)) return undefined;
  const name = typeof key === 'number' || typeof key === 'boolean' ? String(key) : key;
  return typeof name === 'string' && Object.hasOwn(value, name) ? value[name] : undefined;
}

const TUPLE = Symbol('tuple');
const GROUP = Symbol('group');

/**
 * Returns a list that prints in parentheses: as literals in parentheses do, and the entries of a dict.
 *
 * @param items of the list, in their order
 */
export const tuple = (items: readonly unknown[]): unknown[] => Object.assign([...items], { [TUPLE]: true });
/** Returns whether a value is a list that prints in parentheses. */
export const isTuple = (value: unknown): value is unknown[] => isList(value) && TUPLE in value;

/** Returns an item of `groupby`: a pair whose parts are attributes as well: `grouper` and `list`. */
export const group = (grouper: unknown, list: unknown[]): unknown[] =>
  Object.assign([grouper, list], { [TUPLE]: true, [GROUP]: true });

const isGroup = (value: unknown): value is unknown[] => isList(value) && GROUP in value;

/** Returns the truth value: empty, zero and missing values are false, as in Python. */
export function isTrue(value: unknown): boolean {
  if (isMissing(value)) return false;
  if (isList(value)) return value.length > 0;
  if (isDict(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** Charges for visiting a value at this depth, and for the characters of it that are read; throws when the traversal exceeds its limits. */
export type CostCounter = (depth: number, characters?: number) => void;

/**
 * Returns a value as JSON, as `tojson` and a printed list or dict show it.
 *
 * @param value any value of a template
 * @param indent spaces per level; absent: on one line
 */
export function toJson(value: unknown, toll: CostCounter, indent?: number): string {
  const plain = (one: unknown, depth: number): unknown => {
    toll(depth);
    if (isList(one)) return one.map((item) => plain(item, depth + 1));
    if (isNamespace(one)) return plain(dictOf(namespaceFields(one)), depth + 1);
    if (!isDict(one)) return isMissing(one) || isMacro(one) ? null : one;
    return dictOf(Object.keys(one).map((key) => [key, plain(one[key], depth + 1)]));
  };
  return JSON.stringify(plain(value, 0), null, indent) ?? 'null';
}

/**
 * Returns whether two values are deeply equal.
 *
 * @param left any value of a template
 * @param right any value of a template
 * @param depth of the values inside those that are compared
 */
export function isSame(left: unknown, right: unknown, toll: CostCounter, depth = 0): boolean {
  toll(depth, charactersCompared(left, right));
  if (left === right) return true;
  const same = (one: unknown, other: unknown) => isSame(one, other, toll, depth + 1);
  if (isList(left)) {
    return isList(right) && left.length === right.length && left.every((one, at) => same(one, right[at]));
  }
  if (isMissing(left)) return isMissing(right);
  if (!isDict(left) || !isDict(right)) return (left ?? null) === (right ?? null);
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && same(left[name], right[name]))
  );
}

/**
 * Compares two values of one type; null when they have no order. Numbers and booleans compare as numbers, lists by the
 * first item that differs.
 *
 * @param left any value of a template
 * @param right any value of a template
 * @param depth of the values inside those that are compared
 * @returns a negative number, 0 or a positive number; null without an order
 */
export function order(left: unknown, right: unknown, toll: CostCounter, depth = 0): number | null {
  toll(depth, charactersCompared(left, right));
  if (isMissing(left) && isMissing(right)) return 0;
  if (isList(left) && isList(right)) return orderOfLists(left, right, toll, depth);
  const [a, b] = [comparable(left), comparable(right)];
  if (a === null || b === null || typeof a !== typeof b) return null;
  return a < b ? -1 : Number(a > b);
}

/** Returns the number of characters that a comparison of two texts reads at most; 0 for other values. */
const charactersCompared = (left: unknown, right: unknown): number =>
  typeof left === 'string' && typeof right === 'string' ? Math.min(left.length, right.length) : 0;

function orderOfLists(
  left: readonly unknown[],
  right: readonly unknown[],
  toll: CostCounter,
  depth: number,
): number | null {
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const isEqual = isSame(left[at], right[at], toll, depth + 1);
    const found = isEqual ? 0 : order(left[at], right[at], toll, depth + 1);
    if (found !== 0) return found;
  }
  return left.length - right.length;
}

function comparable(value: unknown): string | number | null {
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}
