import { sql } from 'drizzle-orm';

/** When a row was last written, as its ETag tells: to the microsecond, so that two writes never look like one. */
export const STAMP = sql<string>`to_char(updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
