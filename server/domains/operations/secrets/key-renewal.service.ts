import { eq, sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { installation } from '#db/tables/operations/platform.ts';
import { jsonOr } from '#server/kernel/json/json-or.ts';
import type { Vault } from '#server/kernel/secrets/vault.ts';

/** The row of `installation` with the position of the renewal: whichever process works next continues there. */
const ROW = 'secret-key-renewal';

/** Progress of sealing the stored secrets with the current key. */
export type Renewal = {
  /** Names the current key, without revealing it. */
  key: string;
  /** How many columns are done, and the last row that was done in the next one. */
  column: number;
  after: string;
  /** How many rows were sealed again, in all passes. */
  sealed: number;
  /** How many rows the pass has sealed again. */
  inPass: number;
  startedAt: string;
  endedAt: string | null;
};

/**
 * Returns a name of the current key.
 *
 * @returns a text from which the key cannot be computed
 */
export const nameOfKey = ({ derive }: Pick<Vault, 'derive'>): string =>
  derive('name of the key').toString('hex').slice(0, 16);

/**
 * Locks the position of the renewal until the transaction ends.
 *
 * @returns undefined while another process has it
 */
export async function takeRenewal(tx: Database): Promise<Partial<Renewal> | undefined> {
  await tx.insert(installation).values({ name: ROW, value: '{}' }).onConflictDoNothing();
  const [row] = await tx
    .select()
    .from(installation)
    .where(eq(installation.name, ROW))
    .for('update', { skipLocked: true });
  return row && (jsonOr(row.value, {}) as Partial<Renewal>);
}

/** Notes that secrets are stored that another key has sealed than the current one: a renewal begins. */
export async function beginRenewal(db: Database, vault: Pick<Vault, 'derive'>): Promise<void> {
  const start = { column: 0, after: '', sealed: 0, inPass: 0, startedAt: new Date().toISOString() };
  const value = JSON.stringify({ key: nameOfKey(vault), ...start, endedAt: null } satisfies Renewal);
  await db
    .insert(installation)
    .values({ name: ROW, value })
    .onConflictDoUpdate({ target: installation.name, set: { value } });
}

/** Returns whether a renewal with the current key has begun and not ended, so that another key may still be needed. */
export async function isRenewing(db: Database, vault: Pick<Vault, 'derive'>): Promise<boolean> {
  const [row] = await db.select().from(installation).where(eq(installation.name, ROW));
  const { key, endedAt } = jsonOr(row?.value ?? '{}', {}) as Partial<Renewal>;
  return key === nameOfKey(vault) && endedAt === null;
}

/** Stores the position of the renewal. */
export const storeRenewal = (tx: Database, renewal: Renewal) =>
  tx
    .update(installation)
    .set({ value: JSON.stringify(renewal) })
    .where(eq(installation.name, ROW));

/** Returns how many stored secrets are sealed with the current key, for administrators. */
export async function readKeyRenewal({
  db,
  platform: { config, vault },
}: {
  db: Database;
  platform: { config: { secretKeyPrevious?: string | undefined }; vault: Pick<Vault, 'derive'> };
}) {
  const [row] = await rows<{ value: string }>(db, sql`select value from ${installation} where name = ${ROW}`);
  const found = jsonOr(row?.value ?? '{}', {}) as Partial<Renewal>;
  const isOwn = found.key === nameOfKey(vault);
  const state = !isOwn || !found.startedAt ? 'none' : found.endedAt ? 'complete' : 'running';
  return {
    previousKey: config.secretKeyPrevious !== undefined,
    state: state as 'none' | 'running' | 'complete',
    sealed: isOwn ? (found.sealed ?? 0) : 0,
    started: isOwn ? (found.startedAt ?? null) : null,
    ended: isOwn ? (found.endedAt ?? null) : null,
  };
}
