import { sql } from 'drizzle-orm';
import { type Database, perDatabase, rows } from '#db/client.ts';

/** Months, as `2026-02`, whose partition this process knows to be there, or asked for in vain. */
const settledOf = perDatabase(() => new Set<string>());

/** Older than this, a report goes to the default partition: nobody needs a partition a month for what is imported once. */
const OLDEST_MS = 3 * 366 * 24 * 3600 * 1000;
const AHEAD_MS = 32 * 24 * 3600 * 1000;

/**
 * Make the monthly partitions that reports of these moments will lie in, and the next month's, so that none is made
 * while reports wait for it. Where one cannot be made the default partition takes its reports; nothing is thrown for
 * that. Each month is asked for once a process.
 *
 * @param db a transaction holds the default partition until it ends when a partition is made: better the pool
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
