import type { SQL } from 'drizzle-orm';
import { sql } from '#db/statement.ts';
import { fieldOf } from './fields.ts';
import type { Sort } from './query.ts';
import type { Resource } from './resource.ts';
import { operandOf, rowsOf } from './row-expressions.ts';

/** A sort key as SQL, and its direction: missing values come last in either. */
export type Key = {
  value: SQL;
  direction: SQL;
  ascending: boolean;
  notNull: boolean;
  /** Casts the value's text back to its type. */
  cast: SQL;
};

/** Returns the order of a query: its sort fields, then the row's id, which is unique. */
export function orderOf(resource: Resource, sorts: readonly Sort[]): Key[] {
  const keys: Key[] = [];
  for (const { field, order } of sorts) {
    if (field === '_id' && isRowId(resource)) {
      return [...keys, rowKey(resource, order === 1)];
    }
    const { value, notNull, cast, coarse } = operandOf(resource, field);
    // An ascending index, read backwards, has its nulls first: it serves only where there are none.
    const descending = notNull ? sql`desc` : sql`desc nulls last`;
    const ascending = order === 1;
    const key = { direction: ascending ? sql`asc` : descending, ascending, notNull, cast };
    if (coarse) keys.push({ ...key, value: sql`${coarse.column}` });
    keys.push({ ...key, value });
  }
  return [...keys, rowKey(resource, true)];
}

const rowKey = (resource: Resource, ascending: boolean): Key => ({
  value: rowsOf(resource).id,
  direction: ascending ? sql`asc` : sql`desc`,
  ascending,
  notNull: true,
  cast: sql``,
});

/** Returns whether `_id` is the row's id: on a table unless mapped elsewhere, on given documents when they have no `_id`. */
const isRowId = ({ source, schema, columns }: Resource) =>
  source === 'given' ? !fieldOf(schema, '_id') : columns.get('_id') === source.id;

/** Returns a row's sort values as JSON text, as `keep` accepts it. @param names columns that hold the values */
export const placeOf = (names: readonly SQL[]): SQL =>
  sql`json_build_array(${sql.join(
    names.map((name) => sql`${name}::text`),
    sql`, `,
  )})::text`;

/**
 * Returns the condition for rows from a position on, inclusive. Where the directions differ, the first key has a condition
 * of its own, by which an index can be entered; only rows that share its value are then filtered out.
 *
 * @param values of the keys at the position, as text
 */
export function fromPlace(keys: readonly Key[], values: readonly string[]): SQL {
  const bounds = boundsOf(keys, values);
  if (bounds.every(({ ascending }) => ascending))
    return sql`${inRow(bounds, 'value')} >= ${inRow(bounds, 'bound')}`;
  const [first] = bounds;
  if (!first) return sql`true`;
  const at = sql`${first.value} ${first.ascending ? sql`>=` : sql`<=`} ${first.bound}`;
  return sql`${at} and not coalesce(${before(bounds)}, false)`;
}

/**
 * Returns the condition for rows before a position, exclusive; it is never null.
 *
 * @param values of the keys at the position, as text
 */
export const beforePlace = (keys: readonly Key[], values: readonly string[]): SQL =>
  sql`coalesce(${before(boundsOf(keys, values))}, false)`;

type Bound = Pick<Key, 'value' | 'ascending'> & { bound: SQL };

const boundsOf = (keys: readonly Key[], values: readonly string[]): Bound[] =>
  keys.map(({ value, ascending, cast }, index) => ({
    value,
    ascending,
    bound: sql`${values[index]}${cast}`,
  }));

function before(bounds: readonly Bound[]): SQL {
  if (bounds.every(({ ascending }) => ascending))
    return sql`${inRow(bounds, 'value')} < ${inRow(bounds, 'bound')}`;
  return bounds.reduceRight((rest: SQL, { value, ascending, bound }) => {
    const beyond = ascending ? sql`<` : sql`>`;
    return sql`(${value} ${beyond} ${bound} or (${value} = ${bound} and ${rest}))`;
  }, sql`false`);
}

const inRow = (bounds: readonly Bound[], of: 'value' | 'bound'): SQL =>
  sql`(${sql.join(
    bounds.map((one) => one[of]),
    sql`, `,
  )})`;
