import type { RE2JS } from 're2js';
import { StepFailed } from './expressions/step-failed.ts';

/** What a run may use. */
export type RunLimits = {
  /** Units of work: a step done, an element visited, some characters made. */
  work: number;
  /** Characters of one text. */
  text: number;
  /** Elements of one list, members of one object. */
  elements: number;
  /** Callbacks within callbacks. */
  depth: number;
  /** Values within values. */
  nesting: number;
  /** Whether inputs are held against any schema, or only against those that are certain to take but a moment. */
  dearSchemas: boolean;
};

/** A second or two of work at most. */
export const LIMITS: RunLimits = {
  work: 3_000_000,
  text: 4 * 1024 * 1024,
  elements: 500_000,
  depth: 100,
  nesting: 200,
  dearSchemas: true,
};

/** What a transformation may use where others wait: a tenth of a second. */
export const QUICK: RunLimits = { ...LIMITS, work: 100_000, dearSchemas: false };

/** What a run takes from outside: the clock in milliseconds, and a number from 0 up to 1. */
export type RunEnvironment = { now: () => number; random: () => number };

/** A run under way: what it may use, and what it has used so far. */
export type RunState = RunEnvironment & {
  limits: RunLimits;
  work: number;
  depth: number;
  /** Expressions that were compiled, by source and flags. */
  compiled: Map<string, CompiledExpression>;
};

/** A compiled expression: the program, its named groups in order of their numbers, its flags. */
export type CompiledExpression = { program: RE2JS; names: (string | null)[]; flags: string };

/** Characters, elements copied and members copied that cost as much as one unit, about a microsecond. */
const CHARACTERS = 64;
const ELEMENTS = 128;
const MEMBERS = 4;

/** Count work. @throws StepFailed when it has been too much */
export function spend(run: RunState, units: number): void {
  run.work += units;
  if (run.work > run.limits.work) throw new StepFailed('the transformation takes too long');
}

/** Count a text of this length, before it is made or gone through. @throws StepFailed when it is too long */
export function spendText(run: RunState, length: number): void {
  assertText(run, length);
  spend(run, Math.ceil(length / CHARACTERS));
}

/** @throws StepFailed when a text may not have this length */
export function assertText(run: RunState, length: number): void {
  if (length > run.limits.text) throw new StepFailed(`a text grows beyond ${run.limits.text} characters`);
}

/** Count a list of this length, before it is made by copying. @throws StepFailed when it is too long */
export function spendList(run: RunState, length: number): void {
  assertLength(run, length);
  spend(run, Math.ceil(length / ELEMENTS));
}

/** @throws StepFailed when a list may not have this length */
export function assertLength(run: RunState, length: number): void {
  if (length > run.limits.elements)
    throw new StepFailed(`a list grows beyond ${run.limits.elements} elements`);
}

/** Count members of an object, before it is copied. @throws StepFailed when there are too many */
export function spendMembers(run: RunState, count: number): void {
  if (count > run.limits.elements)
    throw new StepFailed(`an object grows beyond ${run.limits.elements} members`);
  spend(run, Math.ceil(count / MEMBERS));
}

/** @throws StepFailed when values nest too deeply */
export function assertNesting(run: RunState, depth: number): void {
  if (depth > run.limits.nesting) throw new StepFailed('the value nests too deeply');
}
