import { fromJsonText } from '../schemas/requests/json-text.ts';
import type { Direction, Issue, Operator } from './query.ts';
import { addIssue, definedFields, isObject, type JsonObject, type Path } from './read.ts';

/** A filter, and the paths of its field and its value in the query. */
export type Filter = { op: Operator; field: unknown; value: unknown; at: { field: Path; value: Path } };

/** One field to order by, and its path in the query. */
export type Order = { field: unknown; direction: Direction; at: Path };

/** A parsed query, whichever forms it uses; fields and values are not yet validated. */
export type ParsedQuery = {
  filters: Filter[];
  skip: { name: string; value: unknown };
  sort: Order[];
  /** No field is named: reverse the list's own order. */
  turned: boolean;
  /** Parameters that are not filters, paging or order. */
  others: JsonObject;
};

/** The operator of each filter name, and whether its field may come from a second parameter, `<name>Field`. */
const FILTERS: ReadonlyMap<string, { op: Operator; pair?: true }> = new Map([
  ['equals', { op: 'eq', pair: true }],
  ['contains', { op: 'contains', pair: true }],
  ['startsWith', { op: 'prefix', pair: true }],
  ['greaterThan', { op: 'gt', pair: true }],
  ['greaterThanEquals', { op: 'gte', pair: true }],
  ['lessThan', { op: 'lt', pair: true }],
  ['lessThanEquals', { op: 'lte', pair: true }],
  ['starts-with', { op: 'prefix' }],
  ['in', { op: 'in' }],
  ['not-in', { op: 'not-in' }],
  ['gt', { op: 'gt' }],
  ['gte', { op: 'gte' }],
  ['lt', { op: 'lt' }],
  ['lte', { op: 'lte' }],
  ['multiEquals', { op: 'eq' }],
  ['multiContains', { op: 'contains' }],
  ['multiStartsWith', { op: 'prefix' }],
  ['filter', { op: 'contains' }],
]);
const PAGE = new Set([
  'skip',
  'start',
  'limit',
  'sort',
  'order',
  'include',
  'exclude',
  'regex',
  'exactMatch',
]);

/**
 * Normalises the forms of list queries (docs/lists.md): filters as `equals[f]=v`, as `equals=v&equalsField=f` or as
 * `filter[f]=v`; `skip` or `start`; `sort=f&order=-1`, `sort[f]=-1` or `order=descending`. A filter repeated in two forms
 * counts once; two forms that disagree are an issue that names both.
 *
 * @param fields parameters of the query by name, as sent
 * @param issues receives problems with the forms; fields and values are not checked
 * @param plain parameters that test the field of their own name for equality: `enabled=true`
 */
export function parseForms(fields: JsonObject, issues: Issue[], plain: readonly string[] = []): ParsedQuery {
  const filters: Filter[] = [];
  const others: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(fields)) {
    if (plain.includes(name))
      filters.push({ op: 'eq', field: name, value, at: { field: [name], value: [name] } });
    else if (!PAGE.has(name) && !FILTERS.has(name) && !isFieldOfPair(name)) others[name] = value;
  }
  for (const [name, { op, pair }] of FILTERS) {
    const meant = name === 'filter' ? operatorOf(fields) : op;
    filters.push(...filtersOf(fields, name, meant, pair === true, issues));
  }
  return {
    filters: agreed(filters, issues),
    skip: eitherOf(fields, 'skip', 'start', issues),
    ...orderOf(fields, issues),
    others,
  };
}

const isFieldOfPair = (name: string) =>
  name.endsWith('Field') && FILTERS.get(name.slice(0, -'Field'.length))?.pair === true;

/** Returns the operator of `filter`: substring search unless the query says otherwise. */
function operatorOf({ regex, exactMatch }: JsonObject): Operator {
  if (regex === true) return 'matches';
  return exactMatch === true ? 'eq' : 'contains';
}

