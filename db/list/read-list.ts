import { type Filter, type Order, parseForms } from './forms.ts';
import { BOUNDS, type ListQuery } from './query.ts';
import {
  addCondition,
  addIssue,
  definedFields,
  finish,
  type JsonObject,
  knownField,
  type QueryBuilder,
  readCount,
  readSort,
  reversed,
  startReading,
} from './read.ts';
import type { Resource } from './resource.ts';

/** Options that differ from list to list. */
export type ListOptions = {
  /** Parameters that test the field of the same name for equality: `enabled=true`. */
  plain?: readonly string[];
  /** Returns whether a field must not be filtered or sorted by: the results would reveal a secret letter by letter. */
  hidden?: (field: string) => boolean;
  /**
   * Compiles an expression for `regex: true`; without it the list does not accept expressions. The message of an error
   * that it throws is the issue that the caller sees.
   */
  pattern?: (source: string) => { test(text: string): boolean };
  /** The list's own names of fields: `{ date: 'updated' }`. */
  fields?: Readonly<Record<string, string>>;
  /** Largest `limit`, if not 1000. */
  most?: number;
};

/**
 * Reads the query of a list, in any of the forms that lists accept (forms.ts, docs/lists.md).
 *
 * @param query decoded: values are text, or already of the field's type; counts are numbers or digits
 * @throws InvalidListQuery with every issue: unknown parameters and fields, incomplete pairs, contradictions, bounds
 */
export function readList(resource: Resource, query: unknown, how: ListOptions = {}): ListQuery {
  const reading = startReading(resource, how.hidden);
  const members = definedFields(reading.issues, query);
  const { filters, skip, sort, turned, others } = parseForms(members, reading.issues, how.plain);
  for (const name of Object.keys(others)) {
    if (name === 'token') continue;
    addIssue(reading.issues, [name], 'is not a parameter of this list', 'unknown_parameter');
  }
  const wanted = filters.filter(({ at, value }) => at.value[0] !== 'filter' || value !== '');
  for (const filter of wanted) readFilter(reading, filter, how);
  readFlags(reading, members, how);
  const { query: read } = reading;
  read.skip = readCount(reading, [skip.name], numeric(skip.value), 0) ?? read.skip;
  const most = how.most ?? BOUNDS.limit;
  read.limit = readCount(reading, ['limit'], numeric(members.limit), 1, most) ?? read.limit;
  readOrder(reading, sort, turned, how);
  readProjection(reading, members);
  return finish(reading);
}

/** Parses a count sent as digits, as some clients do (contract/lifecycle#4.1). */
const numeric = (count: unknown): unknown =>
  typeof count === 'string' && /^\d{1,15}$/.test(count) ? Number(count) : count;

const named = (field: unknown, { fields }: ListOptions): unknown =>
  typeof field === 'string' && fields && Object.hasOwn(fields, field) ? fields[field] : field;

function readFilter(reading: QueryBuilder, { op, field, value, at }: Filter, how: ListOptions): void {
  const name = named(field, how);
  if (op !== 'matches') addCondition(reading, at, name, op, value);
  else if (how.pattern) addPattern(reading, { field: name, value, at }, how.pattern);
}

function addPattern(
  reading: QueryBuilder,
  { field: name, value, at }: Omit<Filter, 'op'>,
  pattern: NonNullable<ListOptions['pattern']>,
): void {
  const field = knownField(reading, at.field, name);
  if (!field) return;
  if (field.type !== 'text' || typeof value !== 'string') {
    addIssue(reading.issues, at.value, 'must be text, and for a text field', 'invalid_type');
    return;
  }
  try {
    const expression = pattern(value);
    const condition = addCondition(reading, at, name, 'matches', value);
    if (condition) condition.test = (text) => expression.test(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    addIssue(reading.issues, at.value, message, 'invalid_pattern');
  }
}

function readFlags({ issues }: QueryBuilder, members: JsonObject, { pattern }: ListOptions): void {
  const given = ['regex', 'exactMatch'].filter((name) => {
    const flag = members[name] ?? false;
    if (typeof flag !== 'boolean') addIssue(issues, [name], 'must be true or false', 'invalid_type');
    return flag === true;
  });
  if (given.includes('regex') && !pattern) addIssue(issues, ['regex'], 'is not supported by this search');
  if (given.length === 2) addIssue(issues, ['exactMatch'], 'cannot be combined with regex');
}

function readOrder(reading: QueryBuilder, orders: readonly Order[], turned: boolean, how: ListOptions): void {
  const { query } = reading;
  if (orders.length > BOUNDS.sorts) {
    addIssue(reading.issues, ['sort'], `at most ${BOUNDS.sorts} fields`, 'too_big');
    return;
  }
  const read = orders
    .map(({ field, direction, at }) => readSort(reading, at, named(field, how), direction))
    .filter((sort) => sort !== undefined);
  if (read.length > 0) query.sort = read;
  else if (turned) query.sort = reversed(query.sort);
}

function readProjection(reading: QueryBuilder, { include, exclude }: JsonObject): void {
  if (include !== undefined && exclude !== undefined) {
    addIssue(
      reading.issues,
      ['exclude'],
      'cannot be combined with include: list the fields to keep or the fields to omit',
    );
  }
  if (include !== undefined) reading.query.include = readNames(reading, 'include', include);
  if (exclude !== undefined) reading.query.exclude = readNames(reading, 'exclude', exclude);
}

/** Reads field names separated by commas; repeated parameters are combined. */
function readNames(reading: QueryBuilder, member: string, value: unknown): string[] | null {
  const texts: unknown[] = Array.isArray(value) ? value : [value];
  const names = new Set<string>();
  for (const text of texts.slice(0, BOUNDS.projected + 1)) {
    if (typeof text !== 'string') {
      addIssue(reading.issues, [member], 'must be field names, separated by commas', 'invalid_type');
      return null;
    }
    for (const name of text.split(',', BOUNDS.projected + 1)) names.add(name.trim());
  }
  if (names.size > BOUNDS.projected) {
    addIssue(reading.issues, [member], `at most ${BOUNDS.projected} fields`, 'too_big');
    return null;
  }
  for (const name of names) if (name !== '_id') knownField(reading, [member], name);
  return [...names];
}
