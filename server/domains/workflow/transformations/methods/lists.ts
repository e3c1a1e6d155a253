import { withField } from '../expressions/pointers.ts';
import { assertKey, fieldOf, isDict, isList, joined, textOf } from '../expressions/values.ts';
import { assertLength, type RunState, spend, spendList } from '../run.ts';
import { eager, library, listAt, type MethodCall, somethingAt } from './method.ts';
import { concatenated, includes, indexOf, lengthOf, placeOf, wholeOf } from './text-or-list.ts';

type Args = readonly unknown[];

function copyOf(run: RunState, list: unknown[]): unknown[] {
  spendList(run, list.length);
  return list.slice();
}

/** Concatenates two lists, without the call stack's limit on arguments. */
function appended(run: RunState, list: unknown[], more: readonly unknown[]): unknown[] {
  spendList(run, list.length + more.length);
  return list.concat(more);
}

function spliced(args: Args, { run }: MethodCall) {
  const list = listAt(args);
  const start = placeOf(run, args[1], list.length, 0);
  const rest = list.length - start;
  const count =
    args.length < 2 ? 0 : args.length < 3 ? rest : Math.min(Math.max(wholeOf(run, args[2]), 0), rest);
  const array = copyOf(run, list);
  const fresh = args.slice(3);
  spendList(run, list.length + fresh.length);
  return { spliced: array.splice(start, count, ...fresh), array };
}

function filled(args: Args, { run }: MethodCall): unknown[] {
  const list = copyOf(run, listAt(args));
  const start = placeOf(run, args[2], list.length, 0);
  return list.fill(args[1], start, placeOf(run, args[3], list.length, list.length));
}

/** Returns the elements of a set, a text, or anything with a length. @throws StepFailed for null and undefined */
function listFrom(args: Args, { run }: MethodCall): unknown[] {
  const value = somethingAt(args);
  if (value instanceof Set) return [...value];
  if (isList(value)) return Array.from(copyOf(run, value));
  if (typeof value === 'string') {
    spendList(run, value.length);
    return [...value];
  }
  if (!isDict(value)) return [];
  const length = Math.max(wholeOf(run, fieldOf(value, 'length')), 0);
  assertLength(run, length);
  spend(run, length);
  return Array.from({ length }, (_, at) => fieldOf(value, String(at)));
}

/** List methods without callbacks (contract/engines#transformation-methods). */
export const LISTS = library('Array', {
  getIndex: eager((args, { run }) => fieldOf(somethingAt(args), assertKey(textOf(run, args[1]), 1))),
  setIndex: eager((args, { run }) => withField(run, listAt(args), textOf(run, args[1]), args[2])),
  push: eager((args, { run }) => appended(run, listAt(args), args.slice(1))),
  concat: eager((args, call) => {
    if (typeof args[0] === 'string') return concatenated(args, call);
    const add = (all: unknown[], one: unknown) => appended(call.run, all, isList(one) ? one : [one]);
    return args.slice(1).reduce(add, copyOf(call.run, listAt(args)));
  }),
  pop: eager((args, { run }) => {
    const list = listAt(args);
    spendList(run, list.length);
    return { value: list.at(-1), array: list.slice(0, -1) };
  }),
  shift: eager((args, { run }) => {
    const list = listAt(args);
    spendList(run, list.length);
    return { value: list[0], array: list.slice(1) };
  }),
  splice: eager(spliced),
  length: eager(lengthOf),
  join: eager((args, { run }) =>
    joined(run, listAt(args), args[1] === undefined ? ',' : textOf(run, args[1])),
  ),
  includes: eager(includes),
  indexOf: eager(indexOf),
  fill: eager(filled),
  slice: eager((args, { run }) => {
    const value = typeof args[0] === 'string' ? args[0] : copyOf(run, listAt(args));
    const start = placeOf(run, args[1], value.length, 0);
    return value.slice(start, placeOf(run, args[2], value.length, value.length));
  }),
  reverse: eager((args, { run }) => copyOf(run, listAt(args)).reverse()),
  isArray: eager(([value]) => isList(value)),
  from: eager(listFrom),
});
