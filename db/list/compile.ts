import type { SQL } from 'drizzle-orm';
import { sql } from '#db/statement.ts';
import { countedTotal } from '../counting/counts.ts';
import { hasPart } from './bigrams.ts';
import { fieldOf } from './fields.ts';
import { orderOf, placeOf } from './order.ts';
import type { Condition, ListQuery, Value } from './query.ts';
import type { Resource } from './resource.ts';
import {
  declared,
  elementsOf,
  elementValue,
  literal,
  literals,
  type Operand,
  operandOf,
  rowsOf,
} from './row-expressions.ts';

/**
 * What a row must meet, as SQL: the resource's own condition, each condition of the query, and what `more` says: what the
 * caller may see, where the page begins. Every name and value is a parameter.
 *
 * @throws TypeError for a field that the resource does not have, or an expression that was not resolved before
 */
export const whereOf = (resource: Resource, where: readonly Condition[], ...more: (SQL | undefined)[]): SQL =>
  allOf(conditionsOf(resource, where, ...more));

/** The same, one by one. */
export function conditionsOf(
  resource: Resource,
  where: readonly Condition[],
  ...more: (SQL | undefined)[]
): SQL[] {
  const conditions = where.map((condition) => compileCondition(resource, condition));
  return [resource.always, ...more, ...conditions].filter((part) => part !== undefined);
}

/** Conditions as a whole `where`. */
export const allOf = (conditions: readonly SQL[]): SQL =>
  conditions.length === 0
    ? sql``
    : sql`where ${sql.join(
        conditions.map((part) => sql`(${part})`),
        sql` and `,
      )}`;

/** Whether conditions ask of a row's columns alone: parts of what is no text are sought in the document. */
export const canUseColumns = ({ columns, schema }: Resource, where: readonly Condition[]): boolean =>
  where.every(({ field, op }) => {
    if (!columns.has(field)) return false;
    return (
      (op !== 'contains' && op !== 'prefix') || field === '_id' || fieldOf(schema, field)?.type === 'text'
    );
  });

function compileCondition(resource: Resource, condition: Condition): SQL {
  const field = declared(resource, condition.field);
  if (!field.many) return compare(operandOf(resource, condition.field), condition);
  const value = elementValue(field);
  const element: Operand = {
    field,
    value,
    written: sql`(${value})::text`,
    column: undefined,
    notNull: false,
    cast: sql``,
  };
  // Not one of these: no element is, and none at all is fine too.
  const [op, negation] = condition.op === 'not-in' ? (['in', sql`not `] as const) : [condition.op, sql``];
  const elements = elementsOf(field, rowsOf(resource).doc);
  return sql`${negation}exists (select from ${elements} where ${compare(element, { ...condition, op })})`;
}

function compare(operand: Operand, { op, values, rare }: Condition): SQL {
  const { field, column, value } = operand;
  // Equality is the same in every collation: without one, an index of any collation serves.
  const exact = field.type === 'text' && column ? sql`${column}` : value;
  const [first = ''] = values;
  switch (op) {
    case 'eq':
      return sql`${exact} = ${literal(field, column, first)}${coarsely(operand, sql`=`, first)}`;
    case 'in':
      return sql`${exact} = any(${literals(field, column, values)})`;
    case 'not-in':
      return sql`(${exact} = any(${literals(field, column, values)})) is not true`;
    case 'contains':
      return rare && column ? hasPart(column, String(first)) : like(operand.written, String(first), '%');
    case 'prefix':
      return sql`${like(operand.written, String(first), '')}${spanOf(operand, String(first))}`;
    case 'gt':
      return sql`${value} > ${literal(field, column, first)}${coarsely(operand, sql`>=`, first)}`;
    case 'gte':
      return sql`${value} >= ${literal(field, column, first)}${coarsely(operand, sql`>=`, first)}`;
    case 'lt':
      return sql`${value} < ${literal(field, column, first)}${coarsely(operand, sql`<=`, first)}`;
    case 'lte':
      return sql`${value} <= ${literal(field, column, first)}${coarsely(operand, sql`<=`, first)}`;
    case 'matches':
      throw new TypeError(`the expression for ${field.name} was not resolved`);
  }
}

/** The same said of the coarser value, which has the index: it says nothing new. */
const coarsely = ({ coarse, field, column }: Operand, operator: SQL, value: Value): SQL =>
  coarse ? sql` and ${coarse.column} ${operator} ${coarse.of(literal(field, column, value))}` : sql``;

const ASCII = /^[\0-\x7f]*$/;

/**
 * A literal, case-insensitive pattern. Text of ASCII is lowered byte by byte, which an index on `lower(column)` serves;
 * for any other text both sides are lowered as Unicode says, because a database of locale C knows no É. Numbers and
 * booleans are matched as they are written.
 */
function like(written: SQL, text: string, start: '%' | ''): SQL {
  const pattern = `${start}${text.replace(/[\\%_]/g, '\\$&')}%`;
  if (ASCII.test(text)) return sql`lower(${written}) like ${pattern.toLowerCase()}`;
  return sql`lower((${written}) collate "und-x-icu") like lower(${pattern}::text collate "und-x-icu")`;
}

/**
 * Where in byte order everything lies that begins like this in any case: after its capitals, before what follows its
 * small letters. It says nothing new, but an index in the order of the page is entered there instead of at its start.
 */
function spanOf({ field, column, value }: Operand, text: string): SQL {
  if (!column || field.type !== 'text' || !ASCII.test(text) || text === '') return sql``;
  const small = text.toLowerCase();
  const next = `${small.slice(0, -1)}${String.fromCodePoint((small.codePointAt(small.length - 1) ?? 0) + 1)}`;
  return sql` and ${value} >= ${text.toUpperCase()} and ${value} < ${next}`;
}

