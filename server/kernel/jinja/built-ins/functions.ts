import { jinjaError } from '../jinja-error.ts';
import { itemsOf, numberOf, show, spend } from '../run.ts';
import { type Dict, dictOf, isDict, isList, macro, namespace } from '../values.ts';
import type { Call } from './call.ts';

function range({ listed, run, at }: Call): number[] {
  const [first = 0, second, step = 1] = listed.map((one) => Math.trunc(numberOf(run, one, at)));
  const [from, to] = second === undefined ? [0, first] : [first, second];
  if (step === 0) throw jinjaError(run.text, at, 'range needs a step other than 0');
  const length = Math.max(0, Math.ceil((to - from) / step));
  spend(run, length, at);
  return Array.from({ length }, (_, place) => from + place * step);
}

/** Returns the entries of a dict or of a list of pairs, and the named arguments after them. */
function entriesOf({ listed, named, run, at }: Call): [string, unknown][] {
  const [given] = listed;
  const pairs = isDict(given) ? Object.entries(given) : given === undefined ? [] : itemsOf(run, given, at);
  spend(run, pairs.length, at);
  const entries = pairs.map((pair): [string, unknown] => {
    if (isList(pair) && pair.length === 2) return [show(run, pair[0], at), pair[1]];
    throw jinjaError(run.text, at, 'dict needs a dict, or a list of pairs');
  });
  return [...entries, ...named];
}

/** Returns a value whose `next` gives one item after the other, again and again. */
function cycler({ listed, run, at }: Call): Dict {
  if (listed.length === 0) throw jinjaError(run.text, at, 'cycler needs values');
  let place = 0;
  const fields: Dict = Object.create(null);
  const moveTo = (next: number) => {
    place = next % listed.length;
    fields.current = listed[place];
  };
  moveTo(0);
  fields.reset = macro('cycler.reset', () => {
    moveTo(0);
    return null;
  });
  fields.next = macro('cycler.next', () => {
    const item = listed[place];
    moveTo(place + 1);
    return item;
  });
  return fields;
}

/** Returns a function that gives the separator, but not at its first call. */
function joiner({ listed, named }: Call) {
  const separator = listed[0] ?? named.get('sep') ?? ', ';
  let isFirst = true;
  return macro('joiner', () => {
    const text = isFirst ? '' : separator;
    isFirst = false;
    return text;
  });
}

/**
 * The functions of the language, by name; a variable of the same name hides one.
 *
 * @see https://jinja.palletsprojects.com/en/stable/templates/#list-of-global-functions
 */
export const FUNCTIONS: ReadonlyMap<string, (call: Call) => unknown> = new Map<
  string,
  (call: Call) => unknown
>([
  ['range', range],
  ['namespace', (call) => namespace(new Map(entriesOf(call)))],
  ['dict', (call) => dictOf(entriesOf(call))],
  ['cycler', cycler],
  ['joiner', joiner],
]);
