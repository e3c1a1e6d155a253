import { and, eq, notExists, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { isOneOf } from '#db/expressions.ts';
import { backups, rawConfigs } from '#db/tables/golden-config/configurations.ts';
import { batches } from '#server/kernel/documents/batches.ts';

const { sha256 } = rawConfigs;

/** A configuration's text with its hash, 64 hexadecimal characters. */
export type Hashed = { sha256: string; rawConfig: string };

/**
 * Stores texts once each and locks them until the transaction ends, so that nobody deletes one before the backups that
 * reference it exist. Texts that are already stored are not sent again. Every caller locks in the order of the hashes, so
 * that two imports of the same texts wait for each other instead of deadlocking.
 *
 * @param db a transaction
 * @param texts with their SHA-256
 */
export async function storeRawConfigs(db: Database, texts: Iterable<Hashed>): Promise<void> {
  const wanted = new Map([...texts].map((text) => [text.sha256, text]));
  const hashes = [...wanted.keys()].sort();
  const held = await db
    .select({ sha256 })
    .from(rawConfigs)
    .where(isOneOf(sha256, hashes))
    .orderBy(sha256)
    .for('key share');
  for (const known of held) wanted.delete(known.sha256);
  const missing = hashes.flatMap((hash) => wanted.get(hash) ?? []);
  for (const batch of batches(missing, ({ rawConfig }) => rawConfig)) {
    const values = batch.map((text) => sql`(${text.sha256}, ${text.rawConfig})`);
    // `do update … where false` changes nothing but locks a row that another transaction stored meanwhile; that row must
    // remain, too.
    await db.execute(sql`
      insert into ${rawConfigs} (sha256, content) values ${sql.join(values, sql`, `)}
      on conflict (sha256) do update set content = excluded.content where false`);
  }
}

/**
 * Deletes those of the texts that no backup references any more. They are locked first and looked up in a new snapshot: a
 * transaction that stored a backup of the same text meanwhile held the lock, and its backup is visible.
 *
 * @param hashes those of backups that this transaction deleted
 */
export async function dropRawConfigs(db: Database, hashes: readonly string[]): Promise<void> {
  const isGone = isOneOf(sha256, [...new Set(hashes)]);
  await db.select({ sha256 }).from(rawConfigs).where(isGone).orderBy(sha256).for('update');
  const users = db.select({ id: backups.id }).from(backups).where(eq(backups.sha256, sha256));
  await db.delete(rawConfigs).where(and(isGone, notExists(users)));
}
