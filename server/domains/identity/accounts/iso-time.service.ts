import { type SQL, sql } from 'drizzle-orm';

/**
 * Formats a moment as JSON shows it, UTC with milliseconds; null stays null.
 *
 * @param moment a column's name, or an expression of type timestamptz
 */
export const isoOf = (moment: string | SQL) =>
  sql`to_char((${typeof moment === 'string' ? sql.raw(moment) : moment}) at time zone 'UTC',
    'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
