import { booleanIn } from '../schemas/requests/boolean-words.ts';
import { type Field, fieldNamesOf, fieldOf, isStorableText } from './fields.ts';
import {
  BOUNDS,
  type Condition,
  type Direction,
  InvalidListQuery,
  type Issue,
  type ListQuery,
  type Operator,
  type Sort,
  type Value,
} from './query.ts';
import { type Resource, sortable } from './resource.ts';

export type Path = readonly (string | number)[];
export type JsonObject = Readonly<Record<string, unknown>>;

/** A query while it is read: the result so far, and all issues found. */
export type QueryBuilder = {
  resource: Resource;
  query: ListQuery;
  issues: Issue[];
  /** Returns whether the query must not use a field. */
  hidden: ((field: string) => boolean) | undefined;
};

/** Starts with the defaults of a query without parameters. */
export function startReading(resource: Resource, hidden?: QueryBuilder['hidden']): QueryBuilder {
  const limit = resource.unlimited ? null : BOUNDS.defaultLimit;
  const query: ListQuery = {
    where: [],
    sort: [...resource.defaultSort],
    skip: 0,
    limit,
    include: null,
    exclude: null,
  };
  return { resource, query, issues: [], hidden };
}

/**
 * Returns the query that was read.
 *
 * @throws InvalidListQuery with all issues, at most 100 and a count of the rest
 */
export function finish({ query, issues }: QueryBuilder): ListQuery {
  if (query.where.length > BOUNDS.conditions) {
    issues.push({ path: [], message: `at most ${BOUNDS.conditions} filters at once`, code: 'too_big' });
  }
  if (issues.length > BOUNDS.issues) {
    const rest = issues.length - BOUNDS.issues;
    issues.splice(BOUNDS.issues, rest, {
      path: [],
      message: `and ${rest} more issues`,
      code: 'too_many_issues',
    });
  }
  if (issues.length > 0) throw new InvalidListQuery(issues);
  return query;
}

/**
 * Adds an issue to those of a list request.
 *
 * @param message completes a sentence that begins with the field
 * @param code for programs
 */
export function addIssue(issues: Issue[], path: Path, message: string, code = 'invalid_value'): void {
  issues.push({ path: path.map(clip), message, code });
}

/**
 * Returns an object's properties except undefined and null ones; reports an issue for a value that is no object.
 *
 * @param query as it was sent, of any type
 */
export function definedFields(issues: Issue[], query: unknown, path: Path = []): JsonObject {
  if (query === undefined || query === null) return {};
  if (!isObject(query)) {
    addIssue(issues, path, 'must be an object', 'invalid_type');
    return {};
  }
  const entries = Object.entries(query);
  if (entries.length > BOUNDS.members) {
    addIssue(issues, path, `at most ${BOUNDS.members} members`, 'too_big');
    return {};
  }
  // Without a prototype, so that names of Object's own properties need no special case.
  const present: Record<string, unknown> = Object.create(null);
  for (const [name, value] of entries) if (value !== undefined && value !== null) present[name] = value;
  return present;
}

/**
 * Adds a condition on the field `name`; several values only for `in` and `not-in`.
 *
 * @returns the condition; undefined when it is rejected, with an issue
 */
export function addCondition(
  reading: QueryBuilder,
  at: { value: Path; field: Path },
  name: unknown,
  op: Operator,
  value: unknown,
): Condition | undefined {
  const field = knownField(reading, at.field, name);
  if (!field) return undefined;
  if (field.type === 'object') {
    addIssue(
      reading.issues,
      at.field,
      `${quote(field.name)} has no single value to compare`,
      'invalid_field',
    );
    return undefined;
  }
  const several = op === 'in' || op === 'not-in';
  const given = several ? [value].flat().flatMap((one) => choicesIn(field, one)) : [value];
  if (given.length > BOUNDS.values) {
    addIssue(reading.issues, at.value, `at most ${BOUNDS.values} values`, 'too_big');
    return undefined;
  }
  const values: Value[] = [];
  for (const one of given) {
    const read = readValue(field, one);
    if (typeof read === 'object') {
      addIssue(reading.issues, at.value, read.message, 'invalid_type');
      return undefined;
    }
    if (WHOLE.has(op) && field.choices && !field.choices.includes(String(read))) {
      addIssue(reading.issues, at.value, notAChoice(field, field.choices, read));
      return undefined;
    }
    values.push(read);
  }
  const condition = { field: field.name, op, values };
  reading.query.where.push(condition);
  return condition;
}

