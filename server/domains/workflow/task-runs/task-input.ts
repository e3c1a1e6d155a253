import { isAbsent, isObject, ownField } from '#server/kernel/json/objects.ts';
import { kindOf, numberIn } from '../query/values.ts';

/** The incoming values of a task. */
export type TaskInput = Record<string, unknown>;

/** The error for an incoming value, or a value computed from it, that is invalid; the message names the variable. */
export class TaskInputError extends Error {
  readonly variable: string;
  constructor(variable: string, reason: string) {
    super(`${variable} ${reason}`);
    this.variable = variable;
  }
}

/** Maximum number of items of a list, and of characters of a text, that a task creates. */
export const MOST_ITEMS = 1_000_000;
export const MOST_TEXT = 16 * 1024 * 1024;

/** A name with a special meaning in JavaScript objects: no field may have it. */
const FORBIDDEN = '__proto__';

/** Returns a required value. @throws TaskInputError when it is missing */
export function required(incoming: TaskInput, name: string): unknown {
  const value = ownField(incoming, name);
  if (value === undefined || value === null) throw new TaskInputError(name, 'is missing');
  return value;
}

/** Returns the value, or null when it is missing: stored data has no undefined. */
export const orNull = (incoming: TaskInput, name: string): unknown => ownField(incoming, name) ?? null;

const wrong = (name: string, wanted: string, value: unknown) =>
  new TaskInputError(name, `must be ${wanted}, but is ${kindOf(value)}`);

/** Returns an incoming value. @throws TaskInputError when it is no string */
export function text(incoming: TaskInput, name: string): string {
  const value = required(incoming, name);
  if (typeof value !== 'string') throw wrong(name, 'a string', value);
  return value;
}

/** Returns an incoming value. @throws TaskInputError when it is no list */
export function list(incoming: TaskInput, name: string): unknown[] {
  const value = required(incoming, name);
  if (!Array.isArray(value)) throw wrong(name, 'a list', value);
  return value;
}

/** Returns an incoming value. @throws TaskInputError when it is no object */
export function object(incoming: TaskInput, name: string): TaskInput {
  const value = required(incoming, name);
  if (!isObject(value)) throw wrong(name, 'an object', value);
  return value;
}

/** Returns a number, also from a numeric text. @throws TaskInputError */
export function number(incoming: TaskInput, name: string): number {
  const value = required(incoming, name);
  const read = typeof value === 'string' ? numberIn(value) : value;
  if (typeof read !== 'number' || !Number.isFinite(read)) throw wrong(name, 'a number', value);
  return read;
}

/** Returns an incoming value, or the number that it is written as. @throws TaskInputError when it is no integer */
export function count(incoming: TaskInput, name: string): number {
  const value = number(incoming, name);
  if (!Number.isSafeInteger(value)) throw new TaskInputError(name, 'must be an integer');
  return value;
}

/** Returns a boolean; forms may send it as text. @throws TaskInputError */
export function flag(incoming: TaskInput, name: string): boolean {
  const value = required(incoming, name);
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw wrong(name, 'true or false', value);
}

/** Returns an optional value, or `fallback` when it is absent. */
export const optional = <Value>(
  read: (incoming: TaskInput, name: string) => Value,
  incoming: TaskInput,
  name: string,
  fallback: Value,
): Value => (isAbsent(ownField(incoming, name)) ? fallback : read(incoming, name));

/** Returns a text that names something. @throws TaskInputError when it is empty or a forbidden name */
export function named(incoming: TaskInput, name: string): string {
  const value = text(incoming, name);
  if (value === '') throw new TaskInputError(name, 'is empty');
  assertName(name, value);
  return value;
}

/** Rejects a name that no field may have. @throws TaskInputError */
export function assertName(variable: string, name: string): void {
  if (name === FORBIDDEN)
    throw new TaskInputError(variable, `contains ${FORBIDDEN}, which cannot be the name of a field`);
}

/** Returns one of the allowed words. @throws TaskInputError */
export function oneOf<Word extends string>(incoming: TaskInput, name: string, words: readonly Word[]): Word {
  const value = text(incoming, name);
  const found = words.find((word) => word === value);
  if (found === undefined)
    throw new TaskInputError(name, `must be one of ${words.join(', ')}, but is ${value.slice(0, 50)}`);
  return found;
}

/** Returns a text as it is, null and undefined as the empty string, and anything else as JSON. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : (JSON.stringify(value) ?? '');
}

/** Rejects a text that would be too long. @throws TaskInputError */
export function assertTextLength(variable: string, length: number): void {
  if (length > MOST_TEXT)
    throw new TaskInputError(variable, `would become a string of more than ${MOST_TEXT} characters`);
}

/** Returns the parts joined. @throws TaskInputError when the result would be too long */
export function joined(variable: string, parts: readonly string[], separator = ''): string {
  const length = parts.reduce((sum, part) => sum + part.length + separator.length, 0);
  assertTextLength(variable, length);
  return parts.join(separator);
}

/** Returns a list that a task created. @throws TaskInputError when it is too long */
export function bounded<Item>(variable: string, items: Item[]): Item[] {
  if (items.length > MOST_ITEMS)
    throw new TaskInputError(variable, `would become a list of more than ${MOST_ITEMS} items`);
  return items;
}
