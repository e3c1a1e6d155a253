import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';

/** The fan-out of a task that waits for child jobs. */
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
 * Adds the progress of a child job to the fan-out that waits for it. Locks the job of that task before counting, like the
 * code that cancels child jobs, so that two concurrent transactions wait for each other.
 *
 * @param least share of the task below which a change is not counted
 */
export async function addProgress(
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

/**
 * Returns a fan-out for creating some of its child jobs. Until the transaction ends, the job that waits is neither paused nor
 * canceled, so that both reach the new child jobs. Locks in the order of `addProgress`.
 */
export async function lockFanOut(db: Database, fan: string): Promise<FanOut | undefined> {
  const [held] = await rows<FanOut>(
    db,
    sql`with waiting as materialized (
          select parent.id from jobs parent join job_fans fan on fan.job_id = parent.id
          where fan.id = ${fan} for share of parent
        )
        select job_fans.* from job_fans join waiting on job_fans.job_id = waiting.id
        where job_fans.id = ${fan} for share of job_fans`,
  );
  return held;
}

/** Smallest progress reported to a task: at most a hundred reports, however many child jobs it waits for. */
export const LEAST_CHANGE = 0.01;

/** Returns the share of a task that its child jobs have done; undefined when the change is too small to report. */
export function shareOf({ done, share, total }: FanOut, change: number): { share: number } | undefined {
  const now = (done + share) / total;
  const parts = (part: number) => Math.floor(part / LEAST_CHANGE + 1e-6);
  return parts(now) === parts(now - change / total) ? undefined : { share: now };
}
