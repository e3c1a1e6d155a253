import { jinjaError } from '../jinja-error.ts';
import { numberOf, spend, spendText, tollOf } from '../run.ts';
import { isDict, isMissing, isTrue, kindOf, toJson } from '../values.ts';
import { type Filter, type FilterCall, numberArgument, textArgument } from './filter.ts';
import { LIST_FILTERS } from './filters-list.ts';
import { TEXT_FILTERS } from './filters-text.ts';

/** Filters that accept a name without a value. */
export const TAKES_MISSING: ReadonlySet<string> = new Set(['default', 'd']);

const byDefault: Filter = (value, given) => {
  const fallback = given.argument(0, 'default_value') ?? '';
  const alsoFalse = isTrue(given.argument(1, 'boolean') ?? false);
  return isMissing(value) || (alsoFalse && !isTrue(value)) ? fallback : value;
};

function toInteger(value: unknown, given: FilterCall): number {
  const number = toNumber(value, /^\s*[-+]?\d+/);
  return number === null ? numberArgument(given, 0, 'default', 0) : Math.trunc(number);
}

function toFloat(value: unknown, given: FilterCall): number {
  return (
    toNumber(value, /^\s*[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?\s*$/) ??
    numberArgument(given, 0, 'default', 0)
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

function dictItems(value: unknown, { run, at }: FilterCall): unknown[] {
  if (!isDict(value)) throw jinjaError(run.text, at, `expected a dict, found ${kindOf(value)}`);
  const entries = Object.entries(value);
  spend(run, entries.length, at);
  return entries;
}

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
      const text = toJson(value, tollOf(run, at), indent || undefined);
      spendText(run, text.length, at);
      return text;
    },
  ],
  ['items', dictItems],
  ['dictsort', (value, given) => dictItems(value, given).sort()],
  ...Object.entries(TEXT_FILTERS),
  ...Object.entries(LIST_FILTERS),
]);
