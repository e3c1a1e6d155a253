import type { Cell, Work } from '../expressions/lazy-values.ts';
import { StepFailed } from '../expressions/step-failed.ts';
import { isList, kindOf } from '../expressions/values.ts';
import type { RunState } from '../run.ts';

/** What a method may use besides its arguments. */
export type MethodCall = {
  run: RunState;
  /** Whether a slot holds a literal or is wired; arguments behind the last such slot are left out. */
  given: (slot: number) => boolean;
  /** Whether what a slot gives stands in the document itself. */
  literal: (slot: number) => boolean;
  /** Which of several forms of a declaration is meant. */
  polymorph: number;
  /** Call the function that slot 1 names, its parameters in order; constants are added. */
  invoke: (...args: unknown[]) => unknown;
};

/** How a method works: on its arguments, or asking for each slot as it needs it. */
export type Method = {
  /** Whether slot 1 names a function: always, or unless it is left out. */
  callback?: 'needed' | 'optional';
  /** Slot from which on constants for the callback stand. */
  constants?: number;
} & (
  | { run: (args: readonly unknown[], call: MethodCall) => unknown }
  | { lazy: (slot: (at: number) => Cell) => Work }
);

/** A method that works on its arguments alone. */
export const eager = (run: (args: readonly unknown[], call: MethodCall) => unknown): Method => ({ run });

/** Entries of the table of methods, as `Library.method`. */
export const library = (name: string, methods: Record<string, Method>): [string, Method][] =>
  Object.entries(methods).map(([method, entry]) => [`${name}.${method}`, entry]);

const unfit = (expected: string, value: unknown, at: number) =>
  new StepFailed(`${expected} is expected as argument ${at}, found ${kindOf(value)}`, at);

/** @throws StepFailed naming what was found instead */
export function listAt(args: readonly unknown[], at = 0): unknown[] {
  const value = args[at];
  if (!isList(value)) throw unfit('a list', value, at);
  return value;
}

/** @throws StepFailed naming what was found instead */
export function textAt(args: readonly unknown[], at = 0): string {
  const value = args[at];
  if (typeof value !== 'string') throw unfit('a text', value, at);
  return value;
}

/** @throws StepFailed naming what was found instead */
export function dateAt(args: readonly unknown[], at = 0): Date {
  const value = args[at];
  if (!(value instanceof Date)) throw unfit('a date', value, at);
  return value;
}

/** A value that is something. @throws StepFailed when it is null or undefined */
export function somethingAt(args: readonly unknown[], at = 0, hint = ''): NonNullable<unknown> {
  const value = args[at];
  if (value === null || value === undefined) {
    throw new StepFailed(`a value is expected as argument ${at}, found ${kindOf(value)}${hint}`, at);
  }
  return value;
}
