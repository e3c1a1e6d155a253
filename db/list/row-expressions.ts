import type { SQL } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { sql } from '../statement.ts';
import { type Field, fieldOf } from './fields.ts';
import type { Value } from './query.ts';
import type { Coarse, Resource } from './resource.ts';

/** Where the rows of a resource come from: its table, or the documents that were given, as a table of their own. */
export type RowExpressions = { from: SQL; id: SQL; doc: SQL };

/** A field as SQL: its value, typed, and null where the document holds none of that type. */
export type Operand = {
  field: Field;
  value: SQL;
  /** The same as text, as the document has it: a column of floating point writes 1e+15. */
  written: SQL;
  /** The generated column that holds it, when there is one. */
  column: AnyPgColumn | undefined;
  /** Never null, by the table's own word. */
  notNull: boolean;
  /** Makes its value again of the text that it was told as. */
  cast: SQL;
  /** What its index stands on instead, if it does. */
  coarse?: Coarse | undefined;
};

/** The rows of a resource; `given` names the subquery that holds documents handed over. */
export function rowsOf({ source }: Resource): RowExpressions {
  if (source !== 'given') return { from: sql`${source}`, id: sql`${source.id}`, doc: sql`${source.doc}` };
  return { from: sql`given`, id: sql`given.id`, doc: sql`given.doc` };
}

/**
 * A field's value in the row at hand. Only for fields that are not `many`.
 *
 * @throws TypeError for a field that the schema does not declare: the readers of queries let none through
 */
export function operandOf(resource: Resource, name: string): Operand {
  const field = declared(resource, name);
  const column = resource.columns.get(name);
  const inDocument = documentValue(field, rowsOf(resource).doc);
  const written = column && field.type === 'text' ? sql`${column}` : sql`(${inDocument})::text`;
  const type = column?.getSQLType() ?? (field.type === 'number' ? 'numeric' : field.type);
  const cast = field.type === 'text' ? sql`` : sql`::${sql.raw(type)}`;
  if (!column) return { field, value: inDocument, written, column, notNull: false, cast };
  const coarse = resource.coarse.get(name);
  return { field, value: columnValue(field, column), written, column, notNull: column.notNull, cast, coarse };
}

/** The field that a name means; `_id` is the row's id where the schema does not speak of it. */
export function declared({ name: resource, schema, columns }: Resource, name: string): Field {
  const field = fieldOf(schema, name);
  if (field) return field;
  if (name === '_id' && columns.has('_id')) {
    return { name, path: [name], type: 'text', choices: undefined, many: false, jsonpath: '$."_id"' };
  }
  throw new TypeError(`${resource} have no field ${name}`);
}

/** Bytes in order, but for the row's id: its primary key serves only the collation that it was made with. */
const columnValue = ({ type, name }: Field, column: AnyPgColumn): SQL =>
  type === 'text' && name !== '_id' ? sql`${column} collate "C"` : sql`${column}`;

function documentValue(field: Field, doc: SQL): SQL {
  if (field.type === 'text') return sql`(${doc} #>> ${textArray(field.path)}) collate "C"`;
  // One look at the document, and no cast of what is no number: strict and silent gives null instead of an error.
  const path = `strict ${field.jsonpath} ? (@.type() == "${field.type}")`;
  return sql`jsonb_path_query_first(${doc}, ${path}::jsonpath, '{}', true)::${castOf(field)}`;
}

/** Every value of a field that has many, as rows `element(v)`. */
export const elementsOf = (field: Field, doc: SQL): SQL =>
  sql`jsonb_path_query(${doc}, ${`lax ${field.jsonpath}`}::jsonpath, '{}', true) as element(v)`;

/** One element's value, typed like `operandOf`. */
export function elementValue(field: Field): SQL {
  const text = sql`(element.v #>> '{}') collate "C"`;
  if (field.type === 'text') return text;
  return sql`case when jsonb_typeof(element.v) = ${field.type} then element.v::${castOf(field)} end`;
}

const castOf = ({ type }: Field): SQL => (type === 'number' ? sql`numeric` : sql`boolean`);

/** A value as SQL of the type that the operand has, so that an index on its column serves. */
export function literal(field: Field, column: AnyPgColumn | undefined, value: Value): SQL {
  if (field.type === 'boolean') return value === true ? sql`true` : sql`false`;
  if (field.type === 'text') return sql`${String(value)}`;
  return sql`${String(value)}::${sql.raw(numberType(column, [value]))}`;
}

/** Several values as one array parameter; numbers as the column's own type. */
export function literals(field: Field, column: AnyPgColumn | undefined, values: readonly Value[]): SQL {
  const texts = values.map(String);
  if (field.type === 'text') return textArray(texts);
  const type = field.type === 'boolean' ? 'boolean' : numberType(column, values);
  return sql`${arrayText(texts)}::${sql.raw(type)}[]`;
}

/** Comparing a column with another numeric type would cast the column and lose its index. */
function numberType(column: AnyPgColumn | undefined, values: readonly Value[]): string {
  const type = column?.getSQLType() ?? 'numeric';
  if (/^(double precision|real)/.test(type)) return 'double precision';
  return /^(smallint|integer|bigint)/.test(type) && values.every(Number.isSafeInteger) ? 'bigint' : 'numeric';
}

/**
 * An array of JSON texts as one parameter, for documents that are many or large: JSON as JavaScript writes it has no line
 * break, so that nothing has to be escaped on one side and read character by character on the other. Not for none at all.
 */
export const jsonTexts = (texts: readonly string[]): SQL =>
  sql`string_to_array(${texts.join('\n')}, ${'\n'})`;

/** An array of text as one parameter. */
export const textArray = (texts: readonly string[]): SQL => sql`${arrayText(texts)}::text[]`;

const arrayText = (texts: readonly string[]): string =>
  `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
