import { readFileSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';

/** Ticks of a process's clock a second, as Linux counts them in /proc. */
const HZ = 100;

/** CPU that a process has used since it began, in milliseconds; 0 when it has ended. */
export function cpuOf(pid: number): number {
  try {
    const [, after = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    const fields = after.split(' ');
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / HZ;
  } catch {
    return 0;
  }
}

/**
 * Begin to count the CPU that a process and the connections of a database use: on a machine that others use too, time by
 * the clock tells nothing.
 *
 * @returns tells how much it was, in milliseconds; connections that were opened meanwhile count from their beginning
 */
export async function countCpu(db: Database, pid: number = process.pid) {
  const backends = async () =>
    (
      await rows<{ pid: number }>(
        db,
        sql`select pid from pg_stat_activity where backend_type in ('client backend', 'walwriter', 'checkpointer', 'background writer')`,
      )
    ).map((row): [number, number] => [Number(row.pid), cpuOf(Number(row.pid))]);
  const known = new Map(await backends());
  const own = cpuOf(pid);
  return async () => ({
    own: cpuOf(pid) - own,
    database: (await backends()).reduce((sum, [one, used]) => sum + used - (known.get(one) ?? 0), 0),
  });
}
