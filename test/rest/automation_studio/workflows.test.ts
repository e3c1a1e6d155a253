import { expect, test } from 'vitest';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { issuesOf } from '../../helpers/configuration.ts';
import { openWorkflows } from '../../helpers/jobs/workflows-service.ts';
import { runs, success, task, workflowOf } from '../../helpers/workflows.ts';

const { create, detailed, done, owned, project, read, send } = await openWorkflows();

const AUTOMATIONS = '/automation-studio/automations';
const LIST = '/automation-studio/workflows';
let counter = 0;
const fresh = (word = 'workflow') => `${word} ${counter++}`;
type Page = {
  items: Partial<Workflow>[];
  total: number;
  next: string | null;
  previous: string | null;
  end: number;
};

test('a new workflow has an id, stamps, calculated schemas, and comes back with unknown properties', async () => {
  const name = fresh();
  const given = workflowOf(
    name,
    { a1: task('delay', { time: '$var.job.seconds' }, {}, { mood: 'calm' }) },
    { colour: 'teal' },
  );
  const answer = await send('POST', AUTOMATIONS, { automation: given });
  expect(answer.status).toBe(200);
  const { created, ...rest } = answer.json as { created: Workflow };
  expect(created).toMatchObject({
    ...given,
    _id: expect.stringMatching(/^[0-9a-f]{8}-/),
    type: 'automation',
    created: expect.stringMatching(/Z$/),
    inputSchema: { required: ['seconds'], properties: { seconds: { type: 'number' } } },
    errors: [],
    warnings: [],
  });
  expect(rest).toEqual({ edit: `/automation-studio/#/edit?automation=${encodeURIComponent(name)}` });
  expect((await detailed(name)).json).toEqual(created);
});

test('schemas from the caller are kept; id and stamps never come from the caller', async () => {
  const schema = { type: 'object', properties: { mine: {} }, required: [] };
  const given = workflowOf(
    fresh(),
    {},
    {
      inputSchema: schema,
      _id: 'mine',
      created: '2001-02-03T04:05:06.789Z',
      namespace: { type: 'project', _id: 'p' },
    },
  );
  const created = await create(given);
  expect(created.inputSchema).toEqual(schema);
  expect(created.outputSchema).toHaveProperty('properties.initiator');
  expect(created._id).not.toBe('mine');
  expect(created.created).not.toBe('2001-02-03T04:05:06.789Z');
  expect(created).not.toHaveProperty('namespace');
});

test('a workflow that could not run is stored as a draft, with every error by task and place', async () => {
  const created = await create(
    workflowOf(fresh(), {
      a1: runs('nobody at all'),
      a2: task('fly', {}, {}, { app: 'Birds' }),
      a3: task('transformation', { tr_id: 'none' }),
    }),
  );
  expect(created.errors).toEqual([
    {
      task: 'a1',
      name: 'childJob',
      message: 'variables.incoming.workflow: workflow nobody at all does not exist',
    },
    { task: 'a2', name: 'fly', message: 'name: application Birds of the task fly does not exist here' },
    {
      task: 'a3',
      name: 'transformation',
      message: 'variables.incoming.tr_id: transformation none does not exist',
    },
  ]);
  expect((await read(created.name)).errors).toEqual(created.errors);
});

test('a type that no index can hold is rejected, and is no fault', async () => {
  let type = '';
  while (type.length < 9000) type += Math.random().toString(36).slice(2);
  const answer = await send('POST', AUTOMATIONS, { automation: workflowOf(fresh(), {}, { type }) });
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('longer than 1,000 characters');
  const name = `é${'字'.repeat(254)}`;
  expect((await create(workflowOf(name, {}, { type: type.slice(0, 1000) }))).name).toBe(name);
});

test('a workflow may run itself', async () => {
  const name = fresh();
  expect((await create(workflowOf(name, { a1: runs(name) }))).errors).toEqual([]);
});

