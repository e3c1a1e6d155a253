import { eq, sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import { jobFans, wholeJob } from '#db/tables/workflow/jobs.ts';
import type { SystemContext } from '#server/kernel/contexts.ts';
import type { TaskOutcome } from '../../tasks/outcome.ts';
import type { Head } from '../reducer/document.ts';
import { failed } from '../reducer/transition-context.ts';
import { MOST_OF_TASK, TOO_LARGE } from '../store/capacity.ts';
import { type Allowance, allowance, largeIdOf, TooMuchRead } from '../store/large-values.ts';
import { openedHead } from '../store/sealed.ts';
import { findValue } from '../store/store.service.ts';

type EndedChildRow = {
  variables: string;
  sealed: string | null;
  status: string;
  element: number | null;
  job: string;
  timed_out: boolean;
};

/**
 * Returns the results of a task's child jobs: the variables of one, or of each in order (contract/engines#task-details).
 *
 * @returns `sealed`: the values of one of them are sealed, so the job that receives them has to be sealed too
 */
export async function resultOf(
  parts: SystemContext<'vault'>,
  { id, loops }: { id: string; loops: boolean },
): Promise<{ outcome: TaskOutcome; sealed: boolean }> {
  if ((await lengthOf(parts, id)) > MOST_OF_TASK) return tooLarge(parts, id, TOO_LARGE);
  const ended = await rows<EndedChildRow>(
    parts.db,
    sql`select (${wholeJob(sql`jobs`)} -> 'variables')::text as variables, doc ->> 'sealed' as sealed, status, element, id as job,
          doc ? 'timedOut' as timed_out from jobs
        where fan_id = ${id} order by element, id`,
  );
  const results: Record<string, unknown>[] = [];
  const allows = allowance();
  for (const { variables, sealed, status, element, job } of ended) {
    const stored = { _id: job, variables: JSON.parse(variables) as Head['variables'], sealed };
    const { variables: light } = openedHead(parts.platform.vault, stored);
    const values = await unpackedValues(parts, job, light, allows);
    if (values instanceof TooMuchRead) return tooLarge(parts, id, values.message);
    results.push(loops ? { ...values, status, childJobLoopIndex: element } : values);
  }
  const job_details = loops ? { loop: results } : (results[0] ?? {});
  await parts.db.delete(jobFans).where(eq(jobFans.id, id));
  const sealed = ended.some((one) => one.sealed !== null);
  const canceled = ended.filter(({ status }) => status === 'canceled');
  if (canceled.length === 0) return { outcome: { finish: 'success', outgoing: { job_details } }, sealed };
  const error = { message: whyCanceled(canceled, ended.length) };
  return { outcome: { finish: 'error', outgoing: { job_details }, error }, sealed };
}

function whyCanceled(canceled: readonly EndedChildRow[], all: number): string {
  const late = canceled.filter(({ timed_out }) => timed_out).length;
  const [first] = canceled;
  if (first && canceled.length === 1) {
    return `Child job ${first.job} was canceled${late > 0 ? ': it took longer than its time limit' : ''}`;
  }
  const because = late > 0 ? `, ${late} of them because they took longer than their time limit` : '';
  return `${canceled.length} of ${all} child jobs were canceled${because}`;
}

/** Returns the number of characters in the variables of a task's child jobs, without values over 1 MiB. */
async function lengthOf({ db }: SystemContext<'vault'>, fan: string): Promise<number> {
  const [found] = await rows<{ length: string | null }>(
    db,
    sql`select sum(length((${wholeJob(sql`jobs`)} -> 'variables')::text) + coalesce(length(doc ->> 'sealed'), 0))::text as length
        from jobs where fan_id = ${fan}`,
  );
  return Number(found?.length ?? 0);
}

async function tooLarge({ db }: SystemContext<'vault'>, fan: string, message: string) {
  await db.delete(jobFans).where(eq(jobFans.id, fan));
  return { outcome: failed(message), sealed: false };
}

async function unpackedValues(
  parts: SystemContext<'vault'>,
  job: string,
  variables: Record<string, unknown>,
  allows: Allowance,
): Promise<Record<string, unknown> | TooMuchRead> {
  const opened: [string, unknown][] = [];
  for (const [name, value] of Object.entries(variables)) {
    const id = largeIdOf(value);
    const found = id === null ? value : await findValue(parts, job, id, allows);
    if (found instanceof TooMuchRead) return found;
    opened.push([name, found]);
  }
  return Object.fromEntries(opened);
}
