import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';

/**
 * Formats a timestamp as in JSON responses, UTC with milliseconds; null remains null.
 *
 * @param moment a column, or an expression of type timestamptz
 */
export const isoOf = (moment: PgColumn | SQL) =>
  sql<string>`to_char((${moment}) at time zone 'UTC',
    'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
