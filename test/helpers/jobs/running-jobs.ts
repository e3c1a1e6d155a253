import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import type { Job } from '#db/schemas/workflow/job.ts';
import type { TaskItem } from '#db/schemas/workflow/task-item.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import type { Role } from '#server/kernel/roles.ts';
import { openService } from '../service.ts';
import { tracingRuns } from './tracing-runs.ts';

/** Time in which a job must come to a state, in seconds: a limit for what hangs, far above what a busy machine needs. */
const MOST_SECONDS = 120;

type NewWorkflow = Pick<Workflow, 'name' | 'tasks' | 'transitions'> & Partial<Workflow>;

/**
 * A service that runs jobs.
 *
 * @param works false where processes do so that the test starts
 */
export async function openJobs({
  works = true,
  environment = {},
}: {
  works?: boolean;
  environment?: Record<string, string>;
} = {}) {
  const service = await openService({ WORKERS: '4', ...environment }, { works, runs: tracingRuns });
  await service.db.execute(
    sql`create table deeds (key text, pid int, at timestamptz default clock_timestamp())`,
  );
  const at = (path: string) => `/operations-manager${path}`;

  const call = async (method: string, path: string, body?: unknown, as: Role | readonly Role[] = 'admin') => {
    const answer = await service.send(as, method, at(path), body);
    return { ...answer, body: answer.json as Record<string, unknown> & { message?: string } };
  };
  const done = async <Data>(method: string, path: string, body?: unknown, as?: Role): Promise<Data> => {
    const answer = await call(method, path, body, as);
    if (answer.status !== 200) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
    return answer.body.data as Data;
  };
  /** Stores a workflow, drafts included, and returns it. */
  const store = async (workflow: NewWorkflow) => {
    const answer = await service.send('admin', 'POST', '/automation-studio/automations', {
      automation: workflow,
    });
    if (answer.status !== 200) throw new Error(answer.text);
    return (answer.json as { created: Workflow }).created;
  };
  const start = (workflow: string, variables: Record<string, unknown> = {}) =>
    done<Job>('POST', '/jobs/start', { workflow, options: { variables } });
  const job = (id: string) => done<Job>('GET', `/jobs/${id}`);
  const until = async (id: string, holds: (job: Job) => boolean, seconds = MOST_SECONDS): Promise<Job> => {
    const end = Date.now() + seconds * 1000;
    for (;;) {
      const now = await job(id);
      if (holds(now)) return now;
      if (Date.now() > end)
        throw new Error(`job ${id} came to ${JSON.stringify(now, null, 1).slice(0, 4000)}`);
      await sleep(50);
    }
  };
  /** The job once it is in this state. */
  const comes = (id: string, status: Job['status'], seconds?: number) =>
    until(id, (one) => one.status === status, seconds);
  /** The job once a task of it waits for a person, runs, or is in any other state. */
  const taskComes = (id: string, task: string, status: string) =>
    until(id, ({ tasks }) => tasks[task]?.status === status);
  const items = (query: string) => done<TaskItem[]>('GET', `/tasks?${query}`);
  /** Keys of the traces that a job's tasks have left, in their order. */
  const deeds = async (jobId: string) =>
    (
      await rows<{ key: string }>(
        service.db,
        sql`select key from deeds where starts_with(key, ${jobId}) order by at`,
      )
    ).map(({ key }) => key);
  return { ...service, call, done, store, start, job, comes, taskComes, until, items, deeds };
}
