import type { ListQuery, Operator } from './query.ts';
import {
  addCondition,
  finish,
  isObject,
  type Members,
  membersIn,
  type Reading,
  readPage,
  refuse,
  startReading,
} from './read.ts';
import type { Resource } from './resource.ts';

const PAIRS: ReadonlyMap<string, Operator> = new Map([
  ['equals', 'eq'],
  ['contains', 'contains'],
  ['startsWith', 'prefix'],
  ['greaterThan', 'gt'],
  ['greaterThanEquals', 'gte'],
  ['lessThan', 'lt'],
  ['lessThanEquals', 'lte'],
]);
const OTHER_DIALECT = new Set([
  'starts-with',
  'in',
  'not-in',
  'gt',
  'gte',
  'lt',
  'lte',
  'include',
  'exclude',
]);
const PAGE = new Set(['skip', 'limit', 'sort', 'order']);

/** What a list takes beside its dialect. */
export type Extras = {
  /** Members that are plain equalities of the field of the same name: `enabled=true`. */
  plain?: readonly string[];
  /** Members that the caller of the reader understands itself. */
  ignored?: readonly string[];
};

/**
 * Read a query in the pair dialect: `equals=v&equalsField=f`, and so on (lifecycle §0.3).
 *
 * @param query decoded: skip, limit and order are numbers; values are text, or already of the field's type
 * @throws QueryRefused with every issue: unknown members and fields, halves of pairs, the other dialect, bounds
 */
export function readPairs(resource: Resource, query: unknown, extras: Extras = {}): ListQuery {
  const reading = startReading(resource);
  const members = membersIn(reading, query);
  for (const name of Object.keys(members)) {
    if (isKnown(name) || extras.ignored?.includes(name) || name === 'token') continue;
    if (extras.plain?.includes(name)) {
      addCondition(reading, { value: [name], field: [name] }, name, 'eq', members[name]);
    } else if (OTHER_DIALECT.has(name)) {
      refuse(reading, [name], `this list filters by pairs: ${ways()}`, 'other_dialect');
    } else {
      refuse(reading, [name], 'is not a parameter of this list', 'unknown_parameter');
    }
  }
  for (const [name, op] of PAIRS) addPair(reading, members, name, op);
  readPage(reading, members);
  return finish(reading);
}

function addPair(reading: Reading, members: Members, name: string, op: Operator): void {
  const value = members[name];
  const field = members[`${name}Field`];
  if (isObject(value)) {
    refuse(reading, [name], `this list filters by pairs: ${name}=value&${name}Field=field`, 'other_dialect');
  } else if (value !== undefined && field !== undefined) {
    addCondition(reading, { value: [name], field: [`${name}Field`] }, field, op, value);
  } else if (value !== undefined) {
    refuse(reading, [name], `needs its field in ${name}Field`, 'missing_field');
  } else if (field !== undefined) {
    refuse(reading, [`${name}Field`], `needs its value in ${name}`, 'missing_value');
  }
}

const isKnown = (name: string) => PAGE.has(name) || PAIRS.has(name.replace(/Field$/, ''));

const ways = () => [...PAIRS.keys()].map((name) => `${name} with ${name}Field`).join(', ');
