import { clipped } from '../../text/clipped.ts';
import { jinjaError } from '../jinja-error.ts';
import { isIn, ordered } from '../operators.ts';
import { itemsOf, required, show, spend, spendReading, spendText } from '../run.ts';
import { group, isDict, isMissing, isTrue, kindOf, memberOf, missing } from '../values.ts';
import { applied, type Filter, type FilterCall, numberArgument, textArgument } from './filter.ts';
import { holds } from './tests.ts';

const items = (value: unknown, { run, at }: FilterCall) => itemsOf(run, value, at);

/** Reads an attribute of a value; undefined when it has none. */
type AttributeReader = (value: unknown) => unknown;

/** Returns what reads an attribute by its dotted path, each name of which is a step; numbers are list indexes. */
function attributeReader(path: unknown, { run, at }: FilterCall): AttributeReader {
  if (typeof path === 'number') return (value) => memberOf(value, path);
  const names = String(path).split('.');
  return (value) => {
    spend(run, names.length, at);
    return names.reduce<unknown>(
      (one, name) => memberOf(one, /^\d+$/.test(name) && !isDict(one) ? Number(name) : name),
      value,
    );
  };
}

/** Returns what reads an attribute that every item must have. */
function requiredReader(path: unknown, given: FilterCall): AttributeReader {
  const read = attributeReader(path, given);
  return (one) => required(given.run, orElse(read(one), missing(clipped(String(path), 500))), given.at);
}

const length: Filter = (value, { run, at }) => {
  if (typeof value === 'string') return value.length;
  return itemsOf(run, value, at).length;
};

/** Returns the first or last item; for an empty list a missing value, which is an error unless a default follows. */
const end =
  (place: number, name: string): Filter =>
  (value, given) =>
    orElse(items(value, given).at(place), missing(`${name} of an empty list`));

const join: Filter = (value, given) => {
  const { run, at } = given;
  const by = textArgument(given, 0, 'd', '');
  const attribute = given.argument(1, 'attribute');
  const read: AttributeReader = attribute === undefined ? (one) => one : requiredReader(attribute, given);
  const texts = items(value, given).map((one) => show(run, read(one), at));
  spendText(
    run,
    texts.reduce((sum, text) => sum + text.length + by.length, 0),
    at,
  );
  return texts.join(by);
};

/** Returns a value, or another one where there is none; `none` is a value. */
const orElse = (value: unknown, absent: unknown) => (value === undefined ? absent : value);

const isNothing = (argument: unknown) => argument === undefined || argument === null;

/** Steps that count for one of several sort keys: to prepare it takes as long as some steps. */
const KEY_STEPS = 4;

/** Returns a function for the sort key of an item: an attribute or the item; strings ignore case unless `sensitive`. */
function keyOf(given: FilterCall, attribute: unknown, sensitive: boolean): AttributeReader {
  if (typeof attribute === 'string' && attribute.includes(',')) {
    const paths = attribute.split(',');
    spend(given.run, KEY_STEPS * paths.length, given.at);
    const keys = paths.map((path) => keyOf(given, path.trim(), sensitive));
    return (one) => keys.map((key) => key(one));
  }
  const read: AttributeReader = isNothing(attribute) ? (one) => one : requiredReader(attribute, given);
  return (one) => {
    const key = read(one);
    if (typeof key !== 'string' || sensitive) return key;
    spendReading(given.run, [key], given.at);
    return key.toLowerCase();
  };
}

const sort: Filter = (value, given) => {
  const key = keyOf(given, given.argument(2, 'attribute'), isTrue(given.argument(1, 'case_sensitive')));
  const sign = isTrue(given.argument(0, 'reverse')) ? -1 : 1;
  return items(value, given)
    .map((one) => ({ one, key: key(one) }))
    .sort((a, b) => sign * ordered(given.run, a.key, b.key, given.at))
    .map(({ one }) => one);
};

const unique: Filter = (value, given) => {
  const key = keyOf(given, given.argument(1, 'attribute'), isTrue(given.argument(0, 'case_sensitive')));
  const seen = new Set<string>();
  return items(value, given).filter((one) => {
    const text = show(given.run, [key(one)], given.at);
    return !seen.has(text) && seen.add(text);
  });
};

const extreme =
  (sign: number, name: string): Filter =>
  (value, given) => {
    const key = keyOf(given, given.argument(1, 'attribute'), isTrue(given.argument(0, 'case_sensitive')));
    const all = items(value, given);
    if (all.length === 0) return missing(`${name} of an empty list`);
    return all.reduce((best, one) =>
      sign * ordered(given.run, key(one), key(best), given.at) < 0 ? one : best,
    );
  };

const sum: Filter = (value, given) => {
  const attribute = given.argument(0, 'attribute');
  const read: AttributeReader = attribute === undefined ? (one) => one : requiredReader(attribute, given);
  return items(value, given).reduce<number>(
    (total, one) => {
      const number = read(one);
      if (typeof number !== 'number')
        throw jinjaError(given.run.text, given.at, `sum needs numbers, found ${kindOf(number)}`);
      return total + number;
    },
    numberArgument(given, 1, 'start', 0),
  );
};

/** Whether a filter for items has nothing to do: Jinja asks no more of what is false, such as none. */
const isSkipped = (value: unknown, { run }: FilterCall) =>
  run.dialect.missing === 'is nothing' && !isTrue(value);

