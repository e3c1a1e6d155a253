import { getTableName, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { type Database, rows } from '#db/client.ts';
import { noteChange } from '#db/collection.ts';
import { DOCUMENT_KINDS, kindsWhere } from '#db/document-kinds/kinds.ts';
import { projects } from '#db/tables/assets/assets.ts';
import { accounts, groups } from '#db/tables/identity/accounts.ts';
import { conflict } from '#server/kernel/errors.ts';

/** A list in accounts and groups, and the field of its entries that holds the id. */
type Listed = { list: 'memberOf'; member: 'groupId' } | { list: 'assignedRoles'; member: 'roleId' };

/** Removes a deleted group or role from every account and group that references it. */
export async function removeFromList(tx: Database, { list, member }: Listed, id: string): Promise<void> {
  const entry = JSON.stringify([{ [member]: id }]);
  for (const table of [accounts, groups]) {
    const name = getTableName(table);
    const changed = await rows<{ id: string; name: string | null }>(
      tx,
      sql`update ${table} set rev = rev + 1, updated_at = now(), doc = jsonb_set(doc, ${`{${list}}`}::text::text[],
            coalesce((select jsonb_agg(one) from jsonb_array_elements(doc -> ${list}::text) one
              where one ->> ${member}::text is distinct from ${id}), '[]'))
          where doc -> ${list}::text @> ${entry}::text::jsonb
          returning id, coalesce(doc ->> 'name', doc ->> 'username') as name`,
    );
    for (const one of changed) noteChange(tx, { kind: name, ...one });
  }
}

/** Kinds whose documents have their own access list; that of a device belongs to its origin. */
const LISTED = kindsWhere(({ access, table }) => access === 'list' && 'writeGroups' in table);

/** Maximum number of documents in one error message. */
const NAMED = 3;

/**
 * Removes a deleted group from every access list (contract/lifecycle#3).
 *
 * @param what name of the group in the message
 * @throws ServiceError CONFLICT when a list would become empty: its document would then be open to everyone
 */
export async function removeFromAccessLists(tx: Database, groupId: string, what: string): Promise<void> {
  const opened: { kind: string; name: string | null; id: string }[] = [];
  for (const { table } of LISTED.map((kind) => DOCUMENT_KINDS[kind])) {
    const kind = getTableName(table);
    for (const { opens, ...one } of await takeOff(tx, table, groupId)) {
      if (opens) opened.push({ kind, ...one });
      else noteChange(tx, { kind, ...one });
    }
  }
  if (opened.length === 0) return;
  const named = opened
    .slice(0, NAMED)
    .map(({ kind, name, id }) => `${kind.replaceAll('_', ' ')}: ${name ?? id}`);
  const more = opened.length > NAMED ? `, and ${opened.length - NAMED} more` : '';
  throw conflict(
    `${what} is the only group on an access list of ${named.join(', ')}${more}: add another group there first`,
  );
}

type RemovedReferences = { id: string; name: string | null; opens: boolean };

/** Maximum number of rows per table: enough for the error message and the audit row. */
const MOST_ROWS = 100;

/**
 * Removes a group from the access lists of a table. The old rows are locked first, so that the rows that are checked are
 * those that are changed.
 *
 * @returns the changed documents, first those that would become open; at most 100
 */
function takeOff(tx: Database, table: PgTable, groupId: string): Promise<RemovedReferences[]> {
  const without = (list: SQL) => sql`coalesce((old.doc #> ${list}) - ${groupId}::text, '[]')`;
  const [read, write] = [sql`'{gbac,read}'::text[]`, sql`'{gbac,write}'::text[]`];
  const closes = (list: SQL) =>
    sql`(coalesce((old.doc #> ${list}) ? ${groupId}::text, false) and ${without(list)} = '[]')`;
  return rows<RemovedReferences>(
    tx,
    sql`with old as (
          select id, doc from ${table}
          where read_groups ? ${groupId}::text or write_groups ? ${groupId}::text for update
        ), changed as (
          update ${table} as t set rev = t.rev + 1, updated_at = now(),
            doc = jsonb_set(jsonb_set(old.doc, ${read}, ${without(read)}), ${write}, ${without(write)})
          from old where t.id = old.id
          returning t.id, coalesce(t.doc ->> 'name', t.doc ->> 'deviceName') as name,
            ${closes(read)} or ${closes(write)} as opens
        )
        select id, name, opens from changed order by opens desc, id limit ${MOST_ROWS}::int`,
  );
}

/** The derived access lists of a project, each with its entries (contract/lifecycle#5.1). */
const RIGHTS = ['read', 'write', 'execute', 'manage'] as const;

/**
 * Removes a deleted group from every project that it is a member of (contract/lifecycle#5.1).
 *
 * @param what name of the group in the message
 * @throws ServiceError CONFLICT when it is the only owner of one: only an admin could manage that project then
 */
export async function removeFromProjects(tx: Database, groupId: string, what: string): Promise<void> {
  const key = `group:${groupId}`;
  const access = RIGHTS.reduce(
    (doc, right) =>
      sql`jsonb_set(${doc}, ${`{accessControl,${right}}`}::text::text[],
        coalesce((old.doc #> ${`{accessControl,${right}}`}::text::text[]) - ${key}::text, '[]'))`,
    sql`old.doc`,
  );
  const changed = await rows<{ id: string; name: string; orphaned: boolean }>(
    tx,
    sql`with old as (
          select id, doc from ${projects} where readers ? ${key}::text for update
        )
        update ${projects} as t set rev = t.rev + 1, updated_at = now(),
          doc = jsonb_set(${access}, '{members}', coalesce(
            (select jsonb_agg(m) from jsonb_array_elements(old.doc -> 'members') m
             where not (m ->> 'type' = 'group' and m ->> 'reference' = ${groupId}::text)), '[]'))
        from old where t.id = old.id
        returning t.id, t.doc ->> 'name' as name, t.doc #> '{accessControl,manage}' = '[]' as orphaned`,
  );
  const orphaned = changed.filter((one) => one.orphaned).map(({ name }) => name);
  if (orphaned.length > 0) {
    const more = orphaned.length > NAMED ? `, and ${orphaned.length - NAMED} more` : '';
    throw conflict(
      `${what} is the only owner of project ${orphaned.slice(0, NAMED).join(', ')}${more}: add another owner there first`,
    );
  }
  for (const { id, name } of changed) noteChange(tx, { kind: 'projects', id, name });
}
