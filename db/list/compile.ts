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
  documentFor,
  elementsOf,
  elementValue,
  literal,
  literals,
  type Operand,
  operandOf,
  rowsOf,
} from './row-expressions.ts';

/**
 * Returns the `where` clause of a list: the resource's own condition, each condition of the query, and `more`, such as the
 * caller's access or the start of the page. Every name and value is a parameter.
 *
 * @throws TypeError for a field that the resource does not have, or an expression that was not resolved before
 */
export const whereOf = (resource: Resource, where: readonly Condition[], ...more: (SQL | undefined)[]): SQL =>
  allOf(conditionsOf(resource, where, ...more));

/** Returns the same as a list of conditions. */
export function conditionsOf(
  resource: Resource,
  where: readonly Condition[],
  ...more: (SQL | undefined)[]
): SQL[] {
  const conditions = where.map((condition) => compileCondition(resource, condition));
  return [resource.always, ...more, ...conditions].filter((part) => part !== undefined);
}

/** Returns conditions as a whole `where` clause. */
export const allOf = (conditions: readonly SQL[]): SQL =>
  conditions.length === 0
    ? sql``
    : sql`where ${sql.join(
        conditions.map((part) => sql`(${part})`),
        sql` and `,
      )}`;

/** Returns whether conditions use columns only; substrings of values other than text are searched in the document. */
export const canUseColumns = ({ columns, schema }: Resource, where: readonly Condition[]): boolean =>
  where.every(({ field, op }) => {
    if (!columns.has(field)) return false;
    return (
      (op !== 'contains' && op !== 'prefix') || field === '_id' || fieldOf(schema, field)?.type === 'text'
    );
  });

function compileCondition(resource: Resource, condition: Condition): SQL {
  const also = resource.also.get(condition.field);
  if (also === undefined) return compileOwn(resource, condition);
  const own = compileOwn(resource, condition);
  const elements = compileOwn(resource, { ...condition, field: also.field });
  if (condition.op === 'not-in') return sql`(${own} and ${elements})`;
  // Most rows have no array: to look for elements in each would take as long again.
  const [key = ''] = also.field.split('.');
  const doc = documentFor(resource, declared(resource, also.field));
  const either = sql`(${own} or jsonb_exists(${doc}, ${key}::text) and ${elements})`;
  if (!also.indexed || condition.op !== 'eq') return either;
  return sql`${rowsOf(resource).id} = any(${idsWith(resource, condition, also.field)}) and ${either}`;
}

/**
 * Returns the ids of all rows that have a text in a field or in an element of an array, as the indexes of such a pair find
 * them (`Also`). They are collected first: with the order of a page at hand, the planner would rather walk through all rows.
 *
 * @param elements the field within the array, two segments: `documents.id`
 */
function idsWith(resource: Resource, { field, values: [value = ''] }: Condition, elements: string): SQL {
  const [array = '', member = ''] = elements.split('.');
  // The index serves only the path that it was made with, so that a parameter would not do.
  const own = sql.raw(`'{${declared(resource, field).path.join(',')}}'`);
  const element = JSON.stringify([{ [member]: String(value) }]);
  const { from } = rowsOf(resource);
  return sql`array(select found.id from ${from} as found where (found.doc #>> ${own}) = ${String(value)}
    or (found.doc -> ${sql.raw(`'${array}'`)}) @> ${element}::jsonb)`;
}

