import type { Cell, Work } from '../expressions/lazy-values.ts';
import { StepFailed } from '../expressions/step-failed.ts';
import { isList, kindOf } from '../expressions/values.ts';
import type { RunState } from '../run.ts';

/** Context of a method, besides its arguments. */
export type MethodCall = {
  run: RunState;
  /** Returns whether a slot has a literal or an edge; arguments after the last such slot are omitted. */
  given: (slot: number) => boolean;
  /** Returns whether the value of a slot is a literal of the document. */
  literal: (slot: number) => boolean;
  /** Which form of an overloaded declaration is meant. */
  polymorph: number;
  /** Calls the function in slot 1 with its parameters in order; constants are appended. */
  invoke: (...args: unknown[]) => unknown;
};

/** The implementation of a method: on its arguments, or evaluating each slot on demand. */
export type Method = {
  /** Whether slot 1 names a function: always, or unless it is omitted. */
  callback?: 'needed' | 'optional';
  /** First slot with constants for the callback. */
  constants?: number;
} & (
  | { run: (args: readonly unknown[], call: MethodCall) => unknown }
  | { lazy: (slot: (at: number) => Cell) => Work }
);

/** Declares a method that works on its evaluated arguments. */
export const eager = (run: (args: readonly unknown[], call: MethodCall) => unknown): Method => ({ run });

/** Returns entries for the table of methods, as `Library.method`. */
export const library = (name: string, methods: Record<string, Method>): [string, Method][] =>
  Object.entries(methods).map(([method, entry]) => [`${name}.${method}`, entry]);

const unfit = (expected: string, value: unknown, at: number) =>
  new StepFailed(`${expected} is expected as argument ${at}, found ${kindOf(value)}`, at);

/** Returns a list argument. @throws StepFailed naming the type found instead */
export function listAt(args: readonly unknown[]): unknown[] {
  const [value] = args;
  if (!isList(value)) throw unfit('a list', value, 0);
  return value;
}

/** Returns a text argument. @throws StepFailed naming the type found instead */
export function textAt(args: readonly unknown[], at = 0): string {
  const value = args[at];
  if (typeof value !== 'string') throw unfit('a string', value, at);
  return value;
}

/** Returns a date argument. @throws StepFailed naming the type found instead */
export function dateAt(args: readonly unknown[]): Date {
  const [value] = args;
  if (!(value instanceof Date)) throw unfit('a date', value, 0);
  return value;
}

/** Returns an argument that must have a value. @throws StepFailed when it is null or undefined */
export function somethingAt(args: readonly unknown[], at = 0, hint = ''): NonNullable<unknown> {
  const value = args[at];
  if (value === null || value === undefined) {
    throw new StepFailed(`a value is expected as argument ${at}, found ${kindOf(value)}${hint}`, at);
  }
  return value;
}
