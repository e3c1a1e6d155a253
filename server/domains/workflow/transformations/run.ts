import type { RE2JS } from 're2js';
import { StepFailed } from './expressions/step-failed.ts';

/** The limits of a run. */
export type RunLimits = {
  /** Units of work: a step done, an element visited, some characters produced. */
  work: number;
  /** Characters of one text. */
  text: number;
  /** Elements of one list, properties of one object. */
  elements: number;
  /** Nesting depth of callbacks. */
  depth: number;
  /** Nesting depth of values. */
  nesting: number;
  /** Whether inputs are validated against any schema, or only against those that are certain to be quick. */
  dearSchemas: boolean;
};

/** One or two seconds of work at most. */
export const LIMITS: RunLimits = {
  work: 3_000_000,
  text: 4 * 1024 * 1024,
  elements: 500_000,
  depth: 100,
  nesting: 200,
  dearSchemas: true,
};

/** The limits for a run on the event loop, where other requests wait: a tenth of a second. */
export const QUICK: RunLimits = { ...LIMITS, work: 100_000, dearSchemas: false };

/** External inputs of a run: the clock in milliseconds, and a random number from 0 to below 1. */
export type RunEnvironment = { now: () => number; random: () => number };

/** A run in progress: its limits and what it has used. */
export type RunState = RunEnvironment & {
  limits: RunLimits;
  work: number;
  depth: number;
  /** Compiled expressions, by source and flags. */
  compiled: Map<string, CompiledExpression>;
};

/** A compiled expression: the program, its named groups in order of their numbers, its flags. */
export type CompiledExpression = { program: RE2JS; names: (string | null)[]; flags: string };

/** Numbers of characters, copied elements and copied properties that cost one unit, about a microsecond. */
const CHARACTERS = 64;
const ELEMENTS = 128;
const FIELDS = 4;

/** Counts work. @throws StepFailed when it exceeds the limit */
export function spend(run: RunState, units: number): void {
  run.work += units;
  if (run.work > run.limits.work) throw new StepFailed('the transformation takes too long');
}

/** Counts a text of this length, before it is created or read. @throws StepFailed when it is too long */
export function spendText(run: RunState, length: number): void {
  assertText(run, length);
  spend(run, Math.ceil(length / CHARACTERS));
}

/** Rejects a text that is too long. @throws StepFailed */
export function assertText(run: RunState, length: number): void {
  if (length > run.limits.text) throw new StepFailed(`a string grows beyond ${run.limits.text} characters`);
}

/** Counts a list of this length, before it is copied. @throws StepFailed when it is too long */
export function spendList(run: RunState, length: number): void {
  assertLength(run, length);
  spend(run, Math.ceil(length / ELEMENTS));
}

/** Rejects a list that is too long. @throws StepFailed */
export function assertLength(run: RunState, length: number): void {
  if (length > run.limits.elements)
    throw new StepFailed(`a list grows beyond ${run.limits.elements} elements`);
}

/** Counts properties of an object, before it is copied. @throws StepFailed when there are too many */
export function spendFields(run: RunState, count: number): void {
  if (count > run.limits.elements)
    throw new StepFailed(`an object grows beyond ${run.limits.elements} fields`);
  spend(run, Math.ceil(count / FIELDS));
}

/** Rejects values that nest too deeply. @throws StepFailed */
export function assertNesting(run: RunState, depth: number): void {
  if (depth > run.limits.nesting) throw new StepFailed('the value is nested too deeply');
}
