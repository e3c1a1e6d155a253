import { expect, test } from 'vitest';
import { openJobs } from '../../helpers/jobs/running-jobs.ts';
import { runs, task, variable, workflowOf } from '../../helpers/workflows.ts';

const service = await openJobs();

const KIB = 1024;
/** Shorter than what is stored separately. */
const text = 'a'.repeat(1000 * KIB);
const keep = task('newVariable', { name: 'y', value: '$var.job.x' }, { value: null });

/** Starts a workflow beside one of a single task. @returns the error of the first, once the second is complete */
async function errorBeside(name: string, variables: Record<string, unknown>): Promise<string> {
  const usual = `${name}, usual`;
  await service.store(workflowOf(usual, { a1: variable('y', 1) }));
  const { _id } = await service.start(name, variables);
  const other = await service.start(usual);
  const job = await service.comes(_id, 'error', 60);
  await service.comes(other._id, 'complete', 60);
  return JSON.stringify(job.error);
}

const chain = (name: string, length: number) =>
  workflowOf(name, Object.fromEntries(Array.from({ length }, (_, at) => [`a${at.toString(16)}`, keep])));

test('a job whose tasks store many values just under 1 MiB ends in error, naming the limit, and other jobs run', async () => {
  await service.store(chain('Many results', 40));
  expect(await errorBeside('Many results', { x: text })).toContain('more than 33554432 characters');
});

test('a job whose values are below the limit completes', async () => {
  await service.store(chain('Few results', 8));
  const { _id } = await service.start('Few results', { x: text });
  await service.comes(_id, 'complete', 60);
});

test('a task that names one large value in many places ends its job in error, and others run', async () => {
  const places = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`at${at}`, '$var.job.x']));
  const incoming = { name: 'y', value: 1, ...places };
  await service.store(workflowOf('Many places', { a1: task('newVariable', incoming, { value: null }) }));
  const error = await errorBeside('Many places', { x: text.repeat(10) });
  expect(error).toContain('more than 64000000 characters');
});

test('a loop whose iterations each receive a large value runs to its end', async () => {
  const loop = { type: 'standard' as const, state: 'loop' as const };
  const success = { type: 'standard' as const, state: 'success' as const };
  await service.store(
    workflowOf(
      'Large passes',
      { a1: task('forEach', { data_array: '$var.job.list' }, { current_item: null }), b1: keep },
      {
        transitions: {
          workflow_start: { a1: success },
          a1: { b1: loop, workflow_end: success },
          b1: {},
          workflow_end: {},
        },
      },
    ),
  );
  const { _id } = await service.start('Large passes', {
    x: text.repeat(6),
    list: Array.from({ length: 60 }, (_, at) => at),
  });
  await service.comes(_id, 'complete', 120);
}, 130_000);

test('a job whose child jobs return more than a task may store ends in error, and other jobs run', async () => {
  await service.store(workflowOf('Large child', { a1: keep }));
  const children = runs('Large child', { x: { task: 'job', value: 'x' } });
  const { incoming = {} } = children.variables ?? {};
  Object.assign(incoming, {
    loopType: 'parallel',
    data_array: Array.from({ length: 50 }, (_, at) => ({ at })),
  });
  await service.store(workflowOf('Large children', { a1: children }));
  expect(await errorBeside('Large children', { x: text })).toContain('more than 64000000 characters');
});
