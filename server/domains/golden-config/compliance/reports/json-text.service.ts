import { type SQL, sql } from 'drizzle-orm';

/*
 * JSON made as text in the database, member by member: answers pass on what it says, and nothing is parsed on the way.
 * Every expression here is text that is never null.
 */

/** A column of text, or null. */
export const textIn = (column: SQL): SQL => sql`coalesce(to_json(${column})::text, 'null')`;

/** A number, or a list, or a document: anything whose JSON is what PostgreSQL makes of it. */
export const valueIn = (column: SQL): SQL => sql`to_json(${column})::text`;

/** A column that holds ids of ours, which need no escaping; not null. */
export const idIn = (column: SQL): SQL => sql`'"' || ${column} || '"'`;

/** A moment as ISO 8601 in UTC with milliseconds; null stays null. */
export const momentIn = (column: SQL): SQL =>
  sql`coalesce('"' || to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null')`;

/**
 * An object.
 *
 * @param optional members that are left out where their column is null; the value is text of JSON, or null
 */
export function objectIn(members: Record<string, SQL>, optional: Record<string, SQL> = {}): SQL {
  const given = Object.entries(members).flatMap(([name, value], at) => [
    sql.raw(`'${at === 0 ? '{' : ','}"${name}":'`),
    value,
  ]);
  const perhaps = Object.entries(optional).map(([name, value]) => {
    const start = sql.raw(`',"${name}":'`);
    return sql`coalesce(${start} || ${value}, '')`;
  });
  return sql`(${sql.join([...given, ...perhaps, sql.raw(`'}'`)], sql` || `)})`;
}
