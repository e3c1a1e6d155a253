import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { textArray } from './list/row-expressions.ts';

/** Returns whether a column has one of these values: one parameter, so that the statement is the same for any number. */
export const isOneOf = (column: PgColumn, values: readonly string[]): SQL =>
  sql`${column} = any(${textArray(values)})`;

/** Returns a document as the text that the database sends, for answers that pass it on without parsing it. */
export const jsonText = (column: PgColumn): SQL<string> => sql<string>`${column}::text`;

/**
 * Formats a timestamp as JSON responses do.
 *
 * @param moment a column, or an expression of type timestamptz
 * @returns an expression for text in ISO 8601, UTC with milliseconds; null for null
 */
export const isoOf = (moment: PgColumn | SQL) =>
  sql<string>`to_char((${moment}) at time zone 'UTC',
    'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
