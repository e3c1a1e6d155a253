import type { SQL } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { comparable } from '../masked-texts.ts';
import { sql } from '../statement.ts';
import { type Field, fieldOf } from './fields.ts';
import type { Value } from './query.ts';
import type { Coarse, Resource } from './resource.ts';

/** The source of a resource's rows: its table, or the given documents as a table. */
export type RowExpressions = { from: SQL; id: SQL; doc: SQL };

/** A field as SQL: its typed value, null where the document has no value of that type. */
export type Operand = {
  field: Field;
  value: SQL;
  /** The value as text, as written in the document: a floating-point column would write 1e+15. */
  written: SQL;
  /** The generated column that holds the value, if any. */
  column: AnyPgColumn | undefined;
  /** Whether the table declares the column NOT NULL. */
  notNull: boolean;
  /** Casts the value's text back to its type. */
  cast: SQL;
  /** The coarser column that is indexed instead, if any. */
  coarse?: Coarse | undefined;
};

/** Returns the rows of a resource; `given` names the subquery with the documents that the caller passed. */
export function rowsOf({ source }: Resource): RowExpressions {
  if (source !== 'given') return { from: sql`${source}`, id: sql`${source.id}`, doc: sql`${source.doc}` };
  return { from: sql`given`, id: sql`given.id`, doc: sql`given.doc` };
}

/** Returns the document of the current row in which the value of a field is found. */
export function documentFor(resource: Resource, { path: [member] }: Pick<Field, 'path'>): SQL {
  const { from, doc } = rowsOf(resource);
  return resource.whole && resource.whole.field === member ? resource.whole.of(from) : doc;
}

/**
 * Returns a field's value in the current row. Only for fields that are not `many`.
 *
 * @throws TypeError for a field that the schema does not declare: the query readers reject those
 */
export function operandOf(resource: Resource, name: string): Operand {
  const field = declared(resource, name);
  const column = resource.columns.get(name);
  const inDocument = documentValue(field, documentFor(resource, field));
  const written = column && field.type === 'text' ? sql`${column}` : sql`(${inDocument})::text`;
  const type = column?.getSQLType() ?? (field.type === 'number' ? 'numeric' : field.type);
  const cast = field.type === 'text' ? sql`` : sql`::${sql.raw(type)}`;
  if (!column) return { field, value: inDocument, written, column, notNull: false, cast };
  const coarse = resource.coarse.get(name);
  return { field, value: columnValue(field, column), written, column, notNull: column.notNull, cast, coarse };
}

/**
 * Returns the field that a name refers to; `_id` is the row's id where the schema does not declare it.
 *
 * @throws TypeError for any other name that the schema does not declare
 */
export function declared({ name: resource, schema, columns }: Resource, name: string): Field {
  const field = fieldOf(schema, name);
  if (field) return field;
  if (name === '_id' && columns.has('_id')) {
    return { name, path: [name], type: 'text', choices: undefined, many: false, jsonpath: '$."_id"' };
  }
  throw new TypeError(`${resource} have no field ${name}`);
}

/** Compares text by bytes, except the row's id: its primary key serves only the collation that it was made with. */
const columnValue = ({ type, name }: Field, column: AnyPgColumn): SQL =>
  type === 'text' && name !== '_id' ? sql`${column} collate "C"` : sql`${column}`;

function documentValue(field: Field, doc: SQL): SQL {
  if (field.type === 'text') return texts(field, sql`(${doc} #>> ${textArray(field.path)}) collate "C"`);
  // One pass over the document without casting non-numbers: strict and silent yields null instead of an error.
  const path = `strict ${field.jsonpath} ? (@.type() == "${field.type}")`;
  return sql`jsonb_path_query_first(${doc}, ${path}::jsonpath, '{}', true)::${castOf(field)}`;
}

/** Returns every value of a `many` field, as rows `element(v)`. */
export const elementsOf = (field: Field, doc: SQL): SQL =>
  sql`jsonb_path_query(${doc}, ${`lax ${field.jsonpath}`}::jsonpath, '{}', true) as element(v)`;

/** Returns one element's value, typed as in `operandOf`. */
export function elementValue(field: Field): SQL {
  const text = sql`(element.v #>> '{}') collate "C"`;
  if (field.type === 'text') return texts(field, text);
  return sql`case when jsonb_typeof(element.v) = ${field.type} then element.v::${castOf(field)} end`;
}

/** Returns a text of the document as this caller may compare it; those of a few known values hold no secret. */
const texts = ({ path, choices }: Field, text: SQL): SQL =>
  choices ? text : comparable(path.at(-1) ?? '', text);

const castOf = ({ type }: Field): SQL => (type === 'number' ? sql`numeric` : sql`boolean`);

/** Returns a value as SQL of the operand's type, so that an index on its column serves. */
export function literal(field: Field, column: AnyPgColumn | undefined, value: Value): SQL {
  if (field.type === 'boolean') return value === true ? sql`true` : sql`false`;
  if (field.type === 'text') return sql`${String(value)}`;
  return sql`${String(value)}::${sql.raw(numberType(column, [value]))}`;
}

/** Returns several values as one array parameter; numbers have the column's type. */
export function literals(field: Field, column: AnyPgColumn | undefined, values: readonly Value[]): SQL {
  const texts = values.map(String);
  if (field.type === 'text') return textArray(texts);
  const type = field.type === 'boolean' ? 'boolean' : numberType(column, values);
  return sql`${arrayText(texts)}::${sql.raw(type)}[]`;
}

/** Returns the type for numbers: comparing a column with another numeric type would cast it and bypass its index. */
function numberType(column: AnyPgColumn | undefined, values: readonly Value[]): string {
  const type = column?.getSQLType() ?? 'numeric';
  if (/^(double precision|real)/.test(type)) return 'double precision';
  return /^(smallint|integer|bigint)/.test(type) && values.every(Number.isSafeInteger) ? 'bigint' : 'numeric';
}

/**
 * Returns an array of JSON texts as one parameter, for many or large documents. JSON as JavaScript writes it has no line
 * break, so one side need not escape it and the other need not parse it character by character. Not for an empty array.
 */
export const jsonTexts = (texts: readonly string[]): SQL =>
  sql`string_to_array(${texts.join('\n')}, ${'\n'})`;

/** Returns an array of text as one parameter. @param texts of any number */
export const textArray = (texts: readonly string[]): SQL => sql`${arrayText(texts)}::text[]`;

const arrayText = (texts: readonly string[]): string =>
  `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
