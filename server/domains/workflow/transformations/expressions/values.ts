import { assertNesting, assertText, type RunState, spend, spendText } from '../run.ts';
import { StepFailed } from './step-failed.ts';

/*
 * Values between steps: JSON values, undefined, dates, sets and regular expressions. None is ever changed, and only the
 * own properties of objects are read.
 */

const EXPRESSION = Symbol('expression');

/** A regular expression made by `new RegExp`; it is compiled at each use, so that it keeps no state. */
export type RegularExpression = {
  readonly [EXPRESSION]: true;
  readonly source: string;
  readonly flags: string;
};

/** An object of which only own properties are read. */
export type Dict = Record<string, unknown>;

/** Returns a regular expression as a value of transformations. */
export const expression = (source: string, flags: string): RegularExpression => ({
  [EXPRESSION]: true,
  source,
  flags,
});

/** Returns whether a value is a regular expression. */
export const isExpression = (value: unknown): value is RegularExpression =>
  typeof value === 'object' && value !== null && EXPRESSION in value;
/** Returns whether a value is a list. */
export const isList = (value: unknown): value is unknown[] => Array.isArray(value);
/** Returns whether a value is an object of any kind, lists included. */
export const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
/** Returns whether a value is null or undefined. */
export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;
/** Returns whether a value is an object with named properties. */
export const isDict = (value: unknown): value is Dict =>
  isObject(value) &&
  !isList(value) &&
  !(value instanceof Date) &&
  !(value instanceof Set) &&
  !isExpression(value);

/** Returns the type of a value, as messages call it. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (isList(value)) return 'a list';
  if (value instanceof Date) return 'a date';
  if (value instanceof Set) return 'a set';
  if (isExpression(value)) return 'an expression';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return 'a string';
  return typeof value === 'number' ? 'a number' : 'a truth value';
}

const UNSAFE_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/** Returns whether a name reaches behind an object, which is forbidden (contract/engines#transformation-safety). */
export const isUnsafeKey = (key: string): boolean => UNSAFE_KEYS.has(key);

/** Returns a key. @throws StepFailed when it reaches behind an object */
export function assertKey(key: string, argument: number | null = null): string {
  if (isUnsafeKey(key)) throw new StepFailed(`the key ${key} is not allowed`, argument);
  return key;
}

/** Returns an own property of a value, including its length; undefined when it has none. */
export function fieldOf(value: unknown, key: string): unknown {
  if (typeof value === 'string') {
    if (key === 'length') return value.length;
    return /^(?:0|[1-9]\d*)$/.test(key) ? value[Number(key)] : undefined;
  }
  if (!isList(value) && !isDict(value)) return undefined;
  // Both are objects that have the requested key as an own property.
  return Object.hasOwn(value, key) ? (value as unknown as Dict)[key] : undefined;
}

/** Defines a property of a copy, whatever its name. */
export function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}

/**
 * Does what JavaScript's `String(value)` does, without calling methods of the value.
 *
 * @throws StepFailed when the text is too long
 */
export function textOf(run: RunState, value: unknown, depth = 0): string {
  if (typeof value === 'string') return value;
  if (!isObject(value)) return String(value);
  if (isList(value)) return joined(run, value, ',', depth);
  if (value instanceof Date) return dateText(value);
  if (isExpression(value)) return `/${value.source}/${value.flags}`;
  return value instanceof Set ? '[object Set]' : '[object Object]';
}

/** Joins the elements of a list to a text; absent ones are empty. @throws StepFailed when it is too long */
export function joined(run: RunState, list: readonly unknown[], separator: string, depth = 0): string {
  assertNesting(run, depth);
  spend(run, list.length + 1);
  let length = 0;
  const texts: string[] = [];
  for (const one of list) {
    const text = isAbsent(one) ? '' : textOf(run, one, depth + 1);
    length += text.length + separator.length;
    assertText(run, length - separator.length);
    spendText(run, text.length);
    texts.push(text);
  }
  return texts.join(separator);
}

const UTC = /^(\w+), (\d+) (\w+) (\S+) (\S+) GMT$/;

/** Returns a day as `Fri Mar 01 2024`, in UTC. */
export const dayText = (date: Date): string => date.toUTCString().replace(UTC, '$1 $3 $2 $4');

const dateText = (date: Date): string =>
  date.toUTCString().replace(UTC, '$1 $3 $2 $4 $5 GMT+0000 (Coordinated Universal Time)');

/** Returns a value as JavaScript's operators convert it: a primitive. */
export function primitiveOf(run: RunState, value: unknown, hint: 'number' | 'text' = 'number'): unknown {
  if (!isObject(value)) return value;
  return value instanceof Date && hint === 'number' ? value.getTime() : textOf(run, value);
}

/** Does what JavaScript's `Number(value)` does. */
export const numberOf = (run: RunState, value: unknown): number => Number(primitiveOf(run, value));

/**
 * Returns the value as JSON data: undefined properties are dropped, undefined elements and numbers that JSON lacks become
 * null, dates become text, sets and regular expressions `{}` (contract/engines#transformation-boundary).
 *
 * @throws StepFailed when it nests too deeply or is too large
 */
export function plain(run: RunState, value: unknown, depth = 0): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
  if (typeof value === 'string') spendText(run, value.length);
  if (!isObject(value)) return value;
  assertNesting(run, depth);
  spend(run, 1);
  if (isList(value)) return Array.from(value, (one) => plain(run, one, depth + 1) ?? null);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  const copy = {};
  if (!isDict(value)) return copy;
  for (const key of Object.keys(value)) {
    const field = plain(run, value[key], depth + 1);
    spend(run, 1);
    if (field !== undefined) define(copy, key, field);
  }
  return copy;
}
