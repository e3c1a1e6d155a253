import { compiled } from '../expressions/expressions.ts';
import { StepFailed } from '../expressions/step-failed.ts';
import {
  expression,
  isAbsent,
  isExpression,
  isList,
  isObject,
  kindOf,
  numberOf,
  textOf,
} from '../expressions/values.ts';
import { assertLength, type RunState, spend, spendList } from '../run.ts';
import { parsedJson } from './data.ts';
import { composedTime, parsedTime } from './dates.ts';
import { eager, library, type MethodCall } from './method.ts';

type Args = readonly unknown[];

function newArray(args: Args, { run, polymorph }: MethodCall): unknown[] {
  if (polymorph !== 1) return [...args];
  const length = args.length === 0 ? 0 : numberOf(run, args[0]);
  if (!Number.isInteger(length) || length < 0) throw new StepFailed('invalid array length', 0);
  assertLength(run, length);
  spendList(run, length);
  return Array.from({ length });
}

/** Returns an object: a text in the document is parsed as its JSON, anything else is returned as it is. */
function newObject(args: Args, { run, literal }: MethodCall): unknown {
  const [value] = args;
  if (isAbsent(value)) return {};
  if (typeof value !== 'string' || !literal(0)) return value;
  return value.trim() === '' ? {} : parsedJson(run, value);
}

function newExpression(args: Args, { run }: MethodCall): unknown {
  const [pattern, flags] = args;
  const source = isExpression(pattern) ? pattern.source : pattern === undefined ? '' : textOf(run, pattern);
  const own = isExpression(pattern) ? pattern.flags : '';
  const made = expression(source === '' ? '(?:)' : source, flags === undefined ? own : textOf(run, flags));
  compiled(run, made);
  return made;
}

function newDate(args: Args, { run, polymorph }: MethodCall): Date {
  const [value] = args;
  if (args.length === 0) return new Date(run.now());
  if (args.length > 1 || polymorph === 3) return new Date(composedTime(run, args));
  if (polymorph === 1 || (isObject(value) && value instanceof Date)) return new Date(numberOf(run, value));
  return new Date(typeof value === 'string' || isList(value) ? parsedTime(run, value) : numberOf(run, value));
}

/** Returns a set with each value once; objects are never equal to each other or to themselves. */
function newSet(args: Args, { run }: MethodCall): Set<unknown> {
  const [value] = args;
  if (isAbsent(value)) return new Set();
  if (!isList(value) && typeof value !== 'string' && !(value instanceof Set)) {
    throw new StepFailed(`a list is expected as argument 0, found ${kindOf(value)}`, 0);
  }
  const made = new Set<unknown>();
  for (const one of value) {
    spend(run, 1);
    made.add(made.has(one) && isObject(one) ? twin(run, one) : one);
  }
  return made;
}

function twin(run: RunState, value: object): unknown {
  if (isList(value)) {
    spendList(run, value.length);
    return value.slice();
  }
  if (value instanceof Date) return new Date(value);
  if (value instanceof Set) return new Set(value);
  spend(run, Object.keys(value).length);
  return { ...value };
}

/** The declarations `new X` (contract/engines#transformation-declarations). */
export const DECLARATIONS = [
  ...library('Array', { 'new Array': eager(newArray) }),
  ...library('String', {
    'new String': eager((args, { run }) => (args.length === 0 ? '' : textOf(run, args[0]))),
  }),
  ...library('Number', {
    'new Number': eager((args, { run }) => (args.length === 0 ? 0 : numberOf(run, args[0]))),
  }),
  ...library('Boolean', { 'new Boolean': eager(([value]) => Boolean(value)) }),
  ...library('Object', { 'new Object': eager(newObject) }),
  ...library('RegExp', { 'new RegExp': eager(newExpression) }),
  ...library('Date', { 'new Date': eager(newDate) }),
  ...library('Set', { 'new Set': eager(newSet) }),
  ...library('Null', { 'new Null': eager(() => null) }),
];
