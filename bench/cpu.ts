import { readFileSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';

/** Clock ticks per second, as Linux counts them in /proc. */
const HZ = 100;

/** Returns the CPU that a process has used since it began, in milliseconds; 0 when it has ended. */
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
 * Starts to count the CPU of a process and of a database's connections: on a shared machine, elapsed time is no measure.
 *
 * @returns a function that returns the CPU used since, in milliseconds; connections opened meanwhile count from their start
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
