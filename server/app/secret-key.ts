import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { createOnce } from '#db/embedded/durable-file.ts';
import { installation } from '#db/tables/operations/platform.ts';
import { beginRenewal, isRenewing } from '#server/domains/operations/secrets/key-renewal.service.ts';
import { ConfigError } from '#server/kernel/config.ts';
import type { SealLocation, Vault } from '#server/kernel/secrets/vault.ts';
import { SEALED_COLUMNS, sealedPage } from './work/sealed-columns.ts';

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

/** Rows that are read at once to find out whether their secrets open. */
const PAGE = 1000;

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
  const hasPrevious = vault.derivePrevious('') !== null;
  if (value !== sealed) {
    await db.update(installation).set({ value }).where(eq(installation.name, MARK));
    if (hasPrevious) await beginRenewal(db, vault);
  }
  if (hasPrevious || !(await isRenewing(db, vault))) return;
  const lost = await countUnopened(db, vault);
  if (lost > 0)
    throw new ConfigError(
      `SECRET_KEY_PREVIOUS is still needed: SECRET_KEY does not open ${lost} of the stored secrets; start with the previous key until GET /secrets/key_renewal is complete`,
    );
}

/** Returns how many stored secrets this key does not open. */
async function countUnopened(db: Database, vault: Vault): Promise<number> {
  let count = 0;
  const opening: Vault = {
    ...vault,
    renew: (sealed, place) => {
      try {
        vault.open(sealed, place);
      } catch {
        count += 1;
      }
      return sealed;
    },
  };
  for (const source of SEALED_COLUMNS) {
    let page = await sealedPage(db, source, '', PAGE);
    for (;;) {
      for (const { place, content } of page) source.renewed(opening, place, content);
      const last = page.length < PAGE ? undefined : page.at(-1);
      if (!last) break;
      page = await sealedPage(db, source, last.id, PAGE);
    }
  }
  return count;
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
