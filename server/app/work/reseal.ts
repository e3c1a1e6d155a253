import { sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { type Database, inTransaction, rows } from '#db/client.ts';
import {
  nameOfKey,
  type Renewal,
  storeRenewal,
  takeRenewal,
} from '#server/domains/operations/secrets/key-renewal.service.ts';
import type { Vault } from '#server/kernel/secrets/vault.ts';
import { isNewestKey } from '../secret-key.ts';
import { SEALED_COLUMNS, type Sealed, type SealedColumn, sealedPage } from './sealed-columns.ts';

/** Rows of one step: it is short, and locks little while it computes. */
const STEP = 200;

/** Pause between two passes, in milliseconds: a process that has not been restarted yet may still seal with the previous key. */
const PAUSE_MS = 10 * 60_000;

type Parts = { db: Database; vault: Vault; log: Pick<Logger, 'info'>; now?: () => Date };

/**
 * Seals every stored secret with the current key that the previous one sealed. It runs in short steps beside everything else,
 * and overwrites nothing that changed meanwhile: such a row is sealed with the current key by its own write. Each step stores its
 * position with what it did, so that a lost process loses nothing, and any process continues.
 *
 * @param ending aborts between two steps; the next call continues there
 * @returns how many rows this process sealed again
 */
export async function resealSecrets(parts: Parts, ending?: AbortSignal): Promise<number> {
  let changed = 0;
  while (!ending?.aborted) {
    const { done, sealed } = await inTransaction(parts.db, (tx) => step({ ...parts, db: tx }));
    changed += sealed;
    if (done) break;
  }
  return changed;
}

async function step({ db, vault, log, now = () => new Date() }: Parts) {
  const found = await takeRenewal(db);
  // Another process is at work, or was started later with another key.
  if (!found || !(await isNewestKey(db, vault))) return { done: true, sealed: 0 };
  const key = nameOfKey(vault);
  const known = found.key === key ? (found as Renewal) : undefined;
  const wait = known?.endedAt ? new Date(known.endedAt).getTime() + PAUSE_MS - now().getTime() : 0;
  if (wait > 0) return { done: true, sealed: 0 };
  const isNew = !known || known.endedAt !== null;
  const start = { column: 0, after: '', inPass: 0, startedAt: now().toISOString(), endedAt: null };
  const at: Renewal = isNew ? { key, sealed: known?.sealed ?? 0, ...start } : known;
  const source = SEALED_COLUMNS[at.column];
  if (!source) {
    await storeRenewal(db, { ...at, endedAt: now().toISOString() });
    log.info({ rows: at.inPass }, 'every stored secret is sealed with the current key');
    return { done: true, sealed: 0 };
  }
  const page = await sealedPage(db, source, at.after, STEP);
  let sealed = 0;
  for (const row of page) sealed += await reseal(db, vault, source, row);
  const last = page.length < STEP ? undefined : page.at(-1);
  const position = last ? { after: last.id } : { column: at.column + 1, after: '' };
  await storeRenewal(db, { ...at, ...position, sealed: at.sealed + sealed, inPass: at.inPass + sealed });
  return { done: false, sealed };
}

async function reseal(db: Database, vault: Vault, source: SealedColumn, row: Sealed): Promise<number> {
  const { table, key, column, isText, renewed } = source;
  const fresh = renewed(vault, row.place, row.content);
  const before = isText ? row.content : JSON.stringify(JSON.parse(row.content));
  if (fresh === before) return 0;
  const type = sql.raw(isText ? 'text' : 'jsonb');
  const name = sql.identifier(column.name);
  const updated = await rows<{ id: string }>(
    db,
    sql`update ${table} set ${name} = ${fresh}::${type} where ${key} = ${row.id} and ${column} = ${row.content}::${type}
        returning ${key} as id`,
  );
  return updated.length;
}
