import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { textArray } from './list/row-expressions.ts';

/** Returns whether a column has one of these values: one parameter, so that the statement is the same for any number. */
export const isOneOf = (column: PgColumn, values: readonly string[]): SQL =>
  sql`${column} = any(${textArray(values)})`;

/** Returns a document as the text that the database sends, for answers that pass it on without parsing it. */
export const jsonText = (column: PgColumn): SQL<string> => sql<string>`${column}::text`;