/** Returns the values of a set that a client sent as one text with commas, which no value of a field with fixed values has. */
const choicesIn = ({ choices }: Field, value: unknown): unknown[] =>
  choices && typeof value === 'string' ? value.split(',') : [value];

/** Operators that compare with a whole value, which must be one of the field's choices if it has any. */
const WHOLE: ReadonlySet<Operator> = new Set(['eq', 'in', 'not-in']);

/**
 * Returns a message with the values that a field can hold; a filter by another value would silently match nothing.
 *
 * @param choices values that the schema allows
 */
export const notAChoice = ({ name }: Field, choices: readonly string[], value: Value): string =>
  `${quote(name)} must be one of ${choices.join(', ')} (got ${quote(String(value))})`;

/** Returns a field of the resource, or reports an issue that names it and, when they are few, the existing fields. */
export function knownField(reading: QueryBuilder, path: Path, name: unknown): Field | undefined {
  if (typeof name === 'string' && isHidden(reading, path, name)) return undefined;
  const field = typeof name === 'string' ? fieldOf(reading.resource.schema, name) : undefined;
  if (!field) addIssue(reading.issues, path, unknownField(reading.resource, name), 'unknown_field');
  return field;
}

function isHidden({ issues, hidden }: QueryBuilder, path: Path, name: string): boolean {
  if (!hidden?.(name)) return false;
  addIssue(issues, path, 'is a secret: it cannot be used to search or sort', 'unknown_field');
  return true;
}

function unknownField({ name, schema }: Resource, field: unknown): string {
  const known = fieldNamesOf(schema).join(', ');
  const hint = known.length <= 300 ? `; there are ${known}` : '';
  return `${name} have no field ${quote(field)}${hint}`;
}

const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** Parses a value as the field's type; returns a message when it does not fit. */
function readValue({ name, type }: Field, value: unknown): Value | { message: string } {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    return { message: 'must be one text, number or boolean' };
  }
  const text = String(value);
  if (text.length > BOUNDS.text) return { message: `is longer than ${BOUNDS.text} characters` };
  if (!isStorableText(text)) return { message: 'is not valid text' };
  if (type === 'boolean') {
    return booleanIn(text) ?? { message: `${quote(name)} must be true or false` };
  }
  if (type === 'number') {
    const number = NUMBER.test(text) ? Number(text) : Number.NaN;
    return Number.isFinite(number) ? number : { message: `${quote(name)} is a number` };
  }
  return text;
}

/** Returns the default order reversed. */
export function reversed(sorts: readonly Sort[]): Sort[] {
  const whole = sorts.length > 0 ? sorts : [{ field: '_id', order: 1 as const }];
  return whole.map(({ field, order }) => ({ field, order: order === 1 ? -1 : 1 }));
}

/** Returns the sort by the field `name`, or reports an issue. */
export function readSort(
  reading: QueryBuilder,
  path: Path,
  name: unknown,
  order: Direction,
): Sort | undefined {
  const { resource } = reading;
  if (typeof name === 'string' && isHidden(reading, path, name)) return undefined;
  if (typeof name === 'string' && sortable(resource.schema, name)) return { field: name, order };
  if (typeof name === 'string' && fieldOf(resource.schema, name)) {
    addIssue(reading.issues, path, `${quote(name)} has no single value to sort by`, 'invalid_field');
  } else {
    addIssue(reading.issues, path, unknownField(resource, name), 'unknown_field');
  }
  return undefined;
}

/**
 * Returns a whole number of rows within its bounds, or undefined when it is absent or rejected.
 *
 * @param count as it was sent, of any type
 * @param least lowest number that is accepted
 * @param most highest number that is accepted
 */
export function readCount(
  reading: QueryBuilder,
  path: Path,
  count: unknown,
  least: number,
  most: number = Number.MAX_SAFE_INTEGER,
): number | undefined {
  if (count === undefined) return undefined;
  if (typeof count === 'number' && Number.isInteger(count) && count >= least && count <= most) return count;
  const bounds = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  addIssue(reading.issues, path, `must be an integer ${bounds}`);
  return undefined;
}

/**
 * Checks for an object as in JSON or a query string: neither an array nor null.
 *
 * @param value as JSON or a query string yields it
 */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a name from a caller, quoted and shortened for a message. */
export const quote = (name: unknown): string => (typeof name === 'string' ? JSON.stringify(clip(name)) : '');

const clip = <Part extends string | number>(part: Part): Part =>
  // A shortened string is still a string; the cast states that numbers pass unchanged.
  typeof part === 'string' && part.length > 100 ? (`${part.slice(0, 100)}…` as Part) : part;
