import type { Extras } from './pair.ts';
import { BOUNDS, type ListQuery, type Operator } from './query.ts';
import {
  addCondition,
  finish,
  isObject,
  knownField,
  type Members,
  membersIn,
  type Reading,
  readPage,
  refuse,
  startReading,
} from './read.ts';
import type { Resource } from './resource.ts';

const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ['equals', 'eq'],
  ['contains', 'contains'],
  ['starts-with', 'prefix'],
  ['in', 'in'],
  ['not-in', 'not-in'],
  ['gt', 'gt'],
  ['gte', 'gte'],
  ['lt', 'lt'],
  ['lte', 'lte'],
]);
const OTHER_DIALECT =
  /^(startsWith|(equals|contains|startsWith)Field|(greaterThan|lessThan)(Equals)?(Field)?)$/;
const PAGE = new Set(['skip', 'limit', 'sort', 'order', 'include', 'exclude']);

/**
 * Read a query in the bracket dialect: `equals[f]=v`, `in[f]=a&in[f]=b`, `include=a,b` (lifecycle §0.3).
 *
 * @param query decoded: each operator an object from dotted field to value; skip, limit and order are numbers
 * @throws QueryRefused with every issue: unknown operators and fields, the other dialect, bounds, both projections
 */
export function readBrackets(resource: Resource, query: unknown, extras: Extras = {}): ListQuery {
  const reading = startReading(resource);
  const members = membersIn(reading, query);
  for (const [name, value] of Object.entries(members)) {
    const op = OPERATORS.get(name);
    if (op) readOperator(reading, name, op, value);
    else if (extras.plain?.includes(name)) {
      addCondition(reading, { value: [name], field: [name] }, name, 'eq', value);
    } else if (OTHER_DIALECT.test(name)) {
      refuse(reading, [name], `this list filters in brackets: ${ways()}`, 'other_dialect');
    } else if (!PAGE.has(name) && !extras.ignored?.includes(name) && name !== 'token') {
      refuse(reading, [name], `is not an operator or parameter of this list: ${ways()}`, 'unknown_parameter');
    }
  }
  readPage(reading, members);
  readProjection(reading, members);
  return finish(reading);
}

function readOperator(reading: Reading, name: string, op: Operator, value: unknown): void {
  if (!isObject(value)) {
    refuse(reading, [name], `this list filters in brackets: ${name}[field]=value`, 'other_dialect');
    return;
  }
  for (const [field, one] of Object.entries(membersIn(reading, value, [name]))) {
    const at = [name, field];
    if (isObject(one))
      refuse(reading, at, 'must be a value; a field inside is dotted: [a.b]', 'invalid_type');
    else addCondition(reading, { value: at, field: at }, field, op, one);
  }
}

function readProjection(reading: Reading, { include, exclude }: Members): void {
  if (include !== undefined && exclude !== undefined) {
    refuse(reading, ['exclude'], 'cannot stand beside include: name what to keep or what to leave out');
  }
  if (include !== undefined) reading.query.include = readNames(reading, 'include', include);
  if (exclude !== undefined) reading.query.exclude = readNames(reading, 'exclude', exclude);
}

/** Fields separated by commas; a repeated member adds up. */
function readNames(reading: Reading, member: string, value: unknown): string[] | null {
  const texts: unknown[] = Array.isArray(value) ? value : [value];
  const names = new Set<string>();
  for (const text of texts.slice(0, BOUNDS.projected + 1)) {
    if (typeof text !== 'string') {
      refuse(reading, [member], 'must be field names, separated by commas', 'invalid_type');
      return null;
    }
    for (const name of text.split(',', BOUNDS.projected + 1)) names.add(name.trim());
  }
  if (names.size > BOUNDS.projected) {
    refuse(reading, [member], `at most ${BOUNDS.projected} fields`, 'too_big');
    return null;
  }
  for (const name of names) if (name !== '_id') knownField(reading, [member], name);
  return [...names];
}

const ways = () => [...OPERATORS.keys()].map((name) => `${name}[field]`).join(', ');
