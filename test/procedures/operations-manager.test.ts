import { expect, test } from 'vitest';
import { issuePathsOf, NOBODY, rejectionOf, rolesThatMay, unique } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';
import { task, view, workflowOf } from '../helpers/workflows.ts';

const service = await openService();
const { automationStudio, operationsManager } = await service.as('admin');

const createAutomation = async (more: object = {}) =>
  (
    await operationsManager.createAutomation({
      automation: { name: unique('Nightly'), componentType: 'workflows', ...more },
    })
  ).data;
const createTrigger = async (actionId: string, more: object) =>
  (await operationsManager.createTrigger({ trigger: { name: unique('By'), actionId, ...more } as never }))
    .data;
const createWorkflow = async (tasks: Parameters<typeof workflowOf>[1] = {}) => {
  const automation = workflowOf(unique('Runs'), tasks);
  return (await automationStudio.createWorkflow({ automation })).created.name;
};
/** A job that nothing works on: no worker runs in this file. */
const startJob = async (variables: Record<string, unknown> = {}) => {
  const workflow = await createWorkflow({ a: view(), b: task('delay', { time: 1 }) });
  return (await operationsManager.startJob({ workflow, options: { variables } })).data;
};

test('an automation is created for a workflow, which it names by id and name', async () => {
  const componentName = await createWorkflow();
  const { _id: id, name } = await createAutomation({ componentName });
  const { data } = await operationsManager.getAutomation({ id });
  expect(data).toMatchObject({ name, componentName, componentId: expect.any(String) });
  const { data: listed, metadata } = await operationsManager.listAutomations({
    queryOptions: { contains: name.toUpperCase(), containsField: 'name' },
  });
  expect(listed).toMatchObject([{ _id: id }]);
  expect(metadata.total).toBe(1);
});

test('a taken name, an unknown component and an unknown filter are rejected', async () => {
  const { name } = await createAutomation();
  expect(await rejectionOf(createAutomation({ name }))).toMatchObject({ code: 'CONFLICT' });
  expect(await rejectionOf(createAutomation({ componentName: 'No such flow' }))).toMatchObject({
    message: expect.stringContaining('No such flow'),
  });
  const sorted = operationsManager.listAutomations({ queryOptions: { sort: 'nonsense' } });
  expect(await rejectionOf(sorted)).toMatchObject({ code: 'BAD_REQUEST' });
  expect(await issuePathsOf(createAutomation({ name: '' }))).toEqual(['automation.name']);
});

test('an automation is changed, cloned with its triggers, and deleted with them', async () => {
  const { _id: id, name } = await createAutomation();
  await createTrigger(id, { type: 'manual' });
  const changed = await operationsManager.updateAutomation({ id, automation: { description: 'At night' } });
  expect(changed.data).toMatchObject({ name, description: 'At night' });
  const { data: clone } = await operationsManager.cloneAutomation({ automation: { id } });
  const ofClone = { queryOptions: { actionId: clone._id } };
  expect((await operationsManager.listTriggers(ofClone)).metadata.total).toBe(1);
  await operationsManager.deleteAutomation({ id: clone._id });
  expect((await operationsManager.listTriggers(ofClone)).metadata.total).toBe(0);
  expect((await operationsManager.getAutomation({ id })).data.name).toBe(name);
});

test('of an import each automation is stored or rejected separately', async () => {
  const name = unique('Imported');
  const { data } = await operationsManager.importAutomations({
    automations: [
      { name, triggers: [{ name: 'By event', type: 'eventSystem', source: 's', topic: 't' }] },
      { name: unique('Lost'), componentName: 'No such flow' },
    ] as never,
  });
  expect(data.map(({ success }) => success)).toEqual([true, false]);
});

test.each([
  [{ type: 'schedule' }, 'trigger.firstRunAt'],
  [{ type: 'endpoint' }, 'trigger.routeName'],
  [{ type: 'eventSystem', source: 's' }, 'trigger.topic'],
])('a trigger without what its type needs is rejected: %j', async (more, path) => {
  const { _id } = await createAutomation();
  expect(await issuePathsOf(createTrigger(_id, more))).toContain(path);
});

