import { expect, test } from 'vitest';
import { openJobs } from '../../helpers/jobs/running-jobs.ts';
import { unique } from '../../helpers/procedures.ts';
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
  const name = unique('Many results');
  await service.store(chain(name, 40));
  expect(await errorBeside(name, { x: text })).toContain('more than 33554432 characters');
});

test('a job whose values are below the limit completes', async () => {
  const name = unique('Few results');
  await service.store(chain(name, 8));
  const { _id } = await service.start(name, { x: text });
  await service.comes(_id, 'complete', 60);
});

test('a task that names one large value in many places ends its job in error, and others run', async () => {
  const places = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`at${at}`, '$var.job.x']));
  const incoming = { name: 'y', value: 1, ...places };
  const name = unique('Many places');
  await service.store(workflowOf(name, { a1: task('newVariable', incoming, { value: null }) }));
  const error = await errorBeside(name, { x: text.repeat(10) });
  expect(error).toContain('more than 64000000 characters');
});

test('a loop whose iterations each receive a large value runs to its end', async () => {
  const loop = { type: 'standard' as const, state: 'loop' as const };
  const success = { type: 'standard' as const, state: 'success' as const };
  const name = unique('Large iterations');
  await service.store(
    workflowOf(
      name,
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
  const { _id } = await service.start(name, {
    x: text.repeat(6),
    list: Array.from({ length: 60 }, (_, at) => at),
  });
  await service.comes(_id, 'complete', 120);
});

test('a job whose child jobs return more than a task may store ends in error, and other jobs run', async () => {
  const [child, name] = [unique('Large child'), unique('Large children')];
  await service.store(workflowOf(child, { a1: keep }));
  const children = runs(child, { x: { task: 'job', value: 'x' } });
  const { incoming = {} } = children.variables ?? {};
  Object.assign(incoming, {
    loopType: 'parallel',
    data_array: Array.from({ length: 50 }, (_, at) => ({ at })),
  });
  await service.store(workflowOf(name, { a1: children }));
  expect(await errorBeside(name, { x: text })).toContain('more than 64000000 characters');
});
