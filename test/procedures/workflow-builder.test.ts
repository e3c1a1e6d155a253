import { expect, test } from 'vitest';
import { createGroup } from '../helpers/people.ts';
import { issuePathsOf, NOBODY, rejectionOf, rolesThatMay, unique } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';
import { runs, task, workflowOf } from '../helpers/workflows.ts';

const service = await openService();
const { automationStudio, operationsManager, workflowBuilder } = await service.as('admin');

const save = (...args: Parameters<typeof workflowOf>) =>
  workflowBuilder.saveWorkflow({ workflow: workflowOf(...args) });
const read = (name: string) => automationStudio.getWorkflow({ name });

test('saving creates a workflow, and changes it the second time', async () => {
  const name = unique('Saved');
  const first = await save(name);
  expect(Object.keys(first)).toEqual(['created', 'edit']);
  const second = await save(name, { a1: task('delay', { time: '$var.job.seconds' }) });
  expect(second.updated).toMatchObject({ _id: first.created?._id, inputSchema: { required: ['seconds'] } });
  expect(await read(name)).toEqual(second.updated);
  expect(await rejectionOf(save(name, { Q: task('delay') }))).toMatchObject({ code: 'BAD_REQUEST' });
});

test('the schemas of a workflow that is not stored are calculated, child workflows included', async () => {
  const child = unique('Child');
  await save(child, { a1: task('RunCommandTemplate', { devices: '$var.job.devices' }, {}, { app: 'MOP' }) });
  const workflow = workflowOf('not stored', {
    a1: task('query', { obj: '$var.job.data' }, { return_data: '$var.job.part' }),
    a2: runs(child, { devices: { task: 'job', value: 'racks' } }),
  });
  expect(await workflowBuilder.calculateSchemas({ workflow })).toMatchObject({
    inputSchema: { required: ['data', 'racks'], properties: { racks: { type: 'array' } } },
    outputSchema: { properties: { _id: {}, initiator: {}, data: {}, racks: {}, part: {} } },
  });
});

test.each([
  [{}, 'workflow'],
  [{ workflow: {} }, 'workflow.tasks'],
  [{ workflow: workflowOf('x'), more: 1 }, 'more'],
  [{ workflow: { tasks: { a1: { app: 'x' } } } }, 'workflow.tasks.a1.name'],
])('calculating the schemas of %j is rejected and the field named', async (input, path) => {
  expect(await issuePathsOf(workflowBuilder.calculateSchemas(input as never))).toContain(path);
});

test('a workflow that nothing uses is deleted, and the answer holds it', async () => {
  const name = unique('Deleted');
  const { created } = await save(name, { a1: runs('nobody') });
  expect(await workflowBuilder.deleteWorkflow({ name })).toEqual({
    status: 'success',
    message: `Deleted workflow ${name}`,
    value: created,
    ok: 1,
  });
  expect(await rejectionOf(workflowBuilder.deleteWorkflow({ name }))).toMatchObject({ code: 'NOT_FOUND' });
});

test('a workflow that an automation or another workflow uses cannot be deleted', async () => {
  const [started, child, parent] = [unique('Started'), unique('Child'), unique('Parent')];
  await save(started);
  const automation = unique('Starts it');
  await operationsManager.createAutomation({
    automation: { name: automation, componentType: 'workflows', componentName: started },
  });
  await save(child);
  await save(parent, { a1: runs(child) });
  for (const [name, user] of [
    [started, `automation ${automation}`],
    [child, `workflow ${parent}`],
  ] as const) {
    expect(await rejectionOf(workflowBuilder.deleteWorkflow({ name }))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(user),
    });
    expect((await read(name)).name).toBe(name);
  }
});

test('child jobs and automations follow a new name', async () => {
  const [name, newName, parent] = [unique('Old'), unique('New'), unique('Parent')];
  const { created } = await save(name);
  await save(parent, { a1: runs(name) });
  const { data } = await operationsManager.createAutomation({
    automation: { name: unique('Starts'), componentType: 'workflows', componentName: name },
  });
  await workflowBuilder.renameWorkflow({ name, newName });
  expect((await read(newName))._id).toBe(created?._id);
  expect((await read(parent)).tasks.a1?.variables?.incoming?.workflow).toBe(newName);
  expect((await operationsManager.getAutomation({ id: data._id })).data.componentName).toBe(newName);
});