test('a route belongs to one trigger, and a form must exist', async () => {
  const { _id } = await createAutomation();
  const routeName = unique('nightly').replace(' ', '-');
  const { _id: id } = await createTrigger(_id, { type: 'endpoint', routeName });
  expect(await rejectionOf(createTrigger(_id, { type: 'endpoint', routeName }))).toMatchObject({
    code: 'CONFLICT',
  });
  expect(await rejectionOf(createTrigger(_id, { type: 'manual', formId: 'No such form' }))).toMatchObject({
    code: 'UNPROCESSABLE_CONTENT',
  });
  await operationsManager.updateTrigger({ id, trigger: { enabled: false } as never });
  expect((await operationsManager.getTrigger({ id })).data).toMatchObject({ enabled: false, routeName });
  await operationsManager.deleteTrigger({ id });
  expect(await rejectionOf(operationsManager.getTrigger({ id }))).toMatchObject({ code: 'NOT_FOUND' });
});

test('a manual trigger starts a job of its workflow', async () => {
  const componentName = await createWorkflow();
  const { _id } = await createAutomation({ componentName });
  const { _id: id } = await createTrigger(_id, { type: 'manual' });
  const { data } = await operationsManager.runManualTrigger({ id, formData: { z: 3 } });
  expect(data).toMatchObject({ name: componentName });
  const missing = operationsManager.runManualTrigger({ id: NOBODY, formData: {} });
  expect(await rejectionOf(missing)).toMatchObject({ code: 'NOT_FOUND' });
});

test('a job is stored with its variables, listed and counted', async () => {
  const job = await startJob({ y: 2 });
  const { data } = await operationsManager.getJob({ jobId: job._id });
  expect(data).toMatchObject({ name: job.name, status: 'running', variables: { y: 2 } });
  const queryOptions = { equals: { name: job.name }, include: 'name,status' } as never;
  const listed = await operationsManager.listJobs({ queryOptions });
  expect(listed.data).toMatchObject([{ name: job.name, status: 'running' }]);
  const counted = await operationsManager.countJobs({
    queryOptions: { equals: { name: job.name } } as never,
  });
  expect(counted).toMatchObject({ counts: { running: 1 }, total: 1 });
});

test('a workflow that does not exist, or is a draft, cannot be started', async () => {
  expect(await rejectionOf(operationsManager.startJob({ workflow: 'No such flow' }))).toMatchObject({
    code: 'NOT_FOUND',
  });
  const workflow = await createWorkflow({ a: task('fly') });
  expect(await rejectionOf(operationsManager.startJob({ workflow }))).toMatchObject({ code: 'CONFLICT' });
});

test('a job is watched and shared with groups until that is rolled back', async () => {
  const { _id: jobId } = await startJob();
  const { caller } = await service.callerWith('admin');
  const watchers = async () =>
    JSON.stringify((await operationsManager.getJob({ jobId })).data.watchers ?? []);
  await operationsManager.unwatchJob({ jobId });
  expect(await watchers()).not.toContain(caller.id);
  await operationsManager.watchJob({ jobId });
  expect(await watchers()).toContain(caller.id);
  const stray = operationsManager.addJobGroups({ jobId, groups: [NOBODY] });
  expect((await rejectionOf(stray)).message).toContain(NOBODY);
});

test('a job is not deleted before it has ended', async () => {
  const { _id: jobId } = await startJob();
  await operationsManager.deleteJobs({ jobIds: [jobId] });
  expect((await operationsManager.getJob({ jobId })).data._id).toBe(jobId);
  expect(await rejectionOf(operationsManager.getJob({ jobId: NOBODY }))).toMatchObject({ code: 'NOT_FOUND' });
});

test('the events that triggers may wait for are listed with their schemas', async () => {
  const source = '@vendor/operations-manager';
  const event = await operationsManager.getEvent({ source, topic: 'jobCompleted' });
  expect(event).toMatchObject({ source, topic: 'jobCompleted', definition: { type: 'object' } });
  expect(await rejectionOf(operationsManager.getEvent({ source, topic: 'none' }))).toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('support engineers act on jobs but do not start them, designers write automations', async () => {
  expect(await rolesThatMay(service, (as) => as.operationsManager.startJob({ workflow: 'none' }))).toEqual([
    'admin',
    'apiwrite',
    'engineering',
  ]);
  expect(await rolesThatMay(service, (as) => as.operationsManager.cancelJobs({ jobIds: [NOBODY] }))).toEqual([
    'admin',
    'apiwrite',
    'engineering',
    'support',
  ]);
  expect(await rolesThatMay(service, (as) => as.operationsManager.deleteAutomation({ id: NOBODY }))).toEqual([
    'admin',
    'apiwrite',
    'designer',
    'engineering',
  ]);
});
