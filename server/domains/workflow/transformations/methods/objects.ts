import { withField, withoutField } from '../expressions/pointers.ts';
import { StepFailed } from '../expressions/step-failed.ts';
import {
  assertKey,
  define,
  fieldOf,
  isAbsent,
  isDict,
  isList,
  kindOf,
  textOf,
} from '../expressions/values.ts';
import { type RunState, spend } from '../run.ts';
import { eager, library, listAt, somethingAt } from './method.ts';

type Args = readonly unknown[];

const HINT = '; use optional chaining to read what may be absent';

const keyAt = (run: RunState, args: Args, at = 1): string => assertKey(textOf(run, args[at]), at);

/** Returns the own enumerable names of a value, like `Object.keys`. */
function namesOf(run: RunState, value: NonNullable<unknown>): string[] {
  if (typeof value !== 'string' && !isList(value) && !isDict(value)) return [];
  const names = Object.keys(value);
  spend(run, names.length);
  return names;
}

/** Follows the keys in the further slots, until a value is absent. */
function chained(args: Args, run: RunState): unknown {
  let found = args[0];
  for (let at = 1; at < args.length; at++) {
    if (isAbsent(found)) return undefined;
    found = fieldOf(found, keyAt(run, args, at));
  }
  return found;
}

function fromPairs(args: Args, run: RunState): object {
  const made = {};
  for (const pair of listAt(args)) {
    spend(run, 1);
    if (!isList(pair)) throw new StepFailed(`a list of pairs is expected, found ${kindOf(pair)} in it`, 0);
    define(made, keyAt(run, pair, 0), pair[1]);
  }
  return made;
}

/** Methods of objects; they return copies (contract/engines#transformation-methods). */
export const OBJECTS = library('Object', {
  getProperty: eager((args, { run }) => fieldOf(somethingAt(args, 0, HINT), keyAt(run, args))),
  setProperty: eager((args, { run }) => {
    const value = somethingAt(args, 0, HINT);
    const key = keyAt(run, args);
    return isList(value) || isDict(value) ? withField(run, value, key, args[2]) : value;
  }),
  'optional chaining': eager((args, { run }) => chained(args, run)),
  keys: eager((args, { run }) => namesOf(run, somethingAt(args))),
  entries: eager((args, { run }) => {
    const value = somethingAt(args);
    return namesOf(run, value).map((name) => [name, fieldOf(value, name)]);
  }),
  fromEntries: eager((args, { run }) => fromPairs(args, run)),
  deleteProperty: eager((args, { run }) => {
    const value = somethingAt(args);
    const key = keyAt(run, args);
    return isList(value) || isDict(value) ? withoutField(run, value, key) : value;
  }),
  hasOwnProperty: eager((args, { run }) => {
    const value = somethingAt(args);
    const key = textOf(run, args[1]);
    if (typeof value !== 'string' && !isList(value) && !isDict(value)) return false;
    return Object.hasOwn(Object(value) as object, key);
  }),
});
