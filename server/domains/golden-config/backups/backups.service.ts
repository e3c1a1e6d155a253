import { and, eq, sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { remove } from '#db/collection.ts';
import { isOneOf, jsonText } from '#db/expressions.ts';
import { list } from '#db/list/list.ts';
import { defineResource } from '#db/list/resource.ts';
import { type Backup, type BackupUpdate, ListedBackup } from '#db/schemas/golden-config/backup.ts';
import type { BackupSearch } from '#db/schemas/requests/configuration-search.ts';
import { backups, rawConfigs } from '#db/tables/golden-config/configurations.ts';
import {
  assertConsistent,
  assertGroupsKnownOrUnchanged,
  assertMayChange,
  lockDocuments,
  unknownInGbac,
  writeDocument,
} from '#server/domains/identity/index.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { accessOf, findDocument, readSearchAt } from '#server/kernel/documents/documents.service.ts';
import { compilePattern } from '#server/kernel/documents/list-filter.ts';
import { earliest, latest } from '#server/kernel/documents/moments.ts';
import { wholeGbac } from '#server/kernel/documents/new-document.ts';
import { notFound } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { dropRawConfigs } from './raw-configs.service.ts';
import { shownConfiguration } from './shown-configuration.ts';

const resource = defineResource({
  name: 'backups',
  schema: ListedBackup,
  source: backups,
  columns: { name: backups.name, date: backups.date },
  defaultSort: [{ field: 'date', order: -1 }],
});

/**
 * Returns a page of backups without their texts, newest first (contract/lifecycle#4.3). Name and description match as
 * substrings; with `regex` the name is a regular expression. The date bounds are inclusive.
 *
 * @returns the page and the number of all matches
 * @throws ServiceError BAD_REQUEST for an expression that RE2 does not accept
 */
export async function searchBackups(
  { db, principal }: ReadContext,
  { filter: { name, description, dateFrom, dateTo } = {}, ...options }: BackupSearch,
): Promise<JsonText<{ total: number; list: ListedBackup[] }>> {
  const query = readSearchAt(resource, { ...options, filter: { name } }, { pattern: compilePattern });
  if (description) query.where.push({ field: 'description', op: 'contains', values: [description] });
  const access = accessOf(
    mayRead(backups, principal),
    dateFrom === undefined ? undefined : sql`${backups.date} >= ${earliest(dateFrom)}`,
    dateTo === undefined ? undefined : sql`${backups.date} <= ${latest(dateTo)}`,
  );
  const { body, total } = await list(db, resource, query, access);
  return json(`{"total":${total},"list":[`, body, ']}');
}

/**
 * Returns a backup with its text as JSON text; neither is parsed here.
 *
 * @throws ServiceError NOT_FOUND
 */
export async function getBackup(ctx: ReadContext, id: string): Promise<JsonText<Backup>> {
  const { doc, content } = await backupWithText(ctx, id);
  const shown = await shownConfiguration(ctx.principal, content);
  return json(`${doc.slice(0, -1)},"rawConfig":${JSON.stringify(shown)}}`);
}

/**
 * Returns a backup with its text verbatim; who may call it also reads secrets elsewhere (`seesConfigurationSecrets`).
 *
 * @throws ServiceError NOT_FOUND
 */
export async function getBackupWithSecrets(ctx: ReadContext, id: string): Promise<JsonText<Backup>> {
  const { doc, content } = await backupWithText(ctx, id);
  return json(`${doc.slice(0, -1)},"rawConfig":${JSON.stringify(content)}}`);
}

async function backupWithText({ db, principal }: ReadContext, id: string) {
  const [found] = await db
    .select({ doc: jsonText(backups.doc), content: rawConfigs.content })
    .from(backups)
    .innerJoin(rawConfigs, eq(rawConfigs.sha256, backups.sha256))
    .where(and(eq(backups.id, id), mayRead(backups, principal)));
  if (!found) throw notFound('Backup', id);
  return found;
}

/**
 * Updates the notes and access lists of a backup; the configuration never changes (contract/lifecycle#4.3).
 *
 * @throws ServiceError NOT_FOUND, FORBIDDEN, CONFLICT
 */
export async function updateBackup(ctx: WriteContext, id: string, change: BackupUpdate): Promise<void> {
  assertConsistent(change.gbac, ['gbac']);
  const unknown = await unknownInGbac(ctx.db, change.gbac, ['gbac']);
  const stored = await findDocument(ctx, 'backup', id, true);
  assertMayChange(ctx, 'backup', stored);
  assertGroupsKnownOrUnchanged(unknown, change.gbac, stored.doc.gbac);
  const { description, notes, gbac = stored.doc.gbac } = change;
  await writeDocument(ctx, 'backup', stored, { description, notes, gbac: wholeGbac(gbac) });
}

/**
 * Deletes backups and the texts that no other backup references; ignores unknown ids (contract/lifecycle#4.3).
 *
 * @returns the number of deleted backups
 * @throws ServiceError FORBIDDEN when the caller may not write one of them; none is deleted then
 */
export async function deleteBackups(ctx: WriteContext, ids: readonly string[]): Promise<number> {
  const found = await lockDocuments(ctx, 'backup', isOneOf(backups.id, ids));
  for (const one of found) assertMayChange(ctx, 'backup', one);
  const held = found.map(({ id }) => id);
  const gone = await remove(ctx.db, backups, held);
  await dropRawConfigs(
    ctx.db,
    found.flatMap(({ doc }) => doc.sha256 ?? []),
  );
  return gone.length;
}
