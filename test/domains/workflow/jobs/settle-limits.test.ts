import { expect, test } from 'vitest';
import type { JobDocument } from '#server/domains/workflow/jobs/reducer/document.ts';
import type { Event } from '#server/domains/workflow/jobs/reducer/job-events.ts';
import { planOf } from '#server/domains/workflow/jobs/reducer/plan.ts';
import { applyEvent } from '#server/domains/workflow/jobs/reducer/reducer.ts';
import { largeFrom } from '#server/domains/workflow/jobs/store/large-values.ts';
import { executionOf, manual, startJob } from '../../../helpers/settling.ts';
import { runs, workflowOf } from '../../../helpers/workflows.ts';

const START = 1_000_000;
const plan = planOf(workflowOf('Limited', { a: manual() }));

/** A job with a time limit in seconds that has begun at START. */
function begun(seconds: number) {
  const { head } = startJob(workflowOf('Limited', { a: manual() })).doc();
  const state = { tasks: {}, ready: [], limit: { seconds } };
  const { document, todo } = at(START, { head: { ...head, error: [] }, state }, { type: 'start' });
  return { document, todo };
}

type What = { type: 'start' | 'pause' | 'resume' } | { type: 'expire'; until: number };
const at = (time: number, document: JobDocument, what: What) =>
  applyEvent({ plan, executionOf, large: largeFrom(new Map()) }, document, {
    at: time,
    seed: `00000000-0000-4000-8000-${String(time).padStart(12, '0')}`,
    server: 'here',
    ...what,
  } as Event);

test('the time of a job runs from its start, and ends it with what it waits for', () => {
  const { document, todo } = begun(5);
  expect(todo).toContainEqual({ type: 'limit', until: START + 5000 });
  const over = at(START + 5000, document, { type: 'expire', until: START + 5000 });
  expect(over.document.head).toMatchObject({ status: 'canceled', timedOut: true });
  expect(over.document.state.tasks.a?.status).toBe('canceled');
  expect(over.todo.map(({ type }) => type)).toEqual(['stop', 'end']);
});

test('a job that is paused when its time limit passes gets the same time again, a minute at least', () => {
  const { document } = begun(5);
  const paused = at(START + 1, document, { type: 'pause' }).document;
  const again = at(START + 5000, paused, { type: 'expire', until: START + 5000 });
  expect(again.document.head.status).toBe('paused');
  expect(again.todo).toEqual([{ type: 'limit', until: START + 65_000 }]);
  // The first moment is of the past now.
  expect(at(START + 5000, again.document, { type: 'expire', until: START + 5000 }).changed).toBe(false);
  const resumed = at(START + 6000, again.document, { type: 'resume' }).document;
  const over = at(START + 65_000, resumed, { type: 'expire', until: START + 65_000 });
  expect(over.document.head.status).toBe('canceled');
});

test('what child jobs have done counts for their task while it waits, and not once it has stopped in error', () => {
  const job = startJob(workflowOf('Parent', { a: runs('Child') }));
  const progress = () => job.doc().head.metrics.progress;
  expect(progress()).toBe(0.333);
  job.send({ type: 'share', ...job.attempt('a'), share: 0.5 });
  expect(progress()).toBe(0.5);
  const past = job.attempt('a');
  job.finish('a', { finish: 'error', error: { message: 'Child job was canceled' } });
  expect(progress()).toBe(0.333);
  expect(job.send({ type: 'share', ...past, share: 0.9 }).changed).toBe(false);
  job.send({ type: 'retry', ...job.attempt('a'), given: {} });
  expect(progress()).toBe(0.333);
});