test.each<[string, object, string]>([
  [
    'a task key of another form',
    workflowOf('bad', { 'a b': task('delay') }),
    'automation.tasks.a b: is not a task id',
  ],
  ['a key with capitals', workflowOf('bad', { A1: task('delay') }), 'automation.tasks.A1: is not a task id'],
  [
    'a way to nowhere',
    workflowOf('bad', {}, { transitions: { workflow_start: { ff: success } } }),
    'automation.transitions.workflow_start.ff: leads to task ff',
  ],
  [
    'a state that there is not',
    workflowOf(
      'bad',
      {},
      {
        transitions: { workflow_start: { workflow_end: { type: 'standard', state: 'maybe' as 'success' } } },
      },
    ),
    'automation.transitions.workflow_start.workflow_end.state',
  ],
  ['no name', { tasks: {}, transitions: {} }, 'automation.name'],
  ['a blank name', workflowOf('  '), 'automation.name: must not be empty'],
  ['a name without end', workflowOf('n'.repeat(300)), 'automation.name: must have at most 255 characters'],
  [
    'a project’s name',
    workflowOf('@65f0c1d2e3a4b5c6d7e8f901: X'),
    'automation.name: Name must not begin with',
  ],
  ['no tasks', { name: 'bad', transitions: {} }, 'automation.tasks'],
])('create rejects %s', async (_, automation, text) => {
  const answer = await send('POST', AUTOMATIONS, { automation });
  expect(answer.status).toBe(400);
  expect(issuesOf(answer).join('\n')).toContain(text);
});

test('a name that is taken is a conflict, on create and on rename', async () => {
  const [one, other] = [await create(workflowOf(fresh())), await create(workflowOf(fresh()))];
  const again = await send('POST', AUTOMATIONS, { automation: workflowOf(one.name) });
  expect(again).toMatchObject({
    status: 409,
    json: { code: 'CONFLICT', message: `Workflow ${one.name} already exists` },
  });
  const renamed = await send('PUT', `${AUTOMATIONS}/${other._id}`, { update: { name: one.name } });
  expect(renamed.status).toBe(409);
  expect((await read(other.name))._id).toBe(other._id);
});

test('an update replaces the named fields, keeps the rest, and derives schemas and errors again', async () => {
  const stored = await create(
    workflowOf(
      fresh(),
      { a1: task('delay', { time: '$var.job.seconds' }) },
      { description: 'old', colour: 'teal' },
    ),
  );
  const next = workflowOf(stored.name, {
    b1: task('delay', { time: '$var.job.minutes' }),
    b2: runs('nobody'),
  });
  const answer = await done<Workflow & { updated: Workflow }>('PUT', `${AUTOMATIONS}/${stored._id}`, {
    update: { tasks: next.tasks, transitions: next.transitions },
  });
  expect(answer.updated).toMatchObject({
    _id: stored._id,
    description: 'old',
    colour: 'teal',
    created: stored.created,
    inputSchema: { required: ['minutes'] },
  });
  expect(answer.updated.errors).toHaveLength(1);
  expect(answer.updated.last_updated?.localeCompare(stored.last_updated)).toBe(1);
  const { updated, edit, ...fields } = answer;
  expect(edit).toBe(`/automation-studio/#/edit?automation=${encodeURIComponent(stored.name)}`);
  expect(fields).toEqual(updated);
  expect(await read(stored.name)).toEqual(updated);
});

test('schemas stay when the tasks do', async () => {
  const schema = { type: 'object', properties: { mine: {} }, required: [] };
  const stored = await create(workflowOf(fresh(), {}, { inputSchema: schema }));
  const { updated } = await done<{ updated: Workflow }>('PUT', `${AUTOMATIONS}/${stored._id}`, {
    update: { description: null },
  });
  expect(updated.inputSchema).toEqual(schema);
  expect(updated.description).toBeNull();
});