test('a new name that is taken, empty or a project’s is rejected', async () => {
  const [one, other] = [unique('One'), unique('Other')];
  await save(one);
  await save(other);
  const rename = (name: string, newName: string) =>
    rejectionOf(workflowBuilder.renameWorkflow({ name, newName }));
  expect(await rename(one, other)).toMatchObject({ code: 'CONFLICT' });
  expect((await rename(one, `@${NOBODY}: x`)).issues[0]).toContain('newName: Name must not begin with');
  expect(await rename(one, '')).toMatchObject({ code: 'BAD_REQUEST' });
  expect(await rename(unique('missing'), unique('x'))).toMatchObject({ code: 'NOT_FOUND' });
});

test('an exported workflow can be imported again; a taken name is rejected unless it may be overwritten', async () => {
  const name = unique('Travels');
  await save(name, { a1: task('delay', { time: 5 }) });
  const workflow = await workflowBuilder.exportWorkflow({ options: { name } });
  const call = (options?: { overwrite: boolean }) =>
    workflowBuilder.importWorkflow({ workflow, ...(options && { options }) } as never);
  expect(await rejectionOf(call())).toMatchObject({ code: 'CONFLICT' });
  expect(await call({ overwrite: true })).toMatchObject({ name, tasks: workflow.tasks });
  await workflowBuilder.deleteWorkflow({ name });
  expect(await call()).toMatchObject({ name, tasks: workflow.tasks });
  expect(await rejectionOf(workflowBuilder.exportWorkflow({ options: {} }))).toMatchObject({
    code: 'BAD_REQUEST',
  });
});

test('the groups of a workflow are replaced, added, listed and removed', async () => {
  const name = unique('Shared');
  await save(name);
  const [first, second] = [await createGroup(service), await createGroup(service)];
  const { listGroups, replaceGroups, addGroup, removeGroup, removeGroups } = workflowBuilder;
  expect(await listGroups({ name })).toEqual([]);
  expect(await replaceGroups({ name, groups: [first, 'default', first] })).toEqual([first, 'default']);
  expect(await addGroup({ name, group: second })).toEqual([first, 'default', second]);
  expect(await removeGroup({ name, group: 'default' })).toEqual([first, second]);
  expect(await rejectionOf(removeGroup({ name, group: 'default' }))).toMatchObject({ code: 'NOT_FOUND' });
  expect((await rejectionOf(replaceGroups({ name, groups: ['nobody', first] }))).issues).toEqual([
    'groups.0: group nobody does not exist',
  ]);
  expect(await removeGroups({ name })).toEqual([]);
  expect((await read(name)).groups).toEqual([]);
});

test('each role is shown the tasks that it may use', async () => {
  const keys = async (role: 'admin' | 'engineering' | 'designer') =>
    (await (await service.as(role)).workflowBuilder.listTasks({})).map(({ app, name }) => `${app}.${name}`);
  const all = await keys('admin');
  expect(new Set(all).size).toBe(all.length);
  expect(await keys('engineering')).toEqual(
    expect.arrayContaining(['MOP.RunCommand', 'WorkFlowEngine.query']),
  );
  expect(all).toContain('AutomationGateway.sendCommand');
  expect(await keys('designer')).not.toContain('AutomationGateway.sendCommand');
  expect(await workflowBuilder.getTaskDetails({ app: 'WorkFlowEngine', task: 'query' })).toMatchObject({
    name: 'query',
  });
  const unknown = workflowBuilder.getTaskDetails({ app: 'WorkFlowEngine', task: 'no such' });
  expect(await rejectionOf(unknown)).toMatchObject({ code: 'NOT_FOUND' });
});

test('operators read workflows, designers also write them', async () => {
  expect(
    await rolesThatMay(service, (as) => as.workflowBuilder.exportWorkflow({ options: { name: 'none' } })),
  ).toEqual(['admin', 'apiread', 'designer', 'engineering', 'support']);
  expect(await rolesThatMay(service, (as) => as.workflowBuilder.deleteWorkflow({ name: 'none' }))).toEqual([
    'admin',
    'apiwrite',
    'designer',
  ]);
});
