import { type Database, rows } from '#db/client.ts';
import { sql } from '#db/statement.ts';

/** How often a process renews the jobs that its streams follow, in milliseconds. */
export const REFRESHED_MS = 10_000;
/** How long a job is followed without being renewed, and how much of that may be left when it is, in seconds. */
const FOLLOWED_S = 30;
const LEFT_S = 25;

/**
 * Makes every step of these jobs an event for some time (decision 0127); those that have ended are left alone. One statement
 * a job: none waits for a job that a step holds while it holds another.
 */
export async function followJobs(db: Database, ids: Iterable<string>): Promise<void> {
  for (const id of ids) {
    await rows(
      db,
      sql`update jobs set followed_until = now() + make_interval(secs => ${FOLLOWED_S})
          where id = ${id} and status in ('running', 'paused', 'error')
            and (followed_until is null or followed_until < now() + make_interval(secs => ${LEFT_S}))`,
    );
  }
}