test('an update with an invalid graph changes nothing; an unknown id is 404', async () => {
  const stored = await create(workflowOf(fresh()));
  const bad = await send('PUT', `${AUTOMATIONS}/${stored._id}`, {
    update: { transitions: { workflow_start: { ff: success } } },
  });
  expect(bad.status).toBe(400);
  expect(issuesOf(bad).join()).toContain('update.transitions.workflow_start.ff');
  expect(await read(stored.name)).toEqual(stored);
  expect((await send('PUT', `${AUTOMATIONS}/none`, { update: {} })).status).toBe(404);
  expect((await send('PUT', `${AUTOMATIONS}/${stored._id}`, { update: {}, more: 1 })).status).toBe(400);
});

test('a second save after somebody else’s save is a conflict that names the author and the differences', async () => {
  const stored = await create(workflowOf(fresh()));
  const save = (description: string) =>
    send(
      'PUT',
      `${AUTOMATIONS}/${stored._id}`,
      { update: { description } },
      { ifMatch: stored.last_updated },
    );
  const [one, other] = await Promise.all([save('mine'), save('yours')]);
  expect([one.status, other.status].sort()).toEqual([200, 409]);
  const kept = one.status === 200 ? 'mine' : 'yours';
  const now = await read(stored.name);
  expect(now.description).toBe(kept);
  const rejected = one.status === 409 ? one : other;
  expect(rejected.json).toMatchObject({
    message: expect.stringContaining('/description'),
    data: {
      lastUpdated: now.last_updated,
      lastUpdatedBy: now.last_updated_by,
      differences: [{ path: '/description', difference: 'changed' }],
    },
  });
});

test('those that run a workflow follow its new name, itself included', async () => {
  const [name, parentName, newName] = [fresh(), fresh(), fresh('renamed')];
  const child = await create(workflowOf(name, { a1: runs(name) }));
  await create(workflowOf(parentName, { a1: runs(name), a2: runs('someone else') }));
  await done('PUT', `${AUTOMATIONS}/${child._id}`, { update: { name: newName } });
  const parent = await read(parentName);
  expect(parent.tasks.a1?.variables?.incoming?.workflow).toBe(newName);
  expect(parent.tasks.a2?.variables?.incoming?.workflow).toBe('someone else');
  expect((await read(newName)).tasks.a1?.variables?.incoming?.workflow).toBe(newName);
  expect((await detailed(name)).status).toBe(404);
});

test('the list filters, projects, sorts and pages in the bracket dialect; its links lead on', async () => {
  const word = fresh('listed');
  for (const letter of ['c', 'a', 'b']) await create(workflowOf(`${word} (${letter})`));
  const at = (query: string) => done<Page>('GET', `${LIST}?${query}`);
  const all = await at(`contains[name]=${encodeURIComponent(word.toUpperCase())}&include=name,inputSchema`);
  expect(all.items.map(({ name }) => name)).toEqual(['a', 'b', 'c'].map((letter) => `${word} (${letter})`));
  expect(Object.keys(all.items[0] ?? {}).sort()).toEqual(['_id', 'inputSchema', 'name']);
  expect(all).toMatchObject({ total: 3, next: null, previous: null, end: 3 });
  const first = await at(`starts-with[name]=${encodeURIComponent(word)}&limit=2&sort=name&order=-1`);
  expect(first.items.map(({ name }) => name?.at(-2))).toEqual(['c', 'b']);
  const second = await done<Page>('GET', String(first.next));
  expect(second.items.map(({ name }) => name?.at(-2))).toEqual(['a']);
  expect(second).toMatchObject({ next: null, previous: expect.stringContaining('skip=0') });
  const [one] = all.items;
  expect((await at(`equals[_id]=${one?._id}`)).items.map(({ name }) => name)).toEqual([one?.name]);
  const byBody = await done<Page>('GET', LIST, { equals: { name: one?.name }, include: 'name' });
  expect(byBody.items).toEqual([{ _id: one?._id, name: one?.name }]);
});

