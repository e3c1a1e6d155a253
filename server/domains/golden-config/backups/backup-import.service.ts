import { isDeepStrictEqual } from 'node:util';
import { and, sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { type Database, rows } from '#db/client.ts';
import { isOneOf } from '#db/expressions.ts';
import { newId } from '#db/ids.ts';
import type { BackupItem } from '#db/schemas/golden-config/backup.ts';
import { backups } from '#db/tables/golden-config/configurations.ts';
import { type GroupWarning, withoutUnknownGroups } from '#server/domains/identity/index.ts';
import { withoutConfigurationSecrets } from '#server/domains/network/index.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { batches } from '#server/kernel/documents/batches.ts';
import { recordChanges } from '#server/kernel/documents/documents.service.ts';
import { conflict, forbidden, type Issue } from '#server/kernel/errors.ts';
import { seesConfigurationSecrets } from '#server/kernel/principal.ts';
import { maskedAnswer } from '#server/kernel/secrets/masked-answer.ts';
import { sha256 } from '#server/kernel/secrets/vault.ts';
import { clipped } from '#server/kernel/text/clipped.ts';
import { assertNone } from '#server/kernel/validation/document-issues.ts';
import { ListInPieces } from '#server/kernel/validation/list-in-pieces.ts';
import { type BackupPlan, backupPlanner, type NewBackup } from './backup-plan.ts';
import { storeRawConfigs } from './raw-configs.service.ts';

/** An item whose id is stored already; `isClosed`: the caller may not learn whether the content is the same. */
type Conflict = { at: number; id: string; isClosed?: boolean };

type Items = readonly BackupItem[] | ListInPieces<BackupItem>;
type StoredBackup = { count: number; warnings: GroupWarning[] };

/** Characters of configurations that are stored at once: hashing and sending them takes some milliseconds. */
const AT_ONCE = 1_000_000;

/**
 * Imports backups that a caller sends, all or none. A caller who reads masks imports no secrets: the platform compares newest
 * backups with devices, reports and proposals, and what it answers then would confirm a guess (decision 0156).
 *
 * @returns the number of backups in the request, and the groups of access lists that do not exist
 * @throws ServiceError as `storeBackups`; FORBIDDEN for a backup with a secret that would be masked for the caller
 */
export const importBackups = (ctx: WriteContext, items: Items): Promise<StoredBackup> =>
  storeBackups(ctx, items, seesConfigurationSecrets(ctx.principal) ? undefined : assertNoSecrets);

async function assertNoSecrets(items: readonly BackupItem[]): Promise<void> {
  for (const { sha256: _, ...item } of items) {
    const masked = await maskedAnswer(item, withoutConfigurationSecrets);
    if (isDeepStrictEqual(masked, item)) continue;
    throw forbidden(
      `The backup of ${clipped(item.name, 100)} holds secrets, which are masked for you: importing them needs the permission ConfigurationManager.getBackupWithSecrets`,
    );
  }
}

/**
 * Stores backups, all or none. The same id with the same content again counts but stores nothing; each text is stored once
 * (contract/endpoints#4.9). Backups are stored piece by piece, so that an import of any size needs little memory. A stored backup
 * that the caller may not read conflicts whatever the content: that it is the same would confirm a guess (decision 0150). Two
 * calls that store the same texts in another order may deadlock: `inTransaction` repeats one of them.
 *
 * @param assertMay rejects what may not be stored, a piece at a time
 * @returns the number of backups, and the groups of access lists that do not exist
 * @throws ServiceError CONFLICT naming the ids that are stored with other content, or with one that the caller may not compare
 */
export async function storeBackups(
  ctx: WriteContext,
  items: Items,
  assertMay?: (items: readonly BackupItem[]) => Promise<void>,
): Promise<StoredBackup> {
  const { db, platform } = ctx;
  const plan = backupPlanner(platform.now(), newId, sha256);
  const stored: StoredBackup = { count: 0, warnings: [] };
  const issues: Issue[] = [];
  const conflicting: Conflict[] = [];
  for await (const piece of inPieces(items)) {
    await assertMay?.(piece);
    const { documents, warnings } = await withoutUnknownGroups(db, piece);
    stored.count += piece.length;
    stored.warnings.push(...warnings);
    const planned = plan(documents);
    issues.push(...planned.issues);
    conflicting.push(...planned.conflicting);
    // An import with an issue stores nothing: its other items are checked only.
    if (issues.length === 0) await storePlanned(ctx, planned, conflicting);
  }
  assertNone(issues);
  assertNoConflict(conflicting);
  return stored;
}

const inPieces = (items: Items) =>
  items instanceof ListInPieces
    ? items
    : batches(items, ({ rawConfig }) => rawConfig, { characters: AT_ONCE });

/** Stores planned backups, unless some are in conflict; adds those that conflict with stored ones. */
async function storePlanned(
  ctx: WriteContext,
  { given, made }: Pick<BackupPlan, 'given' | 'made'>,
  conflicting: Conflict[],
): Promise<void> {
  const { db } = ctx;
  const present = await idsPresent(
    db,
    given.map(({ id }) => id),
  );
  conflicting.push(
    ...(await otherwise(
      ctx,
      given.filter(({ id }) => present.has(id)),
    )),
  );
  if (conflicting.length > 0) return;
  // All callers use the same order, as for the texts.
  const fresh = [...given, ...made]
    .filter(({ id }) => !present.has(id))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  await storeRawConfigs(db, fresh);
  const taken = await insertBackups(db, fresh);
  const isTaken = new Set(taken);
  // Another transaction stored backups under these ids at the same time.
  conflicting.push(...(await otherwise(ctx, taken)));
  recordChanges(
    db,
    'backups',
    fresh.filter((one) => !isTaken.has(one)),
  );
}

async function idsPresent(db: Database, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const found = await db.select({ id: backups.id }).from(backups).where(isOneOf(backups.id, ids));
  return new Set(found.map(({ id }) => id));
}

/** Returns the ids of stored backups that a caller may not read, and so not compare with a content. */
async function closedTo({ db, principal }: WriteContext, ids: readonly string[]): Promise<Set<string>> {
  const readable = mayRead(backups, principal);
  if (!readable || ids.length === 0) return new Set();
  const found = await db
    .select({ id: backups.id })
    .from(backups)
    .where(and(isOneOf(backups.id, ids), sql`(${readable}) is not true`));
  return new Set(found.map(({ id }) => id));
}

/**
 * Returns those of the backups that are stored with other content, i.e. where a field of the item differs from the stored
 * one, and those that the caller may not compare.
 */
async function otherwise(ctx: WriteContext, known: readonly NewBackup[]): Promise<Conflict[]> {
  const { db } = ctx;
  const closed = await closedTo(
    ctx,
    known.map(({ id }) => id),
  );
  const isClosed = ({ id }: NewBackup) => closed.has(id);
  const different: Conflict[] = known.filter(isClosed).map(({ at, id }) => ({ at, id, isClosed: true }));
  const open = known.filter((one) => !isClosed(one));
  for (const batch of batches(open.map(withContent), ({ text }) => text)) {
    const texts = batch.map(({ text }) => text).join(',');
    const found = await rows<{ id: string }>(
      db,
      sql`select backup.id from jsonb_array_elements(${`[${texts}]`}::text::jsonb) as given
          join ${backups} as backup on backup.id = given ->> 'id'
          where backup.doc || given <> backup.doc`,
    );
    const ids = new Set(found.map(({ id }) => id));
    different.push(...batch.filter(({ one }) => ids.has(one.id)).map(({ one }) => one));
  }
  return different;
}

const withContent = (one: NewBackup) => ({
  one,
  text: JSON.stringify({ ...one.content, id: one.id, sha256: one.sha256 }),
});

/** @returns the backups whose id another transaction took meanwhile */
async function insertBackups(db: Database, fresh: readonly NewBackup[]): Promise<NewBackup[]> {
  const taken: NewBackup[] = [];
  const documents = fresh.map((one) => ({
    one,
    text: JSON.stringify({ ...one.doc, sha256: one.sha256, size: one.size }),
  }));
  for (const batch of batches(documents, ({ text }) => text)) {
    const texts = batch.map(({ text }) => text).join(',');
    const stored = await rows<{ id: string }>(
      db,
      sql`insert into ${backups} (id, doc)
          select doc ->> 'id', doc from jsonb_array_elements(${`[${texts}]`}::text::jsonb) as doc
          on conflict (id) do nothing returning id`,
    );
    if (stored.length === batch.length) continue;
    const ids = new Set(stored.map(({ id }) => id));
    taken.push(...batch.filter(({ one }) => !ids.has(one.id)).map(({ one }) => one));
  }
  return taken;
}

/** Maximum number of ids in one error message. */
const NAMED = 100;

function assertNoConflict(places: readonly Conflict[]) {
  if (places.length === 0) return;
  const ids = [...new Set(places.map(({ id }) => id))];
  const rest = ids.length - NAMED;
  const named = ids.slice(0, NAMED).join(', ');
  const content = places.some(({ isClosed }) => isClosed)
    ? 'other content, or one closed to you'
    : 'other content';
  throw conflict(`Already stored with ${content}: ${named}${rest > 0 ? ` and ${rest} more` : ''}`, {
    issues: places.slice(0, NAMED).map(({ at, id, isClosed }) => ({
      path: ['backups', at, 'id'],
      message: isClosed
        ? `backup ${id} is stored, and you may not compare its content`
        : `backup ${id} has other content`,
      code: 'conflict',
    })),
  });
}
