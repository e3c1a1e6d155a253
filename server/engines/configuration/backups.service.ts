import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { type Database, rows } from '#db/client.ts';
import { find, remove, replace } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import { list } from '#db/list/list.ts';
import { textArray } from '#db/list/place.ts';
import { defineResource } from '#db/list/resource.ts';
import { type Backup, type BackupItem, type BackupUpdate, ListedBackup } from '#db/schemas/backup.ts';
import { backups, rawConfigs } from '#db/tables.ts';
import { json } from '#server/answer.ts';
import { assertConsistent, assertMayWrite } from '#server/engines/access/gbac.ts';
import { compilePattern } from '#server/engines/platform/filter.ts';
import { conflict, notFound } from '#server/errors.ts';
import { type Incoming, planBackups } from './backup-import.ts';
import { batches } from './batches.ts';
import {
  accessOf,
  allOf,
  type Reading,
  readSearchAt,
  recordChanges,
  type Writing,
} from './documents.service.ts';
import { assertNone } from './issues.ts';
import { earliest, latest } from './moments.ts';
import { dropRawConfigs, type Hashed, storeRawConfigs } from './raw-configs.service.ts';
import { assertUnchanged, grownStamp } from './stamps.ts';
import { wholeGbac } from './tree-documents.ts';

const resource = defineResource({
  name: 'backups',
  schema: ListedBackup,
  source: backups,
  columns: { name: backups.name, date: backups.date },
  defaultSort: [{ field: 'date', order: -1 }],
});

/** What a search for backups may ask. */
export type BackupSearch = {
  filter?:
    | {
        name?: string | undefined;
        description?: string | undefined;
        dateFrom?: string | undefined;
        dateTo?: string | undefined;
      }
    | undefined;
  start?: number | undefined;
  limit?: number | undefined;
  sort?: Record<string, 1 | -1> | undefined;
  regex?: boolean | undefined;
};

/**
 * Search for backups, newest first, without their texts (lifecycle §4.3). Name and description are substrings; with
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
 * Change what people wrote on a backup, or who may use it; the configuration never changes (lifecycle §4.3).
 *
 * @throws ServiceError NOT_FOUND, FORBIDDEN, CONFLICT
 */
export async function updateBackup(ctx: Writing, id: string, change: BackupUpdate): Promise<void> {
  const { db, principal, request, platform } = ctx;
  assertConsistent(change.gbac, ['gbac']);
  const visible = allOf(sql`${backups.id} = ${id}`, mayRead(backups, principal));
  const stored = await find(db, backups, visible, true);
  if (!stored) throw notFound('Backup', id);
  assertMayWrite(stored.doc.gbac, principal, `Backup ${id}`);
  assertUnchanged(request.ifMatch, stored.doc.lastUpdated, `Backup ${id}`);
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
 * Delete backups, and the texts that nobody else holds; ids that are not there count for nothing (lifecycle §4.3).
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

/**
 * Import backups, all or none: the same id with the same content is counted and not stored twice; texts are stored once
 * each (interface §4.9, decisions §4).
 *
 * @returns how many there were in the request
 * @throws ServiceError CONFLICT naming the ids whose content is another one
 */
export async function importBackups(ctx: Writing, items: readonly BackupItem[]): Promise<number> {
  const { db, platform } = ctx;
  const { given, made, conflicting, issues } = planBackups(items, platform.now(), newId);
  assertNone(issues);
  const present = await idsPresent(
    db,
    given.map(({ id }) => id),
  );
  const hashed = await hashAll([...given, ...made]);
  const known = hashed.filter(({ id }) => present.has(id));
  assertNoConflict([...conflicting, ...(await otherwise(db, known))]);

  // In one order for everybody, as with the texts.
  const fresh = hashed.filter(({ id }) => !present.has(id)).sort((a, b) => (a.id < b.id ? -1 : 1));
  await storeRawConfigs(db, fresh);
  const taken = await insertBackups(db, fresh);
  // Somebody stored backups under these ids at the same moment.
  assertNoConflict(await otherwise(db, taken));
  recordChanges(
    db,
    'backups',
    fresh.filter((one) => !taken.includes(one)),
  );
  return items.length;
}

type HashedBackup = Incoming & Hashed & { size: number };

/** Texts hashed before others get their turn on the event loop. */
const HASHED_AT_ONCE = 100;

async function hashAll(incoming: readonly Incoming[]): Promise<HashedBackup[]> {
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
  const found = await rows<{ id: string }>(
    db,
    sql`select id from ${backups} where id = any(${textArray(ids)})`,
  );
  return new Set(found.map(({ id }) => id));
}

/** Those of the backups that are stored with other content: a member that was given is not what is stored. */
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

/** @returns those whose id was taken meanwhile */
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

/** Most ids that one refusal names. */
const NAMED = 100;

function assertNoConflict(places: readonly { at: number; id: string }[]) {
  if (places.length === 0) return;
  const ids = [...new Set(places.map(({ id }) => id))];
  const rest = ids.length - NAMED;
  const named = ids.slice(0, NAMED).join(', ');
  throw conflict(`Stored already with other content: ${named}${rest > 0 ? ` and ${rest} more` : ''}`, {
    issues: places.slice(0, NAMED).map(({ at, id }) => ({
      path: ['backups', at, 'id'],
      message: `backup ${id} has other content`,
      code: 'conflict',
    })),
  });
}
