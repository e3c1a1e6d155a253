import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { createOnce } from '#db/embedded/durable-file.ts';
import { installation } from '#db/tables/operations/platform.ts';
import { ConfigError } from '#server/kernel/config.ts';
import type { SealLocation, Vault } from '#server/kernel/secrets/vault.ts';
import { assertRenewed } from './work/renewed-seals.ts';

/**
 * Returns the master key: SECRET_KEY, or the key generated into DATA_DIR at the first start (docs/operations.md).
 *
 * @param dataDir a folder that exists
 * @throws ConfigError when the file there does not hold a key
 */
export async function readSecretKey(dataDir: string, given: string | undefined): Promise<Buffer> {
  if (given !== undefined) return Buffer.from(given, 'base64');
  const file = join(dataDir, 'secret.key');
  await createOnce(file, `${randomBytes(32).toString('base64')}\n`);
  const key = Buffer.from((await readFile(file, 'utf8')).trim(), 'base64');
  if (key.length !== 32) throw new ConfigError(`${file} is not a key of 32 bytes in base64`);
  return key;
}

const MARK = 'secret-key-mark';
const MARK_PLACE: SealLocation = ['installation', MARK];

/**
 * Verifies that this key, or the previous one, sealed the secrets in this database. Otherwise they would fail only later, when
 * they are used.
 *
 * @throws ConfigError
 */
export async function assertSameKey(db: Database, vault: Vault): Promise<void> {
  await db
    .insert(installation)
    .values({ name: MARK, value: vault.seal('switchyard', MARK_PLACE) })
    .onConflictDoNothing();
  const [mark] = await db.select().from(installation).where(eq(installation.name, MARK));
  const sealed = mark?.value ?? '';
  try {
    vault.open(sealed, MARK_PLACE);
  } catch {
    throw new ConfigError(
      'SECRET_KEY is not the key that encrypted the secrets in this database; start with the original key, or set it in SECRET_KEY_PREVIOUS',
    );
  }
  const value = vault.renew(sealed, MARK_PLACE);
  if (value !== sealed) await db.update(installation).set({ value }).where(eq(installation.name, MARK));
  await assertRenewed(db, vault, value !== sealed);
}

/** Returns whether no process was started later with another key: the last one decides with which key secrets are sealed. */
export async function isNewestKey(db: Database, vault: Vault): Promise<boolean> {
  const [mark] = await db.select().from(installation).where(eq(installation.name, MARK));
  if (mark === undefined) return true;
  try {
    vault.open(mark.value, MARK_PLACE);
  } catch {
    return false;
  }
  return vault.renew(mark.value, MARK_PLACE) === mark.value;
}
