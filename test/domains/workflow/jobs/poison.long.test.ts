import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { rows } from '#db/client.ts';
import { until } from '../../../helpers/processes/processes.ts';
import { openProcesses } from '../../../helpers/processes/started.ts';
import { openService } from '../../../helpers/service.ts';
import { task, workflowOf } from '../../../helpers/workflows.ts';

const service = await openService();
const { db } = service;
const started = openProcesses('jobs-process');

const traceTask = (text: string) =>
  task('stringLength', { str: text }, { length: null }, { type: 'automatic' });

beforeAll(async () => {
  await db.execute(sql`create table deeds (key text, pid int, at timestamptz default clock_timestamp())`);
  const poison = workflowOf('Poison', { a: traceTask('first'), b: traceTask('kill'), c: traceTask('last') });
  // Its own settings would try again for ever.
  Object.assign(poison.tasks.b ?? {}, {
    retrySettings: { autoRetry: true, state: ['error'], limit: 50, delay: 0 },
  });
  for (const automation of [
    poison,
    workflowOf('Poison once', { a: traceTask('kill once') }),
    workflowOf('Slow', { a: traceTask('wait 4000'), b: traceTask('after') }),
    workflowOf('Quick', { a: traceTask('one'), b: traceTask('two') }),
  ]) {
    await service.send('admin', 'POST', '/automation-studio/automations', { automation });
  }
});
afterAll(started.end);

async function start(workflow: string): Promise<string> {
  const { json } = await service.send('admin', 'POST', '/operations-manager/jobs/start', { workflow });
  return (json as { data: { _id: string } }).data._id;
}

const statusOf = async (id: string) => {
  const [job] = await rows<{ status: string; task: string | null; message: string | null }>(
    db,
    sql`select status, doc #>> '{error,-1,task}' as task, doc #>> '{error,-1,message}' as message
        from jobs where id = ${id}`,
  );
  return job;
};
const ended = (id: string, status: string) =>
  until(
    `job ${id} is ${status}`,
    async () => ((await statusOf(id))?.status === status ? true : undefined),
    170,
  );

/** Keeps two processes alive, as an operator's supervisor does; returns how many were lost once it is stopped. */
function superviseProcesses() {
  let over = false;
  let count = 0;
  const supervised = (async () => {
    while (!over) {
      await started.running(2, JSON.stringify(service.connection)).catch(() => undefined);
      count += 1;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  return async () => {
    over = true;
    await supervised;
    return count;
  };
}

const PUT_ASIDE = 'put aside after 3 lost processes';

test('work that ends three processes is suspended, other jobs complete, and a retry starts a new count', async () => {
  const end = superviseProcesses();
  // Also when the test fails: it would start processes for as long as the suite runs.
  onTestFinished(async () => void (await end()));
  // Alone: beside the other one it could lose three processes, and be put aside with reason.
  await ended(await start('Poison once'), 'complete');
  const poison = await start('Poison');
  const slow = await Promise.all(Array.from({ length: 4 }, () => start('Slow')));
  await ended(poison, 'error');
  expect(await statusOf(poison)).toEqual({ status: 'error', task: 'b', message: PUT_ASIDE });
  const attempts = await rows<{ times: number }>(
    db,
    sql`select count(distinct pid)::int as times from deeds
        where starts_with(key, ${poison}) and split_part(key, '/', 2) = 'b' group by key`,
  );
  expect(attempts).toEqual([{ times: 3 }]);

  const since = performance.now();
  for (const id of await Promise.all(Array.from({ length: 5 }, () => start('Quick'))))
    await ended(id, 'complete');
  console.log(`five jobs completed within ${((performance.now() - since) / 1000).toFixed(1)} s`);
  for (const id of slow) await ended(id, 'complete');

  const events = await rows<{ message: string }>(
    db,
    sql`select payload ->> 'message' as message from events
        where topic = 'jobErrored' and payload ->> '_id' = ${poison}`,
  );
  expect(events).toEqual([{ message: PUT_ASIDE }]);

  const retried = await service.send('admin', 'POST', `/operations-manager/jobs/${poison}/tasks/b/retry`, {});
  expect(retried.status).toBe(200);
  await until(
    'it was put aside again',
    async () => {
      const [job] = await rows<{ times: number }>(
        db,
        sql`select count(*)::int as times from jobs, jsonb_array_elements(doc -> 'error') as fault
            where id = ${poison} and fault ->> 'message' = ${PUT_ASIDE}`,
      );
      return job?.times === 2 || undefined;
    },
    170,
  );
}, 600_000);
