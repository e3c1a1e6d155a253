import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';

/** A task that waits for child jobs. */
export type FanOut = {
  id: string;
  job_id: string;
  task: string;
  iteration: string;
  attempt: number;
  total: number;
  done: number;
  share: number;
  loops: boolean;
  one_by_one: boolean;
};

/**
 * Count what a child job has done with the task that waits for it. The job of that task is locked before the count, as by
 * whoever calls the children off: two that meet wait for each other.
 *
 * @param least share of the task below which a change is not counted
 */
export async function count(
  db: Database,
  fan: string,
  { ended, change, least }: { ended: number; change: number; least: number },
): Promise<FanOut | undefined> {
  const [counted] = await rows<FanOut>(
    db,
    sql`with waiting as materialized (
          select parent.id from jobs parent join job_fans fan on fan.job_id = parent.id
          where fan.id = ${fan} and abs(${change}::float8) >= fan.total * ${least}::float8 for update of parent
        )
        update job_fans set done = done + ${ended}, share = share + ${change}::float8
        from waiting where job_fans.id = ${fan} and job_fans.job_id = waiting.id returning job_fans.*`,
  );
  return counted;
}

/** A task is told no more often than a hundred times, however many child jobs it waits for. */
export const LEAST_TOLD = 0.01;

/** The share of a task that its child jobs have done, where that is told after such a change. */
export function shareOf({ done, share, total }: FanOut, change: number): { share: number } | undefined {
  const now = (done + share) / total;
  const parts = (part: number) => Math.floor(part / LEAST_TOLD + 1e-6);
  return parts(now) === parts(now - change / total) ? undefined : { share: now };
}