/** What of a document is answered, as SQL over `d.doc`; the whole, unless a projection says otherwise. */
export type Shown = (doc: SQL) => SQL;

/**
 * One page: the ids first, from an index when there is one, then the documents of these ids alone, so that no row
 * that is skipped or only sorted has its document read (decision 0060). The total comes from the same snapshot, and is
 * counted only when a full page leaves it open.
 *
 * @param count how many match in all, of `totalOf`; without it `total` is null
 * @param seen told with every row
 * @param walk the page lies far down: what tells where it was, is told
 * @returns rows `{ text, marked, total, seen }`, of a walk `{ position, ahead, first, place }` too: how many rows come before where
 *   it set out, how far before the page its first row stands, and the places of that one and of each
 */
export function pageOf(
  resource: Resource,
  query: ListQuery,
  where: SQL,
  shown: Shown,
  { count, seen, walk, given }: PageParts,
): SQL {
  const { from, id } = rowsOf(resource);
  const keys = orderOf(resource, query.sort);
  const names = keys.map((_, index) => sql.raw(`k${index}`));
  const selected = keys.map(({ value }, index) => sql`${value} as ${names[index]}`);
  const order = keys.map(({ value, direction }) => sql`${value} ${direction}`);
  const reorder = (rows: SQL) =>
    sql.join(
      keys.map(({ direction }, index) => sql`${rows}.${names[index]} ${direction}`),
      sql`, `,
    );
  const total = count && query.limit !== null ? openTotal(count, query.limit, query.skip) : sql`null`;
  const matching = sql`select ${id} as row_id, ${sql.join(selected, sql`, `)} from ${from} ${where}
      order by ${sql.join(order, sql`, `)}`;
  const limit = query.limit === null ? sql`` : sql` limit ${query.limit}`;
  const offset = query.skip === 0 ? sql`` : sql` offset ${query.skip}`;
  const tables = walk
    ? sql`start as materialized (select at, greatest(${query.skip}::bigint - at, 0) as skipped from (select ${walk.position} as at) as known),
      walked as materialized (${matching} limit ${(query.limit ?? 0) + AHEAD}::bigint
        offset (select greatest(skipped - ${AHEAD}::bigint, 0) from start)),
      page as materialized (select * from walked order by ${reorder(sql`walked`)}
        offset (select least(skipped, ${AHEAD}::bigint) from start)${limit})`
    : sql`page as materialized (${matching}${limit}${offset})`;
  const place = placeOf(names);
  const told = walk
    ? sql`, (select at from start)::text as position, (select least(skipped, ${AHEAD}::bigint) from start)::text as ahead,
      (select ${place} from walked order by ${reorder(sql`walked`)} limit 1) as first, page.place`
    : sql``;
  return sql`${withTables(given, tables)}
    select ${shown(sql`d.doc`)}::text as text, ${resource.marks} as marked, ${total} as total, ${seen ?? sql`null`} as seen${told}
    from ${walk ? sql`(select *, ${place} as place from page) as page` : sql`page`} join ${from} as d on d.id = page.row_id
    order by ${reorder(sql`page`)}`;
}

/** Rows before a page far down that are walked with it: the first of them is a place that serves when more come before. */
const AHEAD = 100;

type PageParts = {
  count?: SQL | undefined;
  seen?: SQL | undefined;
  /** How many rows come before the first that `where` lets in: a scalar query. */
  walk?: { position: SQL } | undefined;
  given?: string | undefined;
};

/** The total, from the page when it is not full; the scalar subqueries run only when their branch is taken. */
const openTotal = (count: SQL, limit: number, skip: number): SQL =>
  sql`case when (select count(*) from page) < ${limit}::bigint
    then (${skip}::bigint + (select count(*) from page))::text
    else ${count} end`;

/**
 * How many rows there are, as a scalar query: added up from what is counted as it is written where the caller's rights
 * and the kind of a document alone decide, else counted.
 */
export function totalOf(resource: Resource, conditions: readonly Condition[], access?: SQL): SQL {
  const { source, always, columns } = resource;
  const where = whereOf(resource, conditions, access);
  const asked = { where, columns: conditions.map(({ field }) => columns.get(field)) };
  const known = source === 'given' || always ? undefined : countedTotal(source, access, asked);
  return known ?? sql`(select count(*)::text from ${rowsOf(resource).from} ${where})`;
}

/** A count of `totalOf` by itself, as rows `{ total }`. */
export const countOf = (count: SQL, given?: string): SQL =>
  sql`${withTables(given)} select ${count} as total`;

/** Every distinct text that a field has among the rows, as rows `{ value }`; null where it is missing. */
export function textsOf(resource: Resource, name: string, where: SQL, given?: string): SQL {
  const field = declared(resource, name);
  const { from, doc } = rowsOf(resource);
  const value = field.many ? elementValue(field) : operandOf(resource, name).value;
  const elements = field.many ? sql` cross join lateral ${elementsOf(field, doc)}` : sql``;
  return sql`${withTables(given)} select distinct ${value} as value from ${from}${elements} ${where}`;
}

/** Documents handed over as JSON text become rows; their place in the array is their id. */
function withTables(given: string | undefined, page?: SQL): SQL {
  const documents =
    given === undefined
      ? undefined
      : sql`given as materialized (
          select place.n as id, place.doc
          from jsonb_array_elements(${given}::text::jsonb) with ordinality as place(doc, n)
        )`;
  const tables = [documents, page].filter((table) => table !== undefined);
  return tables.length === 0 ? sql`` : sql`with ${sql.join(tables, sql`, `)}`;
}
