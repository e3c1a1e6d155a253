import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { textArray } from '#db/list/row-expressions.ts';
import { backups, rawConfigs } from '#db/tables/documents.ts';
import { batches } from '#server/kernel/documents/batches.ts';

/** The text of a configuration with its hash, 64 hexadecimal characters. */
export type Hashed = { sha256: string; rawConfig: string };

/**
 * Store texts, each once, and hold them until the transaction ends: nobody drops one before the backups that name it
 * are there. What is stored already does not travel again. Everybody takes hold in the order of the hashes, so that
 * two imports of the same texts wait for each other rather than deadlock.
 */
export async function storeRawConfigs(db: Database, texts: Iterable<Hashed>): Promise<void> {
  const wanted = new Map([...texts].map((text) => [text.sha256, text]));
  const hashes = [...wanted.keys()].sort();
  const held = await rows<{ sha256: string }>(
    db,
    sql`select sha256 from ${rawConfigs} where sha256 = any(${textArray(hashes)}) order by sha256 for key share`,
  );
  for (const { sha256 } of held) wanted.delete(sha256);
  const missing = hashes.flatMap((hash) => wanted.get(hash) ?? []);
  for (const batch of batches(missing, ({ rawConfig }) => rawConfig)) {
    const values = batch.map(({ sha256, rawConfig }) => sql`(${sha256}, ${rawConfig})`);
    // `do update … where false` changes nothing but locks: a row that somebody stored meanwhile must stay, too.
    await db.execute(sql`
      insert into ${rawConfigs} (sha256, content) values ${sql.join(values, sql`, `)}
      on conflict (sha256) do update set content = excluded.content where false`);
  }
}

/**
 * Drop those texts that no backup names any more. First they are locked, then asked for in a new snapshot: whoever
 * stored a backup of the same text meanwhile held the lock, and its backup is seen.
 *
 * @param hashes of backups that this transaction deleted
 */
export async function dropRawConfigs(db: Database, hashes: readonly string[]): Promise<void> {
  const gone = textArray([...new Set(hashes)]);
  await db.execute(sql`select from ${rawConfigs} where sha256 = any(${gone}) order by sha256 for update`);
  await db.execute(sql`
    delete from ${rawConfigs} where sha256 = any(${gone})
      and not exists (select from ${backups} where ${backups.sha256} = ${rawConfigs.sha256})`);
}
