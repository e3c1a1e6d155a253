import { jinjaError } from '../jinja-error.ts';
import { ordered } from '../operators.ts';
import { numberOf, present, required, spend, spendReading, spendText, tollOf } from '../run.ts';
import { isDict, isMissing, isTrue, kindOf, memberOf, missing, tuple } from '../values.ts';
import { type Filter, type FilterCall, numberArgument, textArgument } from './filter.ts';
import { LIST_FILTERS } from './filters-list.ts';
import { TEXT_FILTERS } from './filters-text.ts';

/** Filters that accept a name without a value. */
export const TAKES_MISSING: ReadonlySet<string> = new Set(['default', 'd', 'mandatory']);

const byDefault: Filter = (value, given) => {
  const named = given.argument(0, 'default_value');
  const fallback = named === undefined ? '' : named;
  const alsoFalse = isTrue(given.argument(1, 'boolean') ?? false);
  return isMissing(value) || (alsoFalse && !isTrue(value)) ? fallback : value;
};

function toInteger(value: unknown, given: FilterCall): unknown {
  const absent = given.argument(0, 'default') ?? 0;
  const base = numberArgument(given, 1, 'base', 10);
  if (base !== 10 && typeof value === 'string') return wholeOfBase(value, base) ?? absent;
  const number = toNumber(value, given.run.dialect.wholeNumber);
  return number === null ? absent : Math.trunc(number);
}

/** Reads a whole number in another base, with or without its prefix; undefined when it is none. */
function wholeOfBase(text: string, base: number): number | undefined {
  const prefix = { 2: '0b', 8: '0o', 16: '0x' }[base] ?? '';
  const [, sign = '', digits = ''] = /^\s*([-+]?)(\w+)\s*$/.exec(text.toLowerCase()) ?? [];
  const bare = prefix !== '' && digits.startsWith(prefix) ? digits.slice(prefix.length) : digits;
  const allowed = '0123456789abcdefghijklmnopqrstuvwxyz'.slice(0, Math.min(Math.max(base, 2), 36));
  if (bare === '' || [...bare].some((one) => !allowed.includes(one))) return undefined;
  return Number.parseInt(`${sign}${bare}`, allowed.length);
}

function toFloat(value: unknown, given: FilterCall): unknown {
  return (
    toNumber(value, /^\s*[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?\s*$/) ?? given.argument(0, 'default') ?? 0
  );
}

function toNumber(value: unknown, form: RegExp): number | null {
  if (typeof value === 'number' || typeof value === 'boolean') return Number(value);
  const found = typeof value === 'string' ? form.exec(value) : null;
  const number = Number(found?.[0]);
  return found && Number.isFinite(number) ? number : null;
}

/** Rounds a number, halves away from zero for both signs; `method` may be common, ceil or floor. */
function round(value: unknown, given: FilterCall): number {
  const number = numberOf(given.run, value, given.at);
  const scale = 10 ** Math.min(Math.max(Math.trunc(numberArgument(given, 0, 'precision', 0)), 0), 15);
  const method = textArgument(given, 1, 'method', 'common');
  if (method === 'ceil') return Math.ceil(number * scale) / scale;
  if (method === 'floor') return Math.floor(number * scale) / scale;
  if (method !== 'common') throw jinjaError(given.run.text, given.at, `round has no method ${method}`);
  return (Math.sign(number) * Math.round(Math.abs(number) * scale)) / scale || 0;
}

function dictItems(value: unknown, { run, at }: FilterCall): [string, unknown][] {
  if (isMissing(required(run, value, at))) return [];
  if (!isDict(value)) throw jinjaError(run.text, at, `expected a dict, found ${kindOf(value)}`);
  const entries = Object.entries(value);
  spend(run, entries.length, at);
  return entries.map((entry) => tuple(entry) as [string, unknown]);
}

/** Sorts the entries of a dict by key or value; strings ignore case unless `case_sensitive`. */
const dictsort: Filter = (value, given) => {
  const isSensitive = isTrue(given.argument(0, 'case_sensitive') ?? false);
  const place = textArgument(given, 1, 'by', 'key') === 'value' ? 1 : 0;
  const sign = isTrue(given.argument(2, 'reverse') ?? false) ? -1 : 1;
  const key = (entry: readonly unknown[]) => {
    const one = entry[place];
    spendReading(given.run, [one], given.at);
    return typeof one === 'string' && !isSensitive ? one.toLowerCase() : one;
  };
  return dictItems(value, given).sort((a, b) => sign * ordered(given.run, key(a), key(b), given.at));
};

/** Every filter by its name. */
export const FILTERS: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ['default', byDefault],
  ['d', byDefault],
  ['int', toInteger],
  ['float', toFloat],
  ['round', round],
  ['abs', (value, { run, at }) => Math.abs(numberOf(run, value, at))],
  [
    'tojson',
    (value, given) => {
      const { run, at } = given;
      const indent = Math.min(Math.max(numberArgument(given, 0, 'indent', 0), 0), 8);
      const text = run.dialect.json(present(run, value, at), tollOf(run, at), indent || undefined);
      spendText(run, text.length, at);
      return text;
    },
  ],
  // Ansible's: in text templates, where a missing value stands for nothing, it is an error all the same
  ['mandatory', (value, { run, at }) => present(run, value, at)],
  ['items', dictItems],
  ['dictsort', dictsort],
  ['attr', (value, given) => memberOf(value, given.argument(0, 'name')) ?? missing('the attribute')],
  ...Object.entries(TEXT_FILTERS),
  ...Object.entries(LIST_FILTERS),
]);
