import { type SQL, sql } from 'drizzle-orm';
import { isoOf } from '#db/expressions.ts';

/*
 * Builds JSON text in the database, field by field: responses pass it on without parsing it. Every expression here is text
 * that is never null.
 */

/** Returns a text column as JSON, which may be null. */
export const textIn = (column: SQL): SQL => sql`coalesce(to_json(${column})::text, 'null')`;

/** Returns a number, a list or a document: anything that PostgreSQL converts to JSON as required. */
export const valueIn = (column: SQL): SQL => sql`to_json(${column})::text`;

/** Returns a column of our own ids, which need no escaping; not null. */
export const idIn = (column: SQL): SQL => sql`'"' || ${column} || '"'`;

/** Returns a timestamp as ISO 8601 in UTC with milliseconds; null remains null. */
export const momentIn = (column: SQL): SQL => sql`coalesce('"' || ${isoOf(column)} || '"', 'null')`;

/**
 * Returns a JSON object.
 *
 * @param optional fields that are left out where their column is null; the value is JSON text, or null
 */
export function objectIn(fields: Record<string, SQL>, optional: Record<string, SQL> = {}): SQL {
  const given = Object.entries(fields).flatMap(([name, value], at) => [
    sql.raw(`'${at === 0 ? '{' : ','}"${name}":'`),
    value,
  ]);
  const perhaps = Object.entries(optional).map(([name, value]) => {
    const start = sql.raw(`',"${name}":'`);
    return sql`coalesce(${start} || ${value}, '')`;
  });
  return sql`(${sql.join([...given, ...perhaps, sql.raw(`'}'`)], sql` || `)})`;
}
