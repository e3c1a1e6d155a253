import { expect, test } from 'vitest';
import { transformationsNamed } from '#server/domains/workflow/jobs/execution/transform.ts';
import { body, input, method, result } from '../../../helpers/documents/transformations.ts';
import { openJobs } from '../../../helpers/jobs/running-jobs.ts';
import { task, workflowOf } from '../../../helpers/workflows.ts';

const service = await openJobs();

const joining = (separator: string) => {
  const step = method(1, 'Array.join', [input('words'), separator]);
  return body(['words'], [step], { text: result(step) });
};

async function storeTransformation(name: string, separator: string): Promise<string> {
  const transformation = { name, ...joining(separator) };
  const answer = await service.send('admin', 'POST', '/transformations', { transformation });
  expect(answer.status, answer.text).toBe(200);
  return (answer.json as { _id: string })._id;
}

const running = (id: string) =>
  task(
    'transformation',
    { tr_id: id, variableMap: { words: '$var.job.words' }, options: {} },
    { text: '$var.job.text' },
  );
const asking = () =>
  task(
    'ViewData',
    { header: 'Go on?', message: '', body: '', variables: {}, btn_success: 'Yes', btn_failure: 'No' },
    {},
    { type: 'manual', groups: [] },
  );

test('a transformation that is named runs within the step of its job, and returns its outputs by name', async () => {
  const id = await storeTransformation('Join with dashes', '-');
  await service.store(workflowOf('Joining', { a: running(id) }));
  const { _id } = await service.start('Joining', { words: ['edge', 'core'] });
  const over = await service.comes(_id, 'complete');
  expect(over.variables).toMatchObject({ text: 'edge-core' });
  // Nobody had to do anything: the job was over in the step that began it.
  expect(over.tasks.a?.end_time).toBe(over.metrics?.end_time);
});

test('a job keeps its own copy of a transformation that is changed while it runs; the next job takes the new one', async () => {
  const id = await storeTransformation('Join as told', '-');
  await service.store(workflowOf('Joining later', { a: asking(), b: running(id) }));
  const words = { words: ['edge', 'core'] };
  const before = await service.start('Joining later', words);
  await service.taskComes(before._id, 'a', 'running');
  const update = { name: 'Join as told', ...joining('+') };
  const changed = await service.send('admin', 'PUT', `/transformations/${id}`, { update });
  expect(changed.status, changed.text).toBe(200);
  const after = await service.start('Joining later', words);
  await service.taskComes(after._id, 'a', 'running');
  for (const { _id } of [before, after]) {
    await service.done('POST', `/jobs/${_id}/tasks/a/finish`, { taskData: { finish_state: 'success' } });
  }
  expect((await service.comes(before._id, 'complete')).variables).toMatchObject({ text: 'edge-core' });
  expect((await service.comes(after._id, 'complete')).variables).toMatchObject({ text: 'edge+core' });
});

test('one that fails ends its task in error, with the step that failed', async () => {
  const id = await storeTransformation('Join what is no list', '-');
  await service.store(workflowOf('Joining wrongly', { a: running(id) }));
  const { _id } = await service.start('Joining wrongly', { words: 7 });
  const over = await service.comes(_id, 'error');
  expect(String(over.error?.[0]?.message)).toContain('transformation "Join what is no list": step 1');
});

test('does not copy a transformation that is named only at run time', () => {
  expect(transformationsNamed({ a: running('65f0c1d2e3a4b5c6d7e8f901'), b: running('$var.job.id') })).toEqual(
    ['65f0c1d2e3a4b5c6d7e8f901'],
  );
});
