import { getTableName, SQL, StringChunk } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { sql } from './statement.ts';
import { deletedAccessLists } from './tables/bookkeeping/access-lists.ts';

/** What of a caller decides which documents it sees. */
export type DocumentReader = {
  roles: readonly string[];
  groups: readonly string[];
  /** Those whose common rights these are: each of them must be let in. */
  sharedBy?: readonly DocumentReader[];
};

const scopes = new WeakMap<SQL, PgColumn>();

/** A condition that asks no more of a document than what stands in one column. */
function scoped(column: PgColumn, condition: SQL): SQL {
  scopes.set(condition, column);
  return condition;
}

/** Returns the conjunction of conditions over one column; undefined when nothing needs to be asked. */
function everyOf(column: PgColumn, conditions: readonly (SQL | undefined)[]): SQL | undefined {
  const asked = conditions.filter((one) => one !== undefined);
  return asked.length === 0 ? undefined : scoped(column, sql`(${sql.join(asked, sql` and `)})`);
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
 * totals and single reads agree. An empty list lets everyone with the role in; `admin` passes (contract/decisions#3).
 *
 * @returns undefined when nothing needs to be asked
 */
export function mayRead(table: { readGroups: PgColumn }, reader: DocumentReader): SQL | undefined {
  if (reader.sharedBy) {
    return everyOf(
      table.readGroups,
      reader.sharedBy.map((one) => mayRead(table, one)),
    );
  }
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
  if (member.sharedBy) return member.sharedBy.every((one) => mayHear(documents, one));
  if (member.roles.includes('admin')) return true;
  const keys = new Set([...member.groups, ...membershipsOf(member)]);
  return documents.some((lists) =>
    lists.every((list) => list.length === 0 || list.some((key) => keys.has(key))),
  );
}

/** What of a caller decides which projects it takes part in. */
export type Member = Omit<DocumentReader, 'sharedBy'> & { id: string; sharedBy?: readonly Member[] };

/** The entries of a project's accessControl that one account goes by (contract/lifecycle#5.1). */
export const membershipsOf = ({ id, groups }: Member): string[] => [
  `account:${id}`,
  ...groups.map((group) => `group:${group}`),
];

/** Whether an access list of a project names the caller: every one of those that it stands for. */
export const isListed = (allowed: readonly string[], member: Member): boolean =>
  (member.sharedBy ?? [member]).every(
    (one) => one.roles.includes('admin') || membershipsOf(one).some((key) => allowed.includes(key)),
  );

/**
 * The one place where membership decides which projects a caller may read; `admin` needs none (contract/lifecycle#5.1).
 *
 * @returns undefined when nothing needs to be asked
 */
export function mayReadProject(table: { readers: PgColumn }, member: Member): SQL | undefined {
  if (member.sharedBy) {
    return everyOf(
      table.readers,
      member.sharedBy.map((one) => mayReadProject(table, one)),
    );
  }
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

/** Restricts `deletedAccessLists` to documents of one table that do not exist again under the same id. */
const deletedFrom = (
  table: PgTable & { id: PgColumn },
): SQL => sql`${deletedAccessLists.kind} = ${getTableName(table)}
  and not exists (select from ${table} where ${table.id} = ${deletedAccessLists.id})`;

/**
 * Ids of the documents that a caller may not read, for what depends on a document and may outlive it: deleted ones count
 * with their last access list.
 *
 * @returns an SQL array of ids; undefined when the caller may read all
 */
export function unreadableIds(
  table: PgTable & { id: PgColumn; readGroups: PgColumn },
  reader: DocumentReader,
): SQL | undefined {
  const readable = mayRead(table, reader);
  return (
    readable &&
    sql`array(select ${table.id}::text from ${table} where not ${readable}
      union all select ${deletedAccessLists.id}::text from ${deletedAccessLists}
      where ${deletedFrom(table)} and not ${mayRead(deletedAccessLists, reader) ?? sql`true`})`
  );
}

/**
 * Whether a caller may read what belongs to a project and may outlive it: members of a deleted project still may, as
 * they were when it was deleted.
 *
 * @returns undefined when nothing needs to be asked
 */
export function mayReadOfProject(
  table: { projectId: PgColumn },
  projects: { id: PgColumn; readers: PgColumn } & PgTable,
  member: Member,
): SQL | undefined {
  const readable = mayReadProject(projects, member);
  if (!readable) return undefined;
  const wasReadable = mayReadProject({ readers: deletedAccessLists.readGroups }, member) ?? sql`true`;
  return scoped(
    table.projectId,
    sql`(${table.projectId} is null
    or ${table.projectId} in (select ${projects.id} from ${projects} where ${readable})
    or ${table.projectId} in (select ${deletedAccessLists.id} from ${deletedAccessLists}
      where ${deletedFrom(projects)} and ${wasReadable}))`,
  );
}
