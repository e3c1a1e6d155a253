import { inArray, lt, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { usedOnce } from '#db/tables/identity/sign-in.ts';
import { sha256 } from '#server/kernel/secrets/vault.ts';

/**
 * Accepts a value that may be used only once, in any process.
 *
 * @param until when it expires by itself
 * @returns false when it was taken before
 */
export async function takeOnce(db: Database, what: string, until: Date): Promise<boolean> {
  const { key, expiresAt } = usedOnce;
  const ended = db.select({ key }).from(usedOnce).where(lt(expiresAt, sql`now()`)).limit(1000);
  await db.delete(usedOnce).where(inArray(key, ended.for('update', { skipLocked: true })));
  const taken = await db
    .insert(usedOnce)
    .values({ key: sha256(what), expiresAt: until })
    .onConflictDoNothing()
    .returning({ key });
  return taken.length > 0;
}
