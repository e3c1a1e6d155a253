import type { SQL } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
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

/** What of a caller decides which projects it takes part in. */
export type Member = Reader & { id: string };

/** The entries of a project's accessControl that a caller goes by (lifecycle §5.1). */
export const membershipsOf = ({ id, groups }: Member): string[] => [
  `account:${id}`,
  ...groups.map((group) => `group:${group}`),
];

/**
 * The one place where membership decides which projects a caller may read; `admin` needs none (lifecycle §5.1).
 *
 * @returns undefined when nothing needs to be asked
 */
export function mayReadProject(table: { readers: PgColumn }, member: Member): SQL | undefined {
  if (member.roles.includes('admin')) return undefined;
  const keys = JSON.stringify(membershipsOf(member));
  return sql`${table.readers} ?| array(select jsonb_array_elements_text(${keys}::text::jsonb))`;
}

/**
 * Which assets a caller may read: global ones, and those of the projects it may read.
 *
 * @returns undefined when nothing needs to be asked
 */
export function mayReadAsset(
  table: { projectId: PgColumn },
  projects: { id: PgColumn; readers: PgColumn } & PgTable,
  member: Member,
): SQL | undefined {
  const readable = mayReadProject(projects, member);
  if (!readable) return undefined;
  return sql`(${table.projectId} is null
    or ${table.projectId} in (select ${projects.id} from ${projects} where ${readable}))`;
}
