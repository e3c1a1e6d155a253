import type { SQL } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { acquireLock, type Database } from '#db/client.ts';
import { conflict } from '../errors.ts';

type Quota = {
  /** How many there may be. */
  most: number;
  /** What they are, in the plural: `Git remotes`. Their lock is named so too. */
  what: string;
  /** Which rows count; absent: all. */
  only?: SQL;
  /** What makes room, at the end of the message. */
  remedy?: string;
};

/**
 * Rejects one row more than there may be. Until the transaction ends, requests that arrive together wait here: otherwise each of
 * them would see room for one more.
 *
 * @param db a transaction
 * @param table where the rows are
 * @throws ServiceError CONFLICT
 */
export async function assertQuota(
  db: Database,
  table: PgTable,
  { most, what, only, remedy = 'delete one first' }: Quota,
): Promise<void> {
  await acquireLock(db, `switchyard ${what}`);
  if ((await db.$count(table, only)) >= most)
    throw conflict(`There are ${most} ${what} already, the most allowed: ${remedy}`);
}
