import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import type { RunOf } from '#server/domains/workflow/jobs/execution/task-executor.ts';
import { runOf } from '#server/domains/workflow/tasks/runs.ts';

/**
 * Tasks as the platform runs them, and one that leaves a trace in the world: `stringLength` writes a row to `deeds` under
 * the key of its attempt (and so does every task of an application `Unsafe`), waits as many milliseconds as its text says after `wait `,
 * and fails for `fail`. For `kill` it ends its process, for `kill once` only where no other process has done so for it.
 */
export const tracingRuns: RunOf = (app, name) => {
  if (name !== 'stringLength' && app !== 'Unsafe') return runOf(app, name);
  return {
    kind: 'effect',
    run: async ({ str }, { db, key, signal }) => {
      await db.execute(sql`insert into deeds (key, pid) values (${key}, ${process.pid})`);
      if (str === 'kill once' && (await doneBefore(db, key)) > 1) return { finish: 'success', outgoing: {} };
      if (str === 'kill' || str === 'kill once') process.kill(process.pid, 'SIGKILL');
      const [, wait] = /^wait (\d+)$/.exec(String(str)) ?? [];
      if (wait) await sleep(Number(wait), undefined, { signal });
      if (str === 'fail') return { finish: 'error', outgoing: {}, error: { message: 'told to fail' } };
      return { finish: 'success', outgoing: { length: String(str).length } };
    },
  };
};

async function doneBefore(db: Database, key: string): Promise<number> {
  const [found] = await rows<{ times: number }>(
    db,
    sql`select count(*)::int as times from deeds where key = ${key}`,
  );
  return found?.times ?? 0;
}
