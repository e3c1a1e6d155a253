import { SQL, StringChunk } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { sql } from './statement.ts';

/** What of a caller decides which documents it sees. */
export type Reader = { roles: readonly string[]; groups: readonly string[] };

const scopes = new WeakMap<SQL, PgColumn>();

/** A condition that asks no more of a document than what stands in one column. */
function scoped(column: PgColumn, condition: SQL): SQL {
  scopes.set(condition, column);
  return condition;
}

/**
 * The column that alone decides whether a document meets a condition of this file, bare or handed on by itself inside
 * of another; undefined for any other condition.
 */
export function scopeOf(condition: SQL): PgColumn | undefined {
  const own = scopes.get(condition);
  if (own) return own;
  const parts = condition.queryChunks.filter(
    (part) => !(part instanceof StringChunk && part.value.join('').trim() === ''),
  );
  const [only] = parts;
  return parts.length === 1 && only instanceof SQL ? scopeOf(only) : undefined;
}

/**
 * The one place where gbac decides what a caller may read: a condition for every query over documents, so that lists,
 * totals and single reads agree. An empty list lets everyone with the role in; `admin` passes (decisions §3).
 *
 * @returns undefined when nothing needs to be asked
 */
export function mayRead(table: { readGroups: PgColumn }, reader: Reader): SQL | undefined {
  if (reader.roles.includes('admin')) return undefined;
  const groups = JSON.stringify(reader.groups);
  return scoped(
    table.readGroups,
    sql`(${table.readGroups} is null or ${table.readGroups} = '[]'::jsonb
    or ${table.readGroups} ?| array(select jsonb_array_elements_text(${groups}::text::jsonb)))`,
  );
}

/**
 * The same decision over access lists that were read already, for events: one query serves every stream.
 *
 * @param documents that the event is about, one of which must let the caller in: for each its access lists, all of which
 *   must; their entries are ids of groups, or those of a project's access list, and an empty one lets everyone in
 */
export function mayHear(documents: readonly (readonly (readonly string[])[])[], member: Member): boolean {
  if (member.roles.includes('admin')) return true;
  const keys = new Set([...member.groups, ...membershipsOf(member)]);
  return documents.some((lists) =>
    lists.every((list) => list.length === 0 || list.some((key) => keys.has(key))),
  );
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
  return scoped(
    table.readers,
    sql`${table.readers} ?| array(select jsonb_array_elements_text(${keys}::text::jsonb))`,
  );
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
  return scoped(
    table.projectId,
    sql`(${table.projectId} is null
    or ${table.projectId} in (select ${projects.id} from ${projects} where ${readable}))`,
  );
}