test.each([
  ['equals=x&equalsField=colour', 'equalsField'],
  ['equals[nonsense]=1', 'nonsense'],
  ['limit=1001', 'limit'],
  ['include=name&exclude=tasks', 'exclude'],
  ['colour=1', 'colour'],
])('the list rejects %s', async (query, text) => {
  const answer = await send('GET', `${LIST}?${query}`);
  expect(answer.status).toBe(400);
  expect(issuesOf(answer).join()).toContain(text);
});

test('workflows of a project are visible to its members, and changed by those with write access', async () => {
  const projectId = await project(['designer', 'support'], ['designer']);
  const workflow = await owned(projectId, 'inside');
  const path = `${AUTOMATIONS}/${workflow._id}`;
  const totals = async (as: 'admin' | 'designer' | 'support' | 'apiread') =>
    (await done<Page>('GET', `${LIST}?equals[name]=${encodeURIComponent(workflow.name)}`, undefined, { as }))
      .total;
  expect(
    await Promise.all([totals('admin'), totals('designer'), totals('support'), totals('apiread')]),
  ).toEqual([1, 1, 1, 0]);
  expect((await detailed(workflow.name, { as: 'apiread' })).status).toBe(404);
  expect((await detailed(workflow.name, { as: 'support' })).status).toBe(200);
  expect((await send('PUT', path, { update: { description: 'x' } }, { as: 'apiwrite' })).status).toBe(404);
  expect((await send('PUT', path, { update: { description: 'x' } }, { as: 'designer' })).status).toBe(200);
  const readerOnly = await owned(await project(['designer']), 'inside');
  const rejected = await send('PUT', `${AUTOMATIONS}/${readerOnly._id}`, { update: {} }, { as: 'designer' });
  expect(rejected).toMatchObject({ status: 403, json: { code: 'FORBIDDEN' } });
});

test('a workflow of a project keeps its project’s prefix, a global one gets none', async () => {
  const projectId = await project([]);
  const workflow = await owned(projectId, 'prefixed');
  const bare = await send('PUT', `${AUTOMATIONS}/${workflow._id}`, { update: { name: 'bare' } });
  expect(bare.status).toBe(400);
  expect(issuesOf(bare)).toEqual([`update.name: Name must begin with '@${projectId}: '`]);
  const name = `@${projectId}: renamed`;
  expect((await send('PUT', `${AUTOMATIONS}/${workflow._id}`, { update: { name } })).status).toBe(200);
  const global = await create(workflowOf(fresh()));
  const scoped = await send('PUT', `${AUTOMATIONS}/${global._id}`, {
    update: { name: `@${projectId}: taken` },
  });
  expect(scoped.status).toBe(400);
});

test('validation reports the same as storing, also for unfinished workflows', async () => {
  const validate = (workflow: object) =>
    done<{ errors: { message: string }[]; warnings: object[] }>('POST', `${LIST}/validate`, { workflow });
  const given = workflowOf(fresh(), { a1: runs('nobody at all'), a2: task('query', { obj: {} }) });
  const stored = await create(given);
  const { _id, ...sent } = stored;
  expect(await validate(sent)).toEqual({ errors: stored.errors, warnings: stored.warnings });
  expect((await validate({ tasks: {} })).errors.map(({ message }) => message)).toEqual([
    'tasks: workflow_end is missing',
    'tasks: workflow_start is missing',
  ]);
  const senseless = await validate(workflowOf('x', { 'not hex': task('delay', { time: 1 }) }));
  expect(senseless.errors[0]?.message).toContain('is not a task id');
  expect((await send('POST', `${LIST}/validate`, { workflow: { tasks: 5 } })).status).toBe(400);
  expect((await send('POST', `${LIST}/validate`, {})).status).toBe(400);
});

test('a name may hold what a URL must encode', async () => {
  const name = `${fresh()} / 50% @home: ünïcode?#&=+`;
  const created = await create(workflowOf(name));
  expect((await detailed(name)).json).toEqual(created);
});
