import { sql } from 'drizzle-orm';
import { type Database, perDatabase, rows } from '#db/client.ts';

/** Months, as `2026-02`, whose partition this process knows to exist or has failed to create. */
const settledOf = perDatabase(() => new Set<string>());

/** Older reports go to the default partition: data that is imported once needs no monthly partitions. */
const OLDEST_MS = 3 * 366 * 24 * 3600 * 1000;
const AHEAD_MS = 32 * 24 * 3600 * 1000;

/**
 * Creates the monthly partitions for reports of these times, and the next month's, so that no report waits for one. Where a
 * partition cannot be created the default partition stores the reports; nothing is thrown. Each process tries each month
 * once.
 *
 * @param db the pool: in a transaction, creating a partition would lock the default partition until it ends
 */
export async function makePartitions(db: Database, moments: readonly Date[]): Promise<void> {
  const now = Date.now();
  const settled = settledOf(db);
  const wanted = moments
    .flatMap((moment) => [moment, new Date(moment.getTime() + AHEAD_MS)])
    .filter((moment) => moment.getTime() > now - OLDEST_MS && moment.getTime() < now + 2 * AHEAD_MS);
  for (const moment of wanted) {
    const month = moment.toISOString().slice(0, 7);
    if (settled.has(month)) continue;
    await rows(db, sql`select make_compliance_report_partition(${moment.toISOString()}::timestamptz)`);
    settled.add(month);
  }
}
