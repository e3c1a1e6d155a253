import { sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { rows } from '#db/client.ts';
import { find, remove, replace } from '#db/collection.ts';
import { list } from '#db/list/list.ts';
import { defineResource } from '#db/list/resource.ts';
import { textArray } from '#db/list/row-expressions.ts';
import { type Backup, type BackupUpdate, ListedBackup } from '#db/schemas/golden-config/backup.ts';
import { backups, rawConfigs } from '#db/tables/documents.ts';
import {
  assertConsistent,
  assertKnownOrKept,
  assertMayWrite,
  unknownInGbac,
} from '#server/domains/identity/index.ts';
import {
  accessOf,
  allOf,
  type Reading,
  readSearchAt,
  type Writing,
} from '#server/kernel/documents/documents.service.ts';
import { compilePattern } from '#server/kernel/documents/list-filter.ts';
import { earliest, latest } from '#server/kernel/documents/moments.ts';
import { wholeGbac } from '#server/kernel/documents/new-document.ts';
import { assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import { grownStamp } from '#server/kernel/documents/stamps.ts';
import { conflict, notFound } from '#server/kernel/errors.ts';
import { json } from '#server/kernel/json-text.ts';
import { dropRawConfigs } from './raw-configs.service.ts';

const resource = defineResource({
  name: 'backups',
  schema: ListedBackup,
  source: backups,
  columns: { name: backups.name, date: backups.date },
  defaultSort: [{ field: 'date', order: -1 }],
});

/** What a search for backups may ask. */
export type BackupSearch = Record<string, unknown> & {
  filter?:
    | {
        name?: string | undefined;
        description?: string | undefined;
        dateFrom?: string | undefined;
        dateTo?: string | undefined;
      }
    | undefined;
};

/**
 * Search for backups, newest first, without their texts (contract/lifecycle#4.3). Name and description are substrings; with
 * `regex` the name is an expression. The dates are bounds that are met themselves.
 */
export async function searchBackups(
  { db, principal }: Reading,
  { filter: { name, description, dateFrom, dateTo } = {}, ...options }: BackupSearch,
): Promise<{ total: number; list: ListedBackup[] }> {
  const query = readSearchAt(resource, { ...options, filter: { name } }, { pattern: compilePattern });
  if (description) query.where.push({ field: 'description', op: 'contains', values: [description] });
  const access = accessOf(
    mayRead(backups, principal),
    dateFrom === undefined ? undefined : sql`${backups.date} >= ${earliest(dateFrom)}`,
    dateTo === undefined ? undefined : sql`${backups.date} <= ${latest(dateTo)}`,
  );
  const { texts, total } = await list(db, resource, query, access);
  return json(`{"total":${total},"list":[${texts.join(',')}]}`);
}

/**
 * One backup with its text, neither of them parsed here.
 *
 * @throws ServiceError NOT_FOUND
 */
export async function getBackup({ db, principal }: Reading, id: string): Promise<Backup> {
  const [found] = await rows<{ doc: string; content: string }>(
    db,
    sql`select ${backups.doc}::text as doc, ${rawConfigs.content} as content
        from ${backups} join ${rawConfigs} on ${rawConfigs.sha256} = ${backups.sha256}
        where ${allOf(sql`${backups.id} = ${id}`, mayRead(backups, principal))}`,
  );
  if (!found) throw notFound('Backup', id);
  return json(`${found.doc.slice(0, -1)},"rawConfig":${JSON.stringify(found.content)}}`);
}

/**
 * Change what people wrote on a backup, or who may use it; the configuration never changes (contract/lifecycle#4.3).
 *
 * @throws ServiceError NOT_FOUND, FORBIDDEN, CONFLICT
 */
export async function updateBackup(ctx: Writing, id: string, change: BackupUpdate): Promise<void> {
  const { db, principal, request, platform } = ctx;
  assertConsistent(change.gbac, ['gbac']);
  const unknown = await unknownInGbac(db, change.gbac, ['gbac']);
  const visible = allOf(sql`${backups.id} = ${id}`, mayRead(backups, principal));
  const stored = await find(db, backups, visible, true);
  if (!stored) throw notFound('Backup', id);
  assertMayWrite(stored.doc.gbac, principal, `Backup ${id}`);
  assertUnchanged(request.ifMatch, stored.doc.lastUpdated, `Backup ${id}`);
  assertKnownOrKept(unknown, change.gbac, stored.doc.gbac);
  const { description = stored.doc.description, notes = stored.doc.notes, gbac = stored.doc.gbac } = change;
  const doc: ListedBackup = {
    ...stored.doc,
    ...(description !== undefined && { description }),
    ...(notes !== undefined && { notes }),
    gbac: wholeGbac(gbac),
    lastUpdated: grownStamp(platform.now(), stored.doc.lastUpdated),
  };
  if (!(await replace(db, backups, stored, doc))) throw conflict(`Backup ${id} was changed meanwhile`);
}

/**
 * Delete backups, and the texts that nobody else holds; ids that are not there count for nothing (contract/lifecycle#4.3).
 *
 * @returns how many were deleted
 * @throws ServiceError FORBIDDEN when one may not be written: none is deleted then
 */
export async function deleteBackups(ctx: Writing, ids: readonly string[]): Promise<number> {
  const { db, principal, request } = ctx;
  const found = await rows<{ id: string; sha256: string; gbac: string | null; stamp: string | null }>(
    db,
    sql`select id, sha256, (doc -> 'gbac')::text as gbac, doc ->> 'lastUpdated' as stamp from ${backups}
        where ${allOf(sql`id = any(${textArray(ids)})`, mayRead(backups, principal))} order by id for update`,
  );
  for (const { id, gbac, stamp } of found) {
    assertMayWrite(
      gbac === null ? undefined : (JSON.parse(gbac) as Backup['gbac']),
      principal,
      `Backup ${id}`,
    );
    assertUnchanged(request.ifMatch, stamp, `Backup ${id}`);
  }
  const gone = await remove(
    db,
    backups,
    found.map(({ id }) => id),
  );
  await dropRawConfigs(
    db,
    found.map(({ sha256 }) => sha256),
  );
  return gone.length;
}
