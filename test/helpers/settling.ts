import type { Job } from '#db/schemas/workflow/job.ts';
import type { Task } from '#db/schemas/workflow/task.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { jobOf } from '#server/domains/workflow/jobs/reads/shown.ts';
import {
  type Head,
  iterationOf,
  type JobDocument,
  type Todo,
} from '#server/domains/workflow/jobs/reducer/document.ts';
import type { Event, EventData, Moment } from '#server/domains/workflow/jobs/reducer/job-events.ts';
import { type Plan, planOf } from '#server/domains/workflow/jobs/reducer/plan.ts';
import { applyEvent } from '#server/domains/workflow/jobs/reducer/reducer.ts';
import type { TaskExecution } from '#server/domains/workflow/jobs/reducer/transition-context.ts';
import { largeFrom } from '#server/domains/workflow/jobs/store/large-values.ts';
import type { TaskOutcome } from '#server/domains/workflow/tasks/outcome.ts';
import { task } from './workflows.ts';

/** How tests run tasks: a few of values alone, `effect` with a given outcome, the engine's own. */
export function executionOf({ name, type }: Task): TaskExecution | undefined {
  if (type === 'manual') return { kind: 'person' };
  switch (name) {
    case 'workflow_start':
      return { kind: 'start' };
    case 'workflow_end':
      return { kind: 'end' };
    case 'forEach':
    case 'childJob':
    case 'delay':
    case 'stub':
    case 'reattempt':
      return { kind: name };
    case 'effect':
      return { kind: 'effect' };
    case 'echo':
      return { kind: 'pure', run: ({ value }) => ({ finish: 'success', outgoing: { value } }) };
    case 'fails':
      return { kind: 'pure', run: () => ({ finish: 'failure', outgoing: {} }) };
    case 'breaks':
      return {
        kind: 'pure',
        run: () => {
          throw new Error('out of order');
        },
      };
    case 'append':
      return {
        kind: 'pure',
        run: ({ list, item }, { variables }) => {
          const name = String(list);
          const known = variables[name];
          return {
            finish: 'success',
            outgoing: {},
            variables: { [name]: [...(Array.isArray(known) ? known : []), item] },
          };
        },
      };
  }
  return undefined;
}

export const echo = (value: unknown, outgoing: Record<string, unknown> = {}) =>
  task('echo', { value }, outgoing);
export const effect = () => task('effect', {}, {}, { type: 'automatic' });
export const manual = (incoming: Record<string, unknown> = {}) =>
  task('ViewData', incoming, {}, { type: 'manual' });

/** A job in memory: events go in, what has to be done is remembered. */
export function openJob(
  workflow: Pick<Workflow, 'tasks' | 'transitions'>,
  variables: Record<string, unknown> = {},
  head: Partial<Head> = {},
) {
  const plan: Plan = planOf(workflow);
  let doc: JobDocument = {
    head: {
      _id: '65f0c1d2e3a4b5c6d7e8f901',
      name: 'Test',
      description: null,
      status: 'running',
      variables: { ...variables },
      error: [],
      metrics: { start_time: 0, end_time: null, user: null, progress: 0, owner: null },
      ...head,
    },
    state: { tasks: {}, ready: [] },
  };
  let count = 0;
  const todo: Todo[] = [];
  const begun: string[] = [];
  const moment = (): Moment => {
    count += 1;
    return {
      at: 1_000_000 + count,
      seed: `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`.replace(
        /^0{8}/,
        String(count).padStart(8, '0'),
      ),
      server: 'here',
    };
  };
  let last: Event | undefined;
  const send = (data: EventData) => {
    const event = { ...moment(), ...data } as Event;
    last = event;
    const before = JSON.stringify(doc);
    const settled = applyEvent({ plan, executionOf, large: largeFrom(new Map()) }, doc, event);
    if (JSON.stringify(doc) !== before) throw new Error('the document that came in was changed');
    doc = settled.document;
    todo.push(...settled.todo);
    for (const iteration of settled.iterations) begun.push(iteration.task);
    return settled;
  };
  /** The very same event once more. */
  const again = () => {
    if (!last) throw new Error('nothing happened yet');
    return applyEvent({ plan, executionOf, large: largeFrom(new Map()) }, doc, last);
  };
  const attempt = (id: string) => {
    const state = doc.state.tasks[id];
    return { task: id, iteration: (state && iterationOf(state)) ?? '', attempt: state?.attempt ?? 0 };
  };
  const finish = (id: string, outcome: Partial<TaskOutcome> | TaskOutcome['finish'] = 'success') => {
    const given = typeof outcome === 'string' ? { finish: outcome } : outcome;
    return send({
      type: 'finish',
      ...attempt(id),
      outcome: { finish: 'success', outgoing: {}, ...given },
    });
  };
  return {
    plan,
    send,
    again,
    attempt,
    finish,
    todo,
    /** Tasks that wait for an outcome, in order of their ids. */
    running: () =>
      Object.entries(doc.state.tasks)
        .filter(([, { status, loop }]) => status === 'running' && !loop)
        .map(([id]) => id)
        .sort(),
    job: (): Job => jobOf(plan, doc),
    doc: () => doc,
    status: (id: string) => doc.state.tasks[id]?.status ?? 'incomplete',
  };
}

/** A job that has been started. */
export function startJob(...args: Parameters<typeof openJob>) {
  const job = openJob(...args);
  job.send({ type: 'start' });
  return job;
}
