import { getTableName, SQL, StringChunk } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { sql } from './statement.ts';
import { deletedAccessLists } from './tables/bookkeeping/access-lists.ts';

/** The rights of a caller that decide which documents it may read. */
export type DocumentReader = {
  roles: readonly string[];
  groups: readonly string[];
  /** True where documents of `UNLISTED` without an access list are for administrators only. */
  hidesUnlisted?: boolean;
  /** Callers whose common rights this reader has: a document is readable only if each of them may read it. */
  sharedBy?: readonly DocumentReader[];
};

const scopes = new WeakMap<SQL, PgColumn>();

/** Marks a condition as one that depends on a single column of a document. */
function scoped(column: PgColumn, condition: SQL): SQL {
  scopes.set(condition, column);
  return condition;
}

/** Returns the conjunction of conditions over one column; undefined when there is no condition to check. */
function everyOf(column: PgColumn, conditions: readonly (SQL | undefined)[]): SQL | undefined {
  const present = conditions.filter((one) => one !== undefined);
  return present.length === 0 ? undefined : scoped(column, sql`(${sql.join(present, sql` and `)})`);
}

/**
 * Returns the only column on which a condition of this file depends, also when the condition is wrapped in another SQL
 * object by itself; undefined for any other condition.
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
 * Returns the condition under which gbac lets a caller read a document. Every query over documents uses it, so that
 * lists, totals and single reads agree. An empty list admits everyone with the role; `admin` may read everything
 * (contract/decisions#3).
 *
 * @param name name of the table whose documents they are, where another table has their access lists
 * @returns undefined when the caller may read every document
 */
export function mayRead(
  table: { readGroups: PgColumn },
  reader: DocumentReader,
  name = getTableName(table.readGroups.table),
): SQL | undefined {
  if (reader.sharedBy) {
    return everyOf(
      table.readGroups,
      reader.sharedBy.map((one) => mayRead(table, one, name)),
    );
  }
  if (reader.roles.includes('admin')) return undefined;
  const groups = JSON.stringify(reader.groups);
  const isListed = sql`${table.readGroups} ?| array(select jsonb_array_elements_text(${groups}::text::jsonb))`;
  if (reader.hidesUnlisted && UNLISTED.has(name))
    return scoped(table.readGroups, sql`(${table.readGroups} is not null and ${isListed})`);
  return scoped(
    table.readGroups,
    sql`(${table.readGroups} is null or ${table.readGroups} = '[]'::jsonb
    or ${isListed})`,
  );
}

/** The tables whose documents without an access list an admin may close (decision 0112). */
const UNLISTED: ReadonlySet<string> = new Set([
  'backups',
  'device_groups',
  'device_origins',
  'gateway_hosts',
  'golden_trees',
]);

/** The kinds of events about documents in these tables. */
const UNLISTED_EVENTS: ReadonlySet<string> = new Set(['backup', 'campaign', 'deviceGroup', 'tree']);

/**
 * Applies the same rule to access lists that were read already, for events: one query serves every stream.
 *
 * @param documents the documents of the event, at least one of which must admit the caller: for each its access lists,
 *   all of which must admit it. Entries are group ids or those of a project's access list; an empty list admits everyone
 * @param kind kind of the documents: an empty list of one in `UNLISTED_EVENTS` may admit administrators only
 * @returns whether the caller may receive the event
 */
export function mayReceiveEvents(
  documents: readonly (readonly (readonly string[])[])[],
  member: Member,
  kind: string,
): boolean {
  if (member.sharedBy) return member.sharedBy.every((one) => mayReceiveEvents(documents, one, kind));
  if (member.roles.includes('admin')) return true;
  const isOpen = !(member.hidesUnlisted && UNLISTED_EVENTS.has(kind));
  const keys = new Set([...member.groups, ...membershipsOf(member)]);
  return documents.some((lists) =>
    lists.every((list) => (isOpen && list.length === 0) || list.some((key) => keys.has(key))),
  );
}

/** The rights of a caller that decide which projects it is a member of. */
export type Member = Omit<DocumentReader, 'sharedBy'> & { id: string; sharedBy?: readonly Member[] };

/** Returns the entries of a project's accessControl that apply to one account (contract/lifecycle#5.1). */
export const membershipsOf = ({ id, groups }: Member): string[] => [
  `account:${id}`,
  ...groups.map((group) => `group:${group}`),
];

/**
 * Checks whether a project's access list names the caller, or each of the callers in `sharedBy`.
 *
 * @param allowed entries of the list
 * @returns whether all of them are named; an admin always is
 */
export const isListed = (allowed: readonly string[], member: Member): boolean =>
  (member.sharedBy ?? [member]).every(
    (one) => one.roles.includes('admin') || membershipsOf(one).some((key) => allowed.includes(key)),
  );

/**
 * Returns the condition under which a caller may read a project as a member; `admin` needs no membership
 * (contract/lifecycle#5.1). Every query over projects uses it.
 *
 * @returns undefined when the caller may read every project
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

/** Restricts `deletedAccessLists` to documents of one table that were not created again under the same id. */
const deletedFrom = (
  table: PgTable & { id: PgColumn },
): SQL => sql`${deletedAccessLists.kind} = ${getTableName(table)}
  and not exists (select from ${table} where ${table.id} = ${deletedAccessLists.id})`;

/**
 * Returns the ids of the documents that a caller may not read, to filter data that refers to a document and may outlive
 * it: a deleted document counts with its last access list.
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
      where ${deletedFrom(table)} and not ${mayRead(deletedAccessLists, reader, getTableName(table)) ?? sql`true`})`
  );
}

type ProjectTable = { id: PgColumn; readers: PgColumn } & PgTable;

/**
 * Returns the condition under which a caller may read an asset: global assets and those of the projects it may read.
 *
 * @returns undefined when the caller may read every asset
 */
export const mayReadAsset = (
  table: { projectId: PgColumn },
  projects: ProjectTable,
  member: Member,
): SQL | undefined => ofProjects(table, projects, mayReadProject(projects, member));

/**
 * Returns the condition under which a caller may read data that belongs to a project and may outlive it. After the
 * project was deleted, its last members may still read that data.
 *
 * @returns undefined when the caller may read everything
 */
export function mayReadOfProject(
  table: { projectId: PgColumn },
  projects: ProjectTable,
  member: Member,
): SQL | undefined {
  const wasReadable = mayReadProject({ readers: deletedAccessLists.readGroups }, member) ?? sql`true`;
  const deleted = sql`or ${table.projectId} in (select ${deletedAccessLists.id} from ${deletedAccessLists}
      where ${deletedFrom(projects)} and ${wasReadable})`;
  return ofProjects(table, projects, mayReadProject(projects, member), deleted);
}

const ofProjects = (
  table: { projectId: PgColumn },
  projects: ProjectTable,
  readable: SQL | undefined,
  others: SQL = sql``,
): SQL | undefined =>
  readable &&
  scoped(
    table.projectId,
    sql`(${table.projectId} is null
    or ${table.projectId} in (select ${projects.id} from ${projects} where ${readable}) ${others})`,
  );
