import type { ListQuery, Sort } from './query.ts';
import { BOUNDS } from './query.ts';
import {
  addCondition,
  finish,
  isObject,
  knownField,
  type Members,
  membersIn,
  type Path,
  type Reading,
  readCount,
  readDirection,
  readSort,
  refuse,
  startReading,
} from './read.ts';
import type { Resource } from './resource.ts';

/** How one search differs from the next. */
export type SearchOptions = {
  /**
   * Compiles an expression for `regex: true`; without it the search takes none. Its message, when it throws, is the
   * issue that the caller sees.
   */
  pattern?: (source: string) => { test(text: string): boolean };
  /** The search's own words for fields: `{ date: 'updated' }`. */
  fields?: Readonly<Record<string, string>>;
  /** Largest `limit`, when it is not 1000. */
  most?: number;
};

const KNOWN = new Set(['start', 'limit', 'sort', 'order', 'filter', 'regex', 'exactMatch']);

/**
 * Read the options of a configuration_manager search and of the parser list: `start`, `limit` (also as digits),
 * `sort` an object or array of objects of field and ±1, `order` ascending or descending, `filter` from field to text
 * (literal substring; exact with `exactMatch`; an expression with `regex`), where an empty text does not filter
 * (interface §4.4, decisions §4, lifecycle §4.1).
 *
 * @throws QueryRefused with every issue
 */
export function readSearch(resource: Resource, options: unknown, how: SearchOptions = {}): ListQuery {
  const reading = startReading(resource);
  const members = membersIn(reading, options);
  for (const name of Object.keys(members)) {
    if (!KNOWN.has(name)) refuse(reading, [name], 'is not an option of this search', 'unknown_parameter');
  }
  const { query } = reading;
  query.skip = readCount(reading, ['start'], numeric(members.start), 0) ?? query.skip;
  query.limit =
    readCount(reading, ['limit'], numeric(members.limit), 1, how.most ?? BOUNDS.limit) ?? query.limit;
  const sorts = readSorts(reading, members, how);
  if (sorts.length > 0) query.sort = sorts;
  readFilter(reading, members, how);
  return finish(reading);
}

function readFilter(reading: Reading, members: Members, how: SearchOptions): void {
  const regex = readFlag(reading, members, 'regex');
  const exact = readFlag(reading, members, 'exactMatch');
  if (regex && !how.pattern) refuse(reading, ['regex'], 'this search takes no expressions');
  if (regex && exact) refuse(reading, ['exactMatch'], 'cannot stand beside regex');
  for (const [name, value] of Object.entries(membersIn(reading, members.filter, ['filter']))) {
    if (value === '') continue;
    const field = fieldNamed(name, how);
    const at = ['filter', name];
    if (regex && how.pattern) addPattern(reading, at, field, value, how.pattern);
    else addCondition(reading, { value: at, field: at }, field, exact ? 'eq' : 'contains', value);
  }
}

function addPattern(
  reading: Reading,
  at: Path,
  name: string,
  source: unknown,
  pattern: NonNullable<SearchOptions['pattern']>,
): void {
  const field = knownField(reading, at, name);
  if (!field) return;
  if (field.type !== 'text' || typeof source !== 'string') {
    refuse(reading, at, 'an expression is text, for a field of text', 'invalid_type');
    return;
  }
  try {
    const expression = pattern(source);
    const condition = addCondition(reading, { value: at, field: at }, name, 'matches', source);
    if (condition) condition.test = (text) => expression.test(text);
  } catch (error) {
    refuse(reading, at, error instanceof Error ? error.message : String(error), 'invalid_pattern');
  }
}

function readSorts(reading: Reading, { sort, order }: Members, how: SearchOptions): Sort[] {
  const descending = order === 'descending';
  if (order !== undefined && order !== 'ascending' && !descending) {
    refuse(reading, ['order'], 'must be ascending or descending');
  }
  const sorts: Sort[] = [];
  const parts: [Path, unknown][] = Array.isArray(sort)
    ? sort.slice(0, BOUNDS.sorts + 1).map((part, index) => [['sort', index], part])
    : [[['sort'], sort]];
  for (const [path, part] of parts) {
    if (part !== undefined && !isObject(part)) refuse(reading, path, 'must be an object', 'invalid_type');
    for (const [name, given] of Object.entries(isObject(part) ? membersIn(reading, part, path) : {})) {
      const direction = readDirection(reading, [...path, name], given);
      const read = readSort(reading, [...path, name], fieldNamed(name, how), descending ? -1 : direction);
      if (read) sorts.push(read);
    }
  }
  if (sorts.length > BOUNDS.sorts) refuse(reading, ['sort'], `at most ${BOUNDS.sorts} fields`, 'too_big');
  return sorts;
}

function readFlag(reading: Reading, members: Members, name: string): boolean {
  const flag = members[name] ?? false;
  if (typeof flag !== 'boolean') refuse(reading, [name], 'must be true or false', 'invalid_type');
  return flag === true;
}

const fieldNamed = (name: string, { fields }: SearchOptions): string =>
  fields && Object.hasOwn(fields, name) ? (fields[name] ?? name) : name;

/** Clients send these numbers as digits too (lifecycle §4.1). */
const numeric = (count: unknown): unknown =>
  typeof count === 'string' && /^\d{1,15}$/.test(count) ? Number(count) : count;
