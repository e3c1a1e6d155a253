import { sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import type { Outcome } from '#server/engines/workflows/tasks/outcome.ts';
import { isObject } from '#server/engines/workflows/variables.ts';
import type { Head } from './document.ts';
import { openedHead } from './sealed.ts';
import { findValue, type Storing } from './store.service.ts';

type Ended = {
  variables: string;
  sealed: string | null;
  status: string;
  element: number | null;
  job: string;
  timed_out: boolean;
};

/**
 * What the child jobs of a task leave: the variables of the one, or of each in order (design §4.6).
 *
 * @param loops whether they stand in a list
 * @returns `sealed`: the values of one of them are sealed, so those of the job that takes them have to be
 */
export async function resultOf(
  parts: Storing,
  { id, loops }: { id: string; loops: boolean },
): Promise<{ outcome: Outcome; sealed: boolean }> {
  const ended = await rows<Ended>(
    parts.db,
    sql`select (doc -> 'variables')::text as variables, doc ->> 'sealed' as sealed, status, element, id as job,
          doc ? 'timedOut' as timed_out from jobs
        where fan_id = ${id} order by element, id`,
  );
  const results: Record<string, unknown>[] = [];
  for (const { variables, sealed, status, element, job } of ended) {
    const stored = { _id: job, variables: JSON.parse(variables) as Head['variables'], sealed };
    const values = await unpackedValues(parts, job, openedHead(parts.platform.vault, stored).variables);
    results.push(loops ? { ...values, status, childJobLoopIndex: element } : values);
  }
  const job_details = loops ? { loop: results } : (results[0] ?? {});
  await parts.db.execute(sql`delete from job_fans where id = ${id}`);
  const sealed = ended.some((one) => one.sealed !== null);
  const canceled = ended.filter(({ status }) => status === 'canceled');
  if (canceled.length === 0) return { outcome: { finish: 'success', outgoing: { job_details } }, sealed };
  const error = { message: whyCanceled(canceled, ended.length) };
  return { outcome: { finish: 'error', outgoing: { job_details }, error }, sealed };
}

function whyCanceled(canceled: readonly Ended[], all: number): string {
  const late = canceled.filter(({ timed_out }) => timed_out).length;
  const [first] = canceled;
  if (first && canceled.length === 1) {
    return `Child job ${first.job} was canceled${late > 0 ? ': it took longer than its time limit' : ''}`;
  }
  const because = late > 0 ? `, ${late} of them because they took longer than their time limit` : '';
  return `${canceled.length} of ${all} child jobs were canceled${because}`;
}

async function unpackedValues(
  parts: Storing,
  job: string,
  variables: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const open = async (value: unknown) =>
    isObject(value) && typeof value.$largeData === 'string' ? findValue(parts, job, value.$largeData) : value;
  const entries = await Promise.all(
    Object.entries(variables).map(async ([name, value]) => [name, await open(value)] as const),
  );
  return Object.fromEntries(entries);
}
