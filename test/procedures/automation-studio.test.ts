import { expect, test } from 'vitest';
import { issuePathsOf, NOBODY, rejectionOf, rolesThatMay, unique } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';
import { runs, task, workflowOf } from '../helpers/workflows.ts';

const service = await openService();
const { automationStudio } = await service.as('admin');

const createWorkflow = async (...args: Parameters<typeof workflowOf>) => {
  const { created } = await automationStudio.createWorkflow({ automation: workflowOf(...args) });
  return { ...created, _id: String(created._id) };
};
const createTemplate = (template: object) =>
  automationStudio.createTemplate({
    template: { name: unique('Port'), group: 'IOS', type: 'jinja2', ...template } as never,
  });

test('a workflow is created with an id, stamps and the schemas of its tasks', async () => {
  const { caller } = await service.callerWith('admin');
  const created = await createWorkflow(unique('Upgrade'), {
    a1: task('delay', { time: '$var.job.seconds' }),
  });
  expect(created).toMatchObject({
    _id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    inputSchema: { required: ['seconds'] },
    errors: [],
  });
  const read = await automationStudio.getWorkflow({ name: created.name });
  expect(read).toMatchObject({ _id: created._id, created_by: caller.id });
});

test('a workflow with a taken name, a wrong key of a task or no tasks is rejected', async () => {
  const { name } = await createWorkflow(unique('Taken'));
  expect(await rejectionOf(createWorkflow(name))).toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining(name),
  });
  expect(await rejectionOf(createWorkflow(unique('Bad'), { 'no key': task('delay') }))).toMatchObject({
    code: 'BAD_REQUEST',
  });
  const bare = automationStudio.createWorkflow({ automation: { name: 'x' } as never });
  expect(await issuePathsOf(bare)).toContain('automation.tasks');
});

test('an update changes the given fields of a workflow; an unknown one is reported', async () => {
  const { _id, name } = await createWorkflow(unique('Changed'));
  const { updated } = await automationStudio.updateWorkflow({ id: _id, update: { description: 'new' } });
  expect(updated).toMatchObject({ _id, name, description: 'new' });
  const missing = automationStudio.updateWorkflow({ id: 'no such', update: {} });
  expect(await rejectionOf(missing)).toMatchObject({ code: 'NOT_FOUND' });
});

test('workflows are listed by parts of their names, with only the requested fields', async () => {
  const word = unique('listed');
  await createWorkflow(`${word} b`);
  await createWorkflow(`${word} a`);
  const { items, total } = await automationStudio.listWorkflows({
    queryOptions: { contains: { name: word.toUpperCase() }, include: 'name', sort: { name: 1 } } as never,
  });
  expect(items).toEqual([`${word} a`, `${word} b`].map((name) => expect.objectContaining({ name })));
  expect(items[0]).not.toHaveProperty('tasks');
  expect(total).toBe(2);
  const wrong = automationStudio.listWorkflows({ queryOptions: { equals: { nonsense: 1 } } as never });
  expect(await rejectionOf(wrong)).toMatchObject({ code: 'BAD_REQUEST' });
});

test('a workflow is validated without being stored', async () => {
  const name = unique('Draft');
  const answer = await automationStudio.validateWorkflow({
    workflow: workflowOf(name, { a1: runs('Nobody') }),
  });
  expect(JSON.stringify(answer)).toContain('Nobody');
  expect(await rejectionOf(automationStudio.getWorkflow({ name }))).toMatchObject({ code: 'NOT_FOUND' });
});

test('workflows of one import may name each other', async () => {
  const [one, two] = [unique('One'), unique('Two')];
  await automationStudio.importWorkflows({
    automations: [workflowOf(one, { a1: runs(two) }), workflowOf(two)],
  });
  expect((await automationStudio.getWorkflow({ name: one })).errors).toEqual([]);
});

test('a template is created, read, changed and deleted', async () => {
  const { created } = await createTemplate({ template: 'vlan {{ vlan }}' });
  expect(await automationStudio.getTemplate({ id: created._id })).toMatchObject({
    name: created.name,
    template: 'vlan {{ vlan }}',
  });
  const { updated } = await automationStudio.updateTemplate({
    id: created._id,
    update: { description: 'turns up' },
  });
  expect(updated).toMatchObject({ description: 'turns up', template: 'vlan {{ vlan }}' });
  expect(await automationStudio.exportTemplate({ id: created._id })).toMatchObject({ name: created.name });
  await automationStudio.deleteTemplate({ id: created._id });
  expect(await rejectionOf(automationStudio.getTemplate({ id: created._id }))).toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('a template is rejected when its name is taken in its group, or when it does not compile', async () => {
  const { created } = await createTemplate({ template: 'a' });
  const again = createTemplate({ name: created.name, template: 'b' });
  expect(await rejectionOf(again)).toMatchObject({ code: 'CONFLICT' });
  expect((await createTemplate({ name: created.name, group: 'EOS', template: 'b' })).created.group).toBe(
    'EOS',
  );
  expect(await issuePathsOf(createTemplate({ template: '{{' }))).toEqual(['template.template']);
});

test('a new project is visible to its creator alone', async () => {
  const designer = await service.as('designer');
  const { data } = await designer.automationStudio.createProject({ name: unique('Upgrades') });
  const projectId = data._id;
  expect((await designer.automationStudio.getProject({ projectId })).data.name).toBe(data.name);
  const writer = await service.as(['apiread', 'apiwrite']);
  expect(await rejectionOf(writer.automationStudio.getProject({ projectId }))).toMatchObject({
    code: 'NOT_FOUND',
  });
  const hidden = await writer.automationStudio.listProjects({ queryOptions: {} });
  expect(hidden.data.map(({ _id }) => _id)).not.toContain(projectId);
});

test('an update of a project reports the fields that cannot be written', async () => {
  const { data } = await automationStudio.createProject({ name: unique('Project') });
  const changed = await automationStudio.updateProject({
    projectId: data._id,
    description: 'changed',
    iid: 3,
  });
  expect(changed.data.description).toBe('changed');
  expect(changed.metadata.ignored).toEqual(['iid']);
  const taken = automationStudio.createProject({ name: data.name });
  expect(await rejectionOf(taken)).toMatchObject({ code: 'CONFLICT' });
});

test('a component is moved into a project and goes with it', async () => {
  const { data } = await automationStudio.createProject({ name: unique('Owner') });
  const projectId = data._id;
  const { _id: reference, name } = await createWorkflow(unique('Moved'));
  await automationStudio.addComponents({
    projectId,
    components: [{ type: 'workflow', reference }],
    mode: 'move',
  });
  expect((await automationStudio.getProject({ projectId })).data.components).toMatchObject([
    { type: 'workflow', reference },
  ]);
  expect(await automationStudio.getWorkflow({ name: `@${projectId}: ${name}` })).toMatchObject({
    _id: reference,
  });
  const { metadata } = await automationStudio.deleteProject({ projectId });
  expect(metadata.deletedComponents).toEqual([{ type: 'workflow', reference }]);
  const gone = automationStudio.getWorkflow({ name: `@${projectId}: ${name}` });
  expect(await rejectionOf(gone)).toMatchObject({ code: 'NOT_FOUND' });
});

test('designers read and write the studio, apiread only reads it', async () => {
  expect(await rolesThatMay(service, (as) => as.automationStudio.listProjects({}))).toEqual([
    'admin',
    'apiread',
    'designer',
  ]);
  expect(
    await rolesThatMay(service, (as) => as.automationStudio.deleteProject({ projectId: NOBODY })),
  ).toEqual(['admin', 'apiwrite', 'designer']);
});
