import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { isOneOf } from '#db/expressions.ts';
import { newId } from '#db/ids.ts';
import type { BackupItem } from '#db/schemas/golden-config/backup.ts';
import { backups } from '#db/tables/golden-config/configurations.ts';
import { type GroupWarning, withoutUnknownGroups } from '#server/domains/identity/index.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { batches } from '#server/kernel/documents/batches.ts';
import { recordChanges } from '#server/kernel/documents/documents.service.ts';
import { conflict } from '#server/kernel/errors.ts';
import { assertNone } from '#server/kernel/validation/document-issues.ts';
import { type NewBackup, planBackups } from './backup-plan.ts';
import { type Hashed, storeRawConfigs } from './raw-configs.service.ts';

type StoredBackup = { count: number; warnings: GroupWarning[] };

/**
 * Imports backups, all or none. Importing the same id with the same content again counts it but stores nothing; each text
 * is stored once (contract/endpoints#4.9).
 *
 * @returns the number of backups in the request, and the groups of access lists that do not exist
 * @throws ServiceError CONFLICT naming the ids that are stored with other content
 */
export async function importBackups(ctx: WriteContext, items: readonly BackupItem[]): Promise<StoredBackup> {
  const { db, platform } = ctx;
  const { documents, warnings } = await withoutUnknownGroups(db, items);
  const { given, made, conflicting, issues } = planBackups(documents, platform.now(), newId);
  assertNone(issues);
  const present = await idsPresent(
    db,
    given.map(({ id }) => id),
  );
  const hashed = await hashAll([...given, ...made]);
  const known = hashed.filter(({ id }) => present.has(id));
  assertNoConflict([...conflicting, ...(await otherwise(db, known))]);

  // All callers use the same order, as for the texts.
  const fresh = hashed.filter(({ id }) => !present.has(id)).sort((a, b) => (a.id < b.id ? -1 : 1));
  await storeRawConfigs(db, fresh);
  const taken = await insertBackups(db, fresh);
  // Another transaction stored backups under these ids at the same time.
  assertNoConflict(await otherwise(db, taken));
  recordChanges(
    db,
    'backups',
    fresh.filter((one) => !taken.includes(one)),
  );
  return { count: items.length, warnings };
}

type HashedBackup = NewBackup & Hashed & { size: number };

/** Number of texts to hash before yielding to the event loop. */
const HASHED_AT_ONCE = 100;

async function hashAll(incoming: readonly NewBackup[]): Promise<HashedBackup[]> {
  const hashed: HashedBackup[] = [];
  for (const one of incoming) {
    const sha256 = createHash('sha256').update(one.rawConfig).digest('hex');
    hashed.push({ ...one, sha256, size: Buffer.byteLength(one.rawConfig) });
    if (hashed.length % HASHED_AT_ONCE === 0) await setImmediate();
  }
  return hashed;
}

async function idsPresent(db: Database, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const found = await db.select({ id: backups.id }).from(backups).where(isOneOf(backups.id, ids));
  return new Set(found.map(({ id }) => id));
}

/**
 * Returns those of the backups that are stored with other content, i.e. where a field of the item differs from the stored
 * one.
 */
async function otherwise(db: Database, known: readonly HashedBackup[]): Promise<HashedBackup[]> {
  const different: HashedBackup[] = [];
  for (const batch of batches(known.map(withContent), ({ text }) => text)) {
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

const withContent = (one: HashedBackup) => ({
  one,
  text: JSON.stringify({ ...one.content, id: one.id, sha256: one.sha256 }),
});

/** @returns the backups whose id another transaction took meanwhile */
async function insertBackups(db: Database, fresh: readonly HashedBackup[]): Promise<HashedBackup[]> {
  const taken: HashedBackup[] = [];
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

function assertNoConflict(places: readonly { at: number; id: string }[]) {
  if (places.length === 0) return;
  const ids = [...new Set(places.map(({ id }) => id))];
  const rest = ids.length - NAMED;
  const named = ids.slice(0, NAMED).join(', ');
  throw conflict(`Already stored with other content: ${named}${rest > 0 ? ` and ${rest} more` : ''}`, {
    issues: places.slice(0, NAMED).map(({ at, id }) => ({
      path: ['backups', at, 'id'],
      message: `backup ${id} has other content`,
      code: 'conflict',
    })),
  });
}
