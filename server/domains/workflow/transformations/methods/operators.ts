import type { Cell, Work } from '../expressions/lazy-values.ts';
import {
  isAbsent,
  isDict,
  isExpression,
  isList,
  isObject,
  numberOf,
  primitiveOf,
} from '../expressions/values.ts';
import { assertNesting, assertText, type RunState, spend, spendText } from '../run.ts';
import { eager, library, type Method } from './method.ts';

const ask = function* (cell: Cell): Work {
  return cell.isDone ? cell.value : yield cell;
};

/** Declares an operator that evaluates its second slot only when the first one does not decide. */
const decided = (isEnough: (value: unknown) => boolean): Method => ({
  *lazy(slot) {
    const first = yield* ask(slot(0));
    return isEnough(first) ? first : yield* ask(slot(1));
  },
});

const conditional = library('Conditional', {
  ternary: {
    *lazy(slot) {
      return yield* ask(slot((yield* ask(slot(0))) ? 1 : 2));
    },
  },
});

const logical = library('Logical', {
  and: decided((value) => !value),
  or: decided(Boolean),
  nullish: decided((value) => !isAbsent(value)),
  not: eager(([value]) => !value),
});

/** Compares like `===`, but objects are never equal, even to themselves (contract/engines#transformation-methods). */
export const isIdentical = (left: unknown, right: unknown): boolean => !isObject(left) && left === right;

/** Compares like JavaScript's `==`, with the same exception. */
function isEqual(run: RunState, left: unknown, right: unknown): boolean {
  if (isObject(left) && isObject(right)) return false;
  if (isAbsent(left) || isAbsent(right)) return isAbsent(left) && isAbsent(right);
  const [a, b] = [primitiveOf(run, left, 'text'), primitiveOf(run, right, 'text')];
  // Both are primitives: no method is called, and JavaScript's own rules are wanted.
  // biome-ignore lint/suspicious/noDoubleEquals: the language has a loose equality
  return a == b;
}

/** Compares deeply: the order of properties does not matter, types do. */
function isSame(run: RunState, left: unknown, right: unknown, depth = 0): boolean {
  spend(run, 1);
  if (!isObject(left) || !isObject(right))
    return left === right || (Number.isNaN(left) && Number.isNaN(right));
  assertNesting(run, depth);
  if (isList(left) || isList(right)) {
    if (!isList(left) || !isList(right) || left.length !== right.length) return false;
    return Array.from(left).every((one, at) => isSame(run, one, right[at], depth + 1));
  }
  if (left instanceof Date) return right instanceof Date && Object.is(left.getTime(), right.getTime());
  if (isExpression(left)) {
    return isExpression(right) && left.source === right.source && left.flags === right.flags;
  }
  if (left instanceof Set) return right instanceof Set && isSame(run, [...left], [...right], depth + 1);
  if (!isDict(left) || !isDict(right)) return false;
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => Object.hasOwn(right, name) && isSame(run, left[name], right[name], depth + 1));
}

const equality = library('Equality', {
  equality: eager(([left, right], { run }) => isEqual(run, left, right)),
  inequality: eager(([left, right], { run }) => !isEqual(run, left, right)),
  identity: eager(([left, right]) => isIdentical(left, right)),
  nonidentity: eager(([left, right]) => !isIdentical(left, right)),
  deepEquals: eager(([left, right], { run }) => isSame(run, left, right)),
});

const compared = (holds: (left: string | number, right: string | number) => boolean): Method =>
  eager(([left, right], { run }) => {
    const [a, b] = [primitiveOf(run, left), primitiveOf(run, right)];
    return typeof a === 'string' && typeof b === 'string' ? holds(a, b) : holds(Number(a), Number(b));
  });

const relational = library('Relational', {
  greaterThan: compared((left, right) => left > right),
  greaterThanOrEqual: compared((left, right) => left >= right),
  lessThan: compared((left, right) => left < right),
  lessThanOrEqual: compared((left, right) => left <= right),
});

const reckoned = (reckon: (left: number, right: number) => number): Method =>
  eager(([left, right], { run }) => reckon(numberOf(run, left), numberOf(run, right)));

const rounded = (round: (value: number) => number): Method =>
  eager(([value], { run }) => round(numberOf(run, value)));

/** Adds like `+`: texts are concatenated. */
function sum(run: RunState, left: unknown, right: unknown): string | number {
  const [a, b] = [primitiveOf(run, left, 'text'), primitiveOf(run, right, 'text')];
  if (typeof a !== 'string' && typeof b !== 'string') return Number(a) + Number(b);
  const [first, second] = [String(a), String(b)];
  assertText(run, first.length + second.length);
  spendText(run, second.length);
  return first + second;
}

const math = library('Math', {
  add: eager(([left, right], { run }) => sum(run, left, right)),
  subtract: reckoned((left, right) => left - right),
  multiply: reckoned((left, right) => left * right),
  divide: reckoned((left, right) => left / right),
  exponentiation: reckoned((left, right) => left ** right),
  floor: rounded(Math.floor),
  ceil: rounded(Math.ceil),
  round: rounded(Math.round),
  max: eager((args, { run }) =>
    args.reduce((most: number, one) => Math.max(most, numberOf(run, one)), -Infinity),
  ),
  min: eager((args, { run }) =>
    args.reduce((least: number, one) => Math.min(least, numberOf(run, one)), Infinity),
  ),
  random: eager((_, { run }) => run.random()),
});

/** Operators, named as methods (contract/engines#transformation-methods). */
export const OPERATORS = [...conditional, ...logical, ...equality, ...relational, ...math];
