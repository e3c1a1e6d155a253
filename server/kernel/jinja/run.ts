import type { Dialect } from './dialect.ts';
import { jinjaError } from './jinja-error.ts';
import { type CostCounter, isList, isMissing, kindOf, nameOf } from './values.ts';

/** The limits of a rendering. */
export type RenderLimits = {
  /** Steps: a value read, an item visited, some characters produced. */
  steps: number;
  /** Characters of the result, and of any intermediate text. */
  output: number;
  /** Nesting depth of expressions, blocks and macros. */
  depth: number;
};

/** About a second of work at most, and a result of 1 MiB (contract/lifecycle#4.6). */
export const LIMITS: RenderLimits = { steps: 3_000_000, output: 1024 * 1024, depth: 400 };

/** A rendering in progress and the steps that it has used. */
export type RenderState = {
  text: string;
  dialect: Dialect;
  limits: RenderLimits;
  steps: number;
  depth: number;
};

/** The number of characters that cost as much as one step. */
const CHARACTERS = 16;

/**
 * Counts steps.
 *
 * @param steps 0 or more
 * @param at offset in the template
 * @throws JinjaError when they exceed the limit
 */
export function spend(run: RenderState, steps: number, at: number): void {
  run.steps += steps;
  if (run.steps > run.limits.steps) throw jinjaError(run.text, at, 'the template takes too long');
}

/**
 * Counts a text that is produced.
 *
 * @param length in characters
 * @param at offset in the template
 * @throws JinjaError when it is too long
 */
export function spendText(run: RenderState, length: number, at: number): void {
  assertRoom(run, length, at);
  spend(run, 1 + Math.ceil(length / CHARACTERS), at);
}

/**
 * Counts texts that are read: a filter, a method, a test or an operator pays for them before it looks at them.
 *
 * @param values any values of a template; others than texts are counted where they are visited
 * @param at offset in the template
 * @throws JinjaError when they exceed the limit
 */
export function spendReading(run: RenderState, values: Iterable<unknown>, at: number): void {
  for (const value of values) {
    if (typeof value === 'string') spend(run, Math.floor(value.length / CHARACTERS), at);
  }
}

/**
 * Rejects a text that is too long.
 *
 * @param length of the text, in characters
 * @param at offset in the template
 * @throws JinjaError
 */
export function assertRoom(run: RenderState, length: number, at: number): void {
  if (length > run.limits.output) {
    throw jinjaError(run.text, at, `the text grows beyond ${run.limits.output} characters`);
  }
}

/** Maximum depth of a value that is printed or compared. */
const DEEPEST_VALUE = 200;

/** Returns the counter that charges for traversing a value; it throws JinjaError at the limit. @param at offset in the template */
export const tollOf =
  (run: RenderState, at: number): CostCounter =>
  (depth, characters = 0) => {
    spend(run, 1 + Math.floor(characters / CHARACTERS), at);
    if (depth > DEEPEST_VALUE) throw jinjaError(run.text, at, 'the value is nested too deeply');
  };

/**
 * Runs `work` one level deeper.
 *
 * @param at offset in the template
 * @throws JinjaError when the nesting is too deep
 */
export function within<T>(run: RenderState, at: number, work: () => T): T {
  if (++run.depth > run.limits.depth) throw jinjaError(run.text, at, 'the template is nested too deeply');
  const result = work();
  run.depth--;
  return result;
}

/**
 * Returns a value, or throws when it is missing and the dialect treats that as an error. A dialect in which missing values stand
 * for nothing gets the placeholder back.
 *
 * @param value any value, or the placeholder of a missing one
 * @param at offset in the template
 * @throws JinjaError naming the missing value, where that is an error
 */
export function required(run: RenderState, value: unknown, at: number): unknown {
  return run.dialect.missing === 'is nothing' ? value : present(run, value, at);
}

/**
 * Returns a value that must exist, in every dialect: one whose attribute is read, that is called, or that is calculated with.
 *
 * @param value any value, also the placeholder of a missing one
 * @param at offset in the template
 * @throws JinjaError naming the missing value
 */
export function present(run: RenderState, value: unknown, at: number): unknown {
  if (!isMissing(value)) return value;
  throw jinjaError(run.text, at, `${nameOf(value)} is undefined`, nameOf(value));
}

/**
 * Returns a value as text, as the dialect prints it; a missing one that stands for nothing is empty.
 *
 * @param value any value of a template
 * @param at offset in the template
 * @throws JinjaError for a missing value, and when the limit of work is reached
 */
export function show(run: RenderState, value: unknown, at: number): string {
  const there = required(run, value, at);
  if (typeof there === 'string') return there;
  if (isMissing(there)) return '';
  if (there === null || there === undefined) return run.dialect.none;
  if (typeof there === 'number') return run.dialect.number(there);
  const text = run.dialect.print(there, tollOf(run, at));
  spendText(run, text.length, at);
  return text;
}

/**
 * Returns a value as text.
 *
 * @param value any value of a template
 * @param at offset in the template
 * @throws JinjaError for anything but a string, a number or a boolean
 */
export function textOf(run: RenderState, value: unknown, at: number): string {
  if (typeof value === 'string') return value;
  const isPlain = typeof value === 'number' || typeof value === 'boolean';
  // Jinja's filters for text accept everything that prints.
  if (isPlain || run.dialect.missing === 'is nothing') return show(run, value, at);
  required(run, value, at);
  throw jinjaError(run.text, at, `expected a string, found ${kindOf(value)}`);
}

/**
 * Returns a value as a number.
 *
 * @param value any value of a template
 * @param at offset in the template
 * @throws JinjaError for anything but a number or a boolean
 */
export function numberOf(run: RenderState, value: unknown, at: number): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  present(run, value, at);
  throw jinjaError(run.text, at, `expected a number, found ${kindOf(value)}`);
}

/**
 * Returns the items of a list, the keys of a dict, or the characters of a string.
 *
 * @param value any value of a template
 * @param at offset in the template
 * @throws JinjaError when the value is none of them, or the limit of work is reached
 */
export function itemsOf(run: RenderState, value: unknown, at: number): unknown[] {
  if (isMissing(required(run, value, at))) return [];
  // The characters of a text are counted before there is a list of them.
  if (typeof value === 'string' || isList(value)) {
    spend(run, value.length, at);
    return typeof value === 'string' ? [...value] : value;
  }
  if (kindOf(value) !== 'a dict') throw jinjaError(run.text, at, `expected a list, found ${kindOf(value)}`);
  const keys = Object.keys(value as object);
  spend(run, keys.length, at);
  return keys;
}