/** Maps every item to an attribute, or to the result of a filter. */
const map: Filter = (value, given) => {
  if (isSkipped(value, given)) return [];
  const attribute = given.argument(-1, 'attribute');
  const absent = given.argument(-1, 'default');
  if (attribute !== undefined) {
    const read = attributeReader(attribute, given);
    const needed = requiredReader(attribute, given);
    return items(value, given).map((one) => read(one) ?? (absent === undefined ? needed(one) : absent));
  }
  const name = textArgument(given, 0, 'filter', '');
  const filter = given.named(name);
  if (!filter) throw jinjaError(given.run.text, given.at, `unknown filter ${name}`);
  const shifted: FilterCall = {
    ...given,
    argument: (place, called) => given.argument(place < 0 ? place : place + 1, called),
    allListed: () => given.allListed().slice(1),
  };
  return items(value, given).map((one) => applied(filter, one, shifted));
};

/** Keeps (or drops) the items that pass a test, or whose attribute does; without a test, those that are true. */
const picked =
  (keep: boolean, byAttribute: boolean): Filter =>
  (value, given) => {
    if (isSkipped(value, given)) return [];
    const first = byAttribute ? 1 : 0;
    const path = byAttribute ? textArgument(given, 0, 'attribute', '') : '';
    const name = given.argument(first, 'test');
    const read = byAttribute ? attributeReader(path, given) : null;
    return items(value, given).filter((one) => {
      const tested = read ? orElse(read(one), missing(clipped(path, 500))) : one;
      if (name === undefined) return (!isMissing(tested) && isTrue(tested)) === keep;
      return holds(given.run, String(name), tested, given.allListed().slice(first + 1), given.at) === keep;
    });
  };

const batch: Filter = (value, given) => {
  const size = Math.max(1, Math.trunc(numberArgument(given, 0, 'linecount', 1)));
  const fill = given.argument(1, 'fill_with');
  const all = items(value, given);
  spend(given.run, isNothing(fill) ? 1 : size, given.at);
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) => {
    const part = all.slice(at * size, (at + 1) * size);
    return isNothing(fill) ? part : [...part, ...Array.from({ length: size - part.length }, () => fill)];
  });
};

/** Divides a list into as many parts; the first ones are longer by one where it does not divide evenly. */
const slice: Filter = (value, given) => {
  const count = Math.max(1, Math.trunc(numberArgument(given, 0, 'slices', 1)));
  const fill = given.argument(1, 'fill_with');
  const all = items(value, given);
  spend(given.run, count, given.at);
  const [size, longer] = [Math.floor(all.length / count), all.length % count];
  return Array.from({ length: count }, (_, at) => {
    const from = at * size + Math.min(at, longer);
    const part = all.slice(from, from + size + (at < longer ? 1 : 0));
    return isNothing(fill) || at < longer ? part : [...part, fill];
  });
};

/** Divides a list by an attribute of its items, in the order of the attribute. */
const groupby: Filter = (value, given) => {
  const { run, at } = given;
  const attribute = given.argument(0, 'attribute');
  const absent = given.argument(1, 'default');
  const isSensitive = isTrue(given.argument(2, 'case_sensitive') ?? false);
  const read = attributeReader(attribute, given);
  const needed = requiredReader(attribute, given);
  const grouperOf = (one: unknown) => {
    const found = read(one);
    if (found === undefined && !isNothing(absent)) return absent;
    return orElse(found, needed(one));
  };
  const keyed = items(value, given).map((one) => {
    const grouper = grouperOf(one);
    spendReading(run, [grouper], at);
    const key = typeof grouper === 'string' && !isSensitive ? grouper.toLowerCase() : grouper;
    return { one, grouper, key };
  });
  keyed.sort((a, b) => ordered(run, a.key, b.key, at));
  const groups: { key: unknown; grouper: unknown; list: unknown[] }[] = [];
  for (const { one, grouper, key } of keyed) {
    const last = groups.at(-1);
    if (last && ordered(run, last.key, key, at) === 0) last.list.push(one);
    else groups.push({ key, grouper, list: [one] });
  }
  return groups.map(({ grouper, list }) => group(grouper, list));
};

const reverse: Filter = (value, given) => {
  const reversed = items(value, given).toReversed();
  return typeof value === 'string' ? reversed.join('') : reversed;
};

/** The filters for lists, by name. */
export const LIST_FILTERS: Readonly<Record<string, Filter>> = {
  length,
  count: length,
  first: end(0, 'first'),
  last: end(-1, 'last'),
  join,
  sort,
  unique,
  min: extreme(1, 'min'),
  max: extreme(-1, 'max'),
  sum,
  map,
  select: picked(true, false),
  reject: picked(false, false),
  selectattr: picked(true, true),
  rejectattr: picked(false, true),
  list: (value, given) => [...items(value, given)],
  reverse,
  batch,
  slice,
  groupby,
  union: (value, given) => [
    ...items(value, given),
    ...items(given.argument(0, 'other'), given).filter((one) => !isIn(given.run, one, value, given.at)),
  ],
  difference: (value, given) =>
    items(value, given).filter((one) => !isIn(given.run, one, given.argument(0, 'other'), given.at)),
  intersect: (value, given) =>
    items(value, given).filter((one) => isIn(given.run, one, given.argument(0, 'other'), given.at)),
};
