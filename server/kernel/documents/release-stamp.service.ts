import { sql } from 'drizzle-orm';

/** When a row was last written, in the form of its ETag: to the microsecond, so that no two writes have the same stamp. */
export const STAMP = sql<string>`to_char(updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
