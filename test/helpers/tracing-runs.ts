import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { RunOf } from '#server/engines/jobs/how.ts';
import { runOf } from '#server/engines/workflows/tasks/runs.ts';

/**
 * Tasks as the platform runs them, and one that leaves a trace in the world: `stringLength` writes a row to `deeds` under
 * the key of its attempt (and so does every task of an application `Unsafe`), waits as many milliseconds as its text says after `wait `, and fails for `fail`.
 */
export const tracingRuns: RunOf = (app, name) => {
  if (name !== 'stringLength' && app !== 'Unsafe') return runOf(app, name);
  return {
    kind: 'effect',
    run: async ({ str }, { db, key, signal }) => {
      await db.execute(sql`insert into deeds (key, pid) values (${key}, ${process.pid})`);
      const [, wait] = /^wait (\d+)$/.exec(String(str)) ?? [];
      if (wait) await sleep(Number(wait), undefined, { signal });
      if (str === 'fail') return { finish: 'error', outgoing: {}, error: { message: 'told to fail' } };
      return { finish: 'success', outgoing: { length: String(str).length } };
    },
  };
};