function filtersOf(fields: JsonObject, name: string, op: Operator, pair: boolean, issues: Issue[]): Filter[] {
  const fieldName = `${name}Field`;
  const field = pair ? fields[fieldName] : undefined;
  const value = field === undefined ? fromJsonText(fields[name]) : fields[name];
  if (isObject(value)) {
    if (field !== undefined) {
      addIssue(issues, [fieldName], `cannot be combined with ${name}[field]: send one of them`, 'ambiguous');
      return [];
    }
    return Object.entries(definedFields(issues, value, [name])).flatMap(([key, one]) => {
      const at = [name, key];
      if (!isObject(one)) return { op, field: key, value: one, at: { field: at, value: at } };
      addIssue(issues, at, 'must be a value; write a nested field with dots: [a.b]', 'invalid_type');
      return [];
    });
  }
  if (value !== undefined && field !== undefined) {
    return [{ op, field, value, at: { field: [fieldName], value: [name] } }];
  }
  if (field !== undefined)
    addIssue(issues, [fieldName], `must be sent together with its value in ${name}`, 'missing_value');
  else if (value !== undefined && pair) {
    addIssue(
      issues,
      [name],
      `must be sent together with its field, in ${fieldName} or as ${name}[field]=value`,
      'missing_field',
    );
  } else if (value !== undefined) {
    addIssue(issues, [name], `must name its field: ${name}[field]=value`, 'invalid_type');
  }
  return [];
}

/** Removes filters that a second form repeats; reports an issue for contradictory ones. */
function agreed(filters: readonly Filter[], issues: Issue[]): Filter[] {
  const first = new Map<string, Filter>();
  for (const filter of filters) {
    const key = JSON.stringify([filter.op, filter.field]);
    const other = first.get(key);
    if (!other) first.set(key, filter);
    else if (!isSame(other.value, filter.value)) contradict(issues, filter.at.value, other.at.value);
  }
  return [...first.values()];
}

/** Reads a value that has two names. */
function eitherOf(fields: JsonObject, name: string, alias: string, issues: Issue[]) {
  const value = fields[name];
  const other = fields[alias];
  if (value === undefined) return { name: other === undefined ? name : alias, value: other };
  if (other !== undefined && !isSame(value, other)) contradict(issues, [alias], [name]);
  return { name, value };
}

/** Compares two values as a query string does: a number equals its digits, and a single value equals a list of one. */
const isSame = (one: unknown, other: unknown) =>
  JSON.stringify([one].flat().map(String)) === JSON.stringify([other].flat().map(String));

const contradict = (issues: Issue[], path: Path, other: Path) =>
  addIssue(issues, path, `contradicts ${other.join('.')}: send one of them`, 'ambiguous');

const DIRECTIONS: ReadonlyMap<unknown, Direction> = new Map<unknown, Direction>([
  [1, 1],
  [-1, -1],
  ['ascending', 1],
  ['descending', -1],
]);

function orderOf(fields: JsonObject, issues: Issue[]): Pick<ParsedQuery, 'sort' | 'turned'> {
  const { order } = fields;
  const direction = DIRECTIONS.get(order);
  if (order !== undefined && !direction) {
    addIssue(issues, ['order'], 'must be 1 or -1, ascending or descending');
  }
  const sort = fromJsonText(fields.sort);
  if (sort === undefined) return { sort: [], turned: direction === -1 };
  if (!isObject(sort) && !Array.isArray(sort)) {
    return { sort: [{ field: sort, direction: direction ?? 1, at: ['sort'] }], turned: false };
  }
  const parts: [Path, unknown][] = Array.isArray(sort)
    ? sort.map((part, index) => [['sort', index], part])
    : [[['sort'], sort]];
  const orders = parts.flatMap(([path, part]) => ordersOf(part, path, issues));
  // As a word, the direction applies to every field (contract/lifecycle#4.1); as a number it belongs to the form
  // `sort=field`.
  if (order === 'descending') for (const one of orders) one.direction = -1;
  const other = typeof order === 'number' && orders.find((one) => one.direction !== direction);
  if (direction && other) contradict(issues, ['order'], other.at);
  return { sort: orders, turned: false };
}

function ordersOf(part: unknown, path: Path, issues: Issue[]): Order[] {
  if (!isObject(part)) {
    addIssue(issues, path, 'must be an object from field to 1 or -1', 'invalid_type');
    return [];
  }
  return Object.entries(definedFields(issues, part, path)).map(([field, given]) => {
    const at = [...path, field];
    if (given !== 1 && given !== -1) addIssue(issues, at, 'must be 1 or -1');
    return { field, direction: given === -1 ? -1 : 1, at };
  });
}
