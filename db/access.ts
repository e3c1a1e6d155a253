import type { SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { sql } from './statement.ts';

/** What of a caller decides which documents it sees. */
export type Reader = { roles: readonly string[]; groups: readonly string[] };

/**
 * The one place where gbac decides what a caller may read: a condition for every query over documents, so that lists,
 * totals and single reads agree. An empty list lets everyone with the role in; `admin` passes (decisions §3).
 *
 * @returns undefined when nothing needs to be asked
 */
export function mayRead(table: { readGroups: PgColumn }, reader: Reader): SQL | undefined {
  if (reader.roles.includes('admin')) return undefined;
  const groups = JSON.stringify(reader.groups);
  return sql`(${table.readGroups} is null or ${table.readGroups} = '[]'::jsonb
    or ${table.readGroups} ?| array(select jsonb_array_elements_text(${groups}::text::jsonb)))`;
}