function compileOwn(resource: Resource, condition: Condition): SQL {
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
  // `not-in` holds when no element has one of the values, also when there are no elements.
  const [op, negation] = condition.op === 'not-in' ? (['in', sql`not `] as const) : [condition.op, sql``];
  const elements = elementsOf(field, documentFor(resource, field));
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

/** Repeats the comparison on the coarser value, which has the index; it excludes no further rows. */
const coarsely = ({ coarse, field, column }: Operand, operator: SQL, value: Value): SQL =>
  coarse ? sql` and ${coarse.column} ${operator} ${coarse.of(literal(field, column, value))}` : sql``;

const ASCII = /^[\0-\x7f]*$/;

/**
 * Returns a literal, case-insensitive match. ASCII text is lowered byte by byte, which an index on `lower(column)` serves;
 * for other text both sides are lowered by Unicode rules, because a database of locale C does not know É. Numbers and
 * booleans are matched as text.
 */
function like(written: SQL, text: string, start: '%' | ''): SQL {
  const pattern = `${start}${text.replace(/[\\%_]/g, '\\$&')}%`;
  if (ASCII.test(text)) return sql`lower(${written}) like ${pattern.toLowerCase()}`;
  return sql`lower((${written}) collate "und-x-icu") like lower(${pattern}::text collate "und-x-icu")`;
}

/**
 * Returns the byte range of all texts that begin like this in any case: from the prefix in capitals to the end of the one
 * in small letters. It excludes no further rows, but lets an index in the order of the page be entered there.
 */
function spanOf({ field, column, value }: Operand, text: string): SQL {
  if (!column || field.type !== 'text' || !ASCII.test(text) || text === '') return sql``;
  const small = text.toLowerCase();
  const next = `${small.slice(0, -1)}${String.fromCodePoint((small.codePointAt(small.length - 1) ?? 0) + 1)}`;
  return sql` and ${value} >= ${text.toUpperCase()} and ${value} < ${next}`;
}

/** Returns SQL over the document of the row `d` for the part of a document to return; the whole, unless a projection restricts it. */
export type Shown = (doc: SQL) => SQL;

/**
 * Returns the statement for one page: first the ids, from an index if possible, then only the documents of these ids, so
 * that no row that is skipped or only sorted has its document read (decision 0060). The total comes from the same
 * snapshot, and is counted only when a full page leaves it open.
 *
 * @param count the total, from `totalOf`; without it `total` is null
 * @param seen the snapshot expression (`SEEN`)
 * @param walk set for a page far down: also return positions to remember
 * @returns one row: the documents as one text, their number, their marks, the total and the snapshot; with `walk` also how
 *   many rows precede the starting point, how far before the page its first row is, and the seek keys of that row and of
 *   the last row of the page
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
  const position = walk
    ? sql`, (select at from start)::text, (select least(skipped, ${AHEAD}::bigint) from start)::text,
      (select ${place} from walked order by ${reorder(sql`walked`)} limit 1), (array_agg(place))[count(*)]`
    : sql``;
  const marks = resource.marks ? sql`string_agg(case when marked then '1' else '0' end, '')` : sql`null`;
  return sql`${withTables(given, tables)}
    select case when sum(octet_length(text)) <= ${MOST_BYTES}::bigint then string_agg(text, E',\\n') end, count(*)::text, ${marks}, ${total}, ${seen ?? sql`null`}${position}
    from (select ${shown(resource.whole?.of(sql`d`) ?? sql`d.doc`)}::text as text${resource.marks ? sql`, ${resource.marks} as marked` : sql``}${walk ? sql`, ${place} as place` : sql``}
      from page join ${from} as d on d.id = page.row_id order by ${reorder(sql`page`)}) as shown`;
}

/** Most bytes of the documents of a page: a process holds them at once, and a text of twice as many cannot be made. */
export const MOST_BYTES = 256 * 1024 * 1024;

/** Rows read before a page far down: the first is a starting point that still serves when more rows are added before it. */
const AHEAD = 100;

/** Documents of a list: those in the JSON text of an array, then those of a query with rows `{ doc }`, in their order. */
export type DocumentText = { text: string; followedBy?: SQL };

/** Higher than the place of any document in a text. */
const AFTER_TEXT = 2 ** 40;

type PageParts = {
  count?: SQL | undefined;
  seen?: SQL | undefined;
  /** The number of rows before the first one that `where` admits: a scalar query. */
  walk?: { position: SQL } | undefined;
  given?: DocumentText | undefined;
};

/** Returns the total, from the page when it is not full; scalar subqueries run only when their branch is taken. */
const openTotal = (count: SQL, limit: number, skip: number): SQL =>
  sql`case when (select count(*) from page) < ${limit}::bigint
    then (${skip}::bigint + (select count(*) from page))::text
    else ${count} end`;

/**
 * Returns the number of matching rows as a scalar query: from the stored counts where only the caller's rights and the
 * kind of a document matter, otherwise by counting.
 */
export function totalOf(resource: Resource, conditions: readonly Condition[], access?: SQL): SQL {
  const { source, always, alwaysOn, columns } = resource;
  const where = whereOf(resource, conditions, access);
  const asked = conditions.map(({ field }) => columns.get(field));
  const filtered = { where, columns: always ? [alwaysOn, ...asked] : asked };
  const known = source === 'given' ? undefined : countedTotal(source, access, filtered);
  return known ?? sql`(select count(*)::text from ${rowsOf(resource).from} ${where})`;
}

/** Returns the statement for a count of `totalOf` alone, with rows `{ total }`. */
export const countOf = (count: SQL, given?: DocumentText): SQL =>
  sql`${withTables(given)} select ${count} as total`;

/** Returns the statement for every distinct text of a field, with rows `{ value }`; null where it is missing. */
export function textsOf(resource: Resource, name: string, where: SQL, given?: DocumentText): SQL {
  const field = declared(resource, name);
  const { from } = rowsOf(resource);
  const value = field.many ? elementValue(field) : operandOf(resource, name).value;
  const elements = field.many
    ? sql` cross join lateral ${elementsOf(field, documentFor(resource, field))}`
    : sql``;
  return sql`${withTables(given)} select distinct ${value} as value from ${from}${elements} ${where}`;
}

/** Turns given documents into rows; their place among them is their id. */
function withTables(given: DocumentText | undefined, page?: SQL): SQL {
  const documents =
    given === undefined
      ? undefined
      : sql`given as materialized (
          select place.n as id, place.doc
          from jsonb_array_elements(${given.text}::text::jsonb) with ordinality as place(doc, n)
          ${
            given.followedBy === undefined
              ? sql``
              : sql`union all
                select ${AFTER_TEXT}::bigint + row_number() over (), more.doc
                from (${given.followedBy}) more`
          }
        )`;
  const tables = [documents, page].filter((table) => table !== undefined);
  return tables.length === 0 ? sql`` : sql`with ${sql.join(tables, sql`, `)}`;
}
