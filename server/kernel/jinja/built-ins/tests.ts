import { jinjaError } from '../jinja-error.ts';
import { isIn, operate } from '../operators.ts';
import { numberOf, type RenderState, required, spendReading, textOf } from '../run.ts';
import { isDict, isList, isMacro, isMissing } from '../values.ts';
import { isInCase } from './text.ts';

type Test = (value: unknown, other: unknown, run: RenderState, at: number) => boolean;

const compared =
  (operator: string): Test =>
  (value, other, run, at) =>
    operate(run, operator, value, other, at) === true;

const isNumber = (value: unknown): value is number => typeof value === 'number';
const rest = (value: unknown, by: unknown, run: RenderState, at: number) =>
  operate(run, '%', numberOf(run, value, at), numberOf(run, by, at), at);

/** The tests that look at an existing value. */
const TESTS: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['none', (value) => value === null],
  ['string', (value) => typeof value === 'string'],
  ['number', (value) => isNumber(value) || typeof value === 'boolean'],
  ['integer', (value) => Number.isInteger(value)],
  ['float', (value) => isNumber(value) && !Number.isInteger(value)],
  ['boolean', (value) => typeof value === 'boolean'],
  ['true', (value) => value === true],
  ['false', (value) => value === false],
  ['mapping', isDict],
  ['sequence', (value) => isList(value) || isDict(value) || typeof value === 'string'],
  ['callable', isMacro],
  ['iterable', (value) => isList(value) || isDict(value) || typeof value === 'string'],
  ['even', (value, _, run, at) => rest(value, 2, run, at) === 0],
  ['odd', (value, _, run, at) => rest(value, 2, run, at) === 1],
  ['divisibleby', (value, by, run, at) => rest(value, by, run, at) === 0],
  ['upper', (value, _, run, at) => isInCase(textOf(run, value, at), 'upper')],
  ['lower', (value, _, run, at) => isInCase(textOf(run, value, at), 'lower')],
  ['in', (value, whole, run, at) => isIn(run, value, whole, at)],
  ['contains', (value, item, run, at) => isIn(run, item, value, at)],
  ...['eq', 'equalto', 'sameas', '=='].map((name) => [name, compared('==')] as const),
  ...['ne', '!='].map((name) => [name, compared('!=')] as const),
  ...['lt', 'lessthan', '<'].map((name) => [name, compared('<')] as const),
  ...['le', '<='].map((name) => [name, compared('<=')] as const),
  ...['gt', 'greaterthan', '>'].map((name) => [name, compared('>')] as const),
  ...['ge', '>='].map((name) => [name, compared('>=')] as const),
]);

/**
 * Returns whether a value passes a test. Only `defined` and `undefined` accept a missing value.
 *
 * @param value any value, also the placeholder of a missing one
 * @param args arguments of the test
 * @param at offset of the test in the template
 * @throws JinjaError for an unknown test, and for a missing value
 */
export function holds(
  run: RenderState,
  name: string,
  value: unknown,
  args: readonly unknown[],
  at: number,
): boolean {
  if (name === 'defined') return !isMissing(value);
  if (name === 'undefined') return isMissing(value);
  const test = TESTS.get(name);
  if (!test) throw jinjaError(run.text, at, `unknown test ${name}`);
  spendReading(run, [value, ...args], at);
  return test(required(run, value, at), args[0], run, at);
}
