import { jinjaError } from '../jinja-error.ts';
import { isIn, ordered } from '../operators.ts';
import { itemsOf, numberOf, show, spend, tollOf } from '../run.ts';
import { type Dict, dictOf, isDict, isList, isMissing, isSame, isTrue, tuple } from '../values.ts';
import type { Call } from './call.ts';

type ListMethod = (list: unknown[], call: Call) => unknown;
type DictMethod = (dict: Dict, call: Call) => unknown;

/** The methods that change a list or a dict: a template with one works on copies of its variables. */
export const MUTATING: ReadonlySet<string> = new Set([
  'append',
  'extend',
  'insert',
  'pop',
  'remove',
  'clear',
  'reverse',
  'sort',
  'update',
  'setdefault',
]);

/** Maximum number of items of a list that grows. */
const LONGEST = 1_000_000;

function placeOf(list: readonly unknown[], wanted: unknown, { run, at }: Call): number {
  const toll = tollOf(run, at);
  const place = list.findIndex((one) => isSame(one, wanted, toll));
  if (place === -1) throw jinjaError(run.text, at, 'the value is not in the list');
  return place;
}

function grow(list: unknown[], more: readonly unknown[], { run, at }: Call): null {
  spend(run, more.length + 1, at);
  if (list.length + more.length > LONGEST)
    throw jinjaError(run.text, at, `the list grows beyond ${LONGEST} items`);
  for (const one of [...more]) list.push(one);
  return null;
}

/**
 * The methods of lists, by name.
 *
 * @see https://docs.python.org/3/library/stdtypes.html#mutable-sequence-types
 */
export const LIST_METHODS: ReadonlyMap<string, ListMethod> = new Map<string, ListMethod>([
  ['append', (list, call) => grow(list, [call.listed[0] ?? null], call)],
  ['extend', (list, call) => grow(list, itemsOf(call.run, call.listed[0], call.at), call)],
  [
    'insert',
    (list, call) => {
      spend(call.run, list.length + 1, call.at);
      list.splice(Math.trunc(numberOf(call.run, call.listed[0], call.at)), 0, call.listed[1] ?? null);
      return null;
    },
  ],
  [
    'pop',
    (list, call) => {
      const place = call.listed.length === 0 ? -1 : Math.trunc(numberOf(call.run, call.listed[0], call.at));
      if (place >= list.length || place < -list.length)
        throw jinjaError(call.run.text, call.at, 'pop: the list has no such item');
      spend(call.run, place === -1 ? 1 : list.length, call.at);
      return list.splice(place, 1)[0];
    },
  ],
  [
    'remove',
    (list, call) => {
      list.splice(placeOf(list, call.listed[0], call), 1);
      return null;
    },
  ],
  [
    'clear',
    (list) => {
      list.length = 0;
      return null;
    },
  ],
  [
    'reverse',
    (list, { run, at }) => {
      spend(run, list.length, at);
      list.reverse();
      return null;
    },
  ],
  [
    'sort',
    (list, { named, run, at }) => {
      const sign = isTrue(named.get('reverse')) ? -1 : 1;
      list.sort((a, b) => sign * ordered(run, a, b, at));
      return null;
    },
  ],
  ['index', (list, call) => placeOf(list, call.listed[0], call)],
  [
    'count',
    (list, { listed, run, at }) => {
      const toll = tollOf(run, at);
      return list.filter((one) => isSame(one, listed[0], toll)).length;
    },
  ],
  [
    'copy',
    (list, { run, at }) => {
      spend(run, list.length, at);
      return [...list];
    },
  ],
]);

/** Returns a method that visits all entries, and charges for them. */
function counted(visit: (dict: Dict) => unknown): DictMethod {
  return (dict, { run, at }) => {
    spend(run, Object.keys(dict).length, at);
    return visit(dict);
  };
}

const keyOf = ({ listed, run, at }: Call): string => show(run, listed[0], at);

/**
 * The methods of dicts, by name.
 *
 * @see https://docs.python.org/3/library/stdtypes.html#mapping-types-dict
 */
export const DICT_METHODS: ReadonlyMap<string, DictMethod> = new Map<string, DictMethod>([
  ['items', counted((dict) => Object.entries(dict).map(tuple))],
  ['keys', counted((dict) => Object.keys(dict))],
  ['values', counted((dict) => Object.values(dict))],
  [
    'get',
    (dict, { listed: [name, absent], run, at }) => {
      if (isMissing(name)) return absent ?? null;
      const key = show(run, name, at);
      return Object.hasOwn(dict, key) ? dict[key] : (absent ?? null);
    },
  ],
  [
    'update',
    (dict, { listed: [given], named, run, at }) => {
      const pairs = isDict(given)
        ? Object.entries(given)
        : given === undefined
          ? []
          : itemsOf(run, given, at);
      spend(run, pairs.length + named.size, at);
      for (const pair of [...pairs, ...named]) {
        if (!isList(pair) || pair.length !== 2)
          throw jinjaError(run.text, at, 'update needs a dict, or a list of pairs');
        dict[show(run, pair[0], at)] = pair[1];
      }
      return null;
    },
  ],
  [
    'setdefault',
    (dict, call) => {
      const key = keyOf(call);
      if (!Object.hasOwn(dict, key)) dict[key] = call.listed[1] ?? null;
      return dict[key];
    },
  ],
  [
    'pop',
    (dict, call) => {
      const key = keyOf(call);
      if (!isIn(call.run, key, dict, call.at)) {
        if (call.listed.length > 1) return call.listed[1];
        throw jinjaError(call.run.text, call.at, `pop: the dict has no ${key}`);
      }
      const value = dict[key];
      delete dict[key];
      return value;
    },
  ],
  [
    'clear',
    (dict) => {
      for (const key of Object.keys(dict)) delete dict[key];
      return null;
    },
  ],
  ['copy', counted((dict) => dictOf(Object.entries(dict)))],
]);
