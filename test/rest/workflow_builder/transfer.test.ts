import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { issuesOf } from '../../helpers/configuration.ts';
import { exportedWorkflows } from '../../helpers/documents/exported-workflows.ts';
import { openWorkflows } from '../../helpers/jobs/workflows-service.ts';
import { sentJson } from '../../helpers/json.ts';
import { lawRuns, sampled } from '../../helpers/long.ts';
import { failure, onError, revert, runs, success, task, workflowOf } from '../../helpers/workflows.ts';

const { callerWith, create, detailed, done, owned, project, read, send } = await openWorkflows();

const IMPORT = '/workflow_builder/import';
const IMPORTS = '/automation-studio/automations/import';
let counter = 0;
const fresh = (word = 'moved') => `${word} ${counter++}`;
const exported = (options: object) => done<Workflow>('POST', '/workflow_builder/export', { options });
const remove = (name: string) =>
  done('DELETE', `/workflow_builder/workflows/delete/${encodeURIComponent(name)}`);

test('an import keeps id, stamps, authors and unknown properties', async () => {
  const given = workflowOf(
    fresh(),
    { a1: task('delay', { time: 1 }, {}, { mood: 'calm' }) },
    {
      _id: randomUUID(),
      created: '2001-02-03T04:05:06.789Z',
      last_updated: '2002-02-03T04:05:06.789Z',
      created_by: '65f0c1d2e3a4b5c6d7e8f998',
      colour: 'teal',
    },
  );
  const answer = await done('POST', IMPORT, { workflow: given });
  expect(answer).toMatchObject(given);
  expect((await detailed(given.name)).json).toEqual(answer);
});

test('an id that is taken or no id at all is replaced, and so is a stamp from the future', async () => {
  const stored = await create(workflowOf(fresh()));
  for (const _id of [stored._id, 'not an id']) {
    const given = workflowOf(fresh(), {}, { _id, last_updated: '2999-02-03T04:05:06.789Z' });
    const answer = await done<Workflow>('POST', IMPORT, { workflow: given });
    expect(answer._id).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer._id).not.toBe(_id);
    expect(answer.last_updated?.startsWith('2999')).toBe(false);
  }
});

test('one workflow is answered bare, several as a list; those of one import may name each other', async () => {
  const [alone, one, two] = [fresh(), fresh(), fresh()];
  expect(await done('POST', IMPORTS, { automations: [workflowOf(alone)] })).toMatchObject({ name: alone });
  const given = [workflowOf(one, { a1: runs(two) }), workflowOf(two)];
  const { imported } = await done<{ imported: { success: boolean; original: object; created: Workflow }[] }>(
    'POST',
    IMPORTS,
    { automations: given },
  );
  expect(imported.map(({ original }) => original)).toEqual(given);
  expect(imported.map(({ created }) => created.errors)).toEqual([[], []]);
  expect((await send('DELETE', `/workflow_builder/workflows/delete/${encodeURIComponent(two)}`)).status).toBe(
    409,
  );
});

test('a taken name rejects the whole import, by either path and also within it', async () => {
  const stored = await create(workflowOf(fresh()));
  const other = fresh();
  const message = `workflow with name \`${stored.name}\` already exists`;
  expect(await send('POST', IMPORT, { workflow: workflowOf(stored.name) })).toMatchObject({
    status: 409,
    json: { message },
  });
  const both = await send('POST', IMPORTS, { automations: [workflowOf(other), workflowOf(stored.name)] });
  expect(both).toMatchObject({ status: 409, json: { message } });
  expect(issuesOf(both)).toEqual([`automations.1.name: ${message}`]);
  expect((await detailed(other)).status).toBe(404);
  expect((await send('POST', IMPORTS, { automations: [workflowOf(other), workflowOf(other)] })).status).toBe(
    409,
  );
});

test('an invalid graph rejects the whole import; an empty import is rejected', async () => {
  const other = fresh();
  const answer = await send('POST', IMPORTS, {
    automations: [workflowOf(other), workflowOf(fresh(), { Q: task('delay') })],
  });
  expect(answer.status).toBe(400);
  expect(issuesOf(answer).join()).toContain('automations.1.tasks.Q');
  expect((await detailed(other)).status).toBe(404);
  expect((await send('POST', IMPORTS, { automations: [] })).status).toBe(400);
});

test('the same import twice at the same moment is stored once', async () => {
  const workflow = workflowOf(fresh(), {}, { _id: randomUUID() });
  const answers = await Promise.all([1, 2, 3].map(() => send('POST', IMPORT, { workflow })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
});

test('a workflow that was exported from a project becomes a global one, unless that name is taken', async () => {
  const projectId = await project(['designer']);
  const inside = await owned(projectId, fresh());
  const taken = await send('POST', IMPORT, { workflow: await exported({ name: inside.name }) });
  expect(taken.status).toBe(409);
  const bare = fresh();
  const answer = await done('POST', IMPORT, {
    workflow: workflowOf(
      `@65f0c1d2e3a4b5c6d7e8f901: ${bare}`,
      {},
      { namespace: { type: 'project', _id: 'p' } },
    ),
  });
  expect(answer).toMatchObject({ name: bare });
  expect(answer).not.toHaveProperty('namespace');
});

test('an export names its authors in full, and leaves out how it is stored here', async () => {
  const created = await create(workflowOf(fresh(), {}, { encodingVersion: 1 }));
  const { caller } = await callerWith('admin');
  const author = { _id: caller.id, username: caller.username, provenance: 'local', missing: false };
  const { encodingVersion: _, ...rest } = created;
  const whole = { ...rest, created_by: author, last_updated_by: author };
  expect(await exported({ name: created.name })).toEqual(whole);
  expect(await exported({ _id: created._id })).toEqual(whole);
  expect(await exported({ _id: created._id, name: created.name })).toEqual(whole);
});

test('an unknown author is reported as missing, in full where the file names the account in full', async () => {
  const name = fresh();
  await done('POST', IMPORT, {
    workflow: workflowOf(
      name,
      {},
      { created_by: '65f0c1d2e3a4b5c6d7e8f999', last_updated_by: { username: 'lee' } },
    ),
  });
  expect(await exported({ name })).toMatchObject({
    created_by: { _id: '65f0c1d2e3a4b5c6d7e8f999', username: null, missing: true },
    last_updated_by: { username: 'lee' },
  });
});

test.each([
  [{}, 400],
  [{ name: 'not there' }, 404],
  [{ _id: 'not there' }, 404],
  [{ name: 'a', more: 1 }, 400],
])('an export of %j is %i', async (options, status) => {
  expect((await send('POST', '/workflow_builder/export', { options })).status).toBe(status);
});

test('an export accepts the type that clients name beside the workflow', async () => {
  const { name } = await create(workflowOf(fresh()));
  expect(await exported({ name, type: 'automation' })).toMatchObject({ name });
});

test('an export is what both ids say, or nothing; and only what the caller may see', async () => {
  const [one, other] = [await create(workflowOf(fresh())), await create(workflowOf(fresh()))];
  const both = { _id: one._id, name: other.name };
  expect((await send('POST', '/workflow_builder/export', { options: both })).status).toBe(404);
  const hidden = await owned(await project(['designer']), fresh());
  const options = { name: hidden.name };
  expect((await send('POST', '/workflow_builder/export', { options }, { as: 'support' })).status).toBe(404);
});

const key = fc.stringMatching(/^[0-9a-f]{1,4}$/);
const json = sentJson();
const stray = fc.dictionary(fc.stringMatching(/^x[a-z]{1,6}$/), json, { maxKeys: 3 });
const anyTask = fc
  .record({
    name: fc.constantFrom('delay', 'query', 'childJob', 'fly'),
    incoming: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), json, { maxKeys: 3 }),
    more: stray,
  })
  .map(({ name, incoming, more }) => task(name, incoming, { a: '$var.job.b' }, more));
const workflow = fc
  .record({
    tasks: fc.dictionary(key, anyTask, { maxKeys: 5 }),
    more: stray,
    edges: fc.array(
      fc.tuple(fc.nat(), fc.nat(), fc.constantFrom(success, failure, onError, revert('success'))),
      { maxLength: 8 },
    ),
    description: fc.option(fc.string({ unit: 'grapheme', maxLength: 20 })),
  })
  .map(({ tasks, more, edges, description }) => {
    const made = workflowOf(fresh('law'), tasks, { ...more, description });
    const ids = Object.keys(made.tasks);
    for (const [from, to, edge] of edges) {
      const [a, b] = [ids[from % ids.length] ?? '', ids[to % ids.length] ?? ''];
      made.transitions[a] = { ...made.transitions[a], [b]: edge };
    }
    return made;
  });

test('law: an import and an export of the same workflows are inverse to each other', async () => {
  await fc.assert(
    fc.asyncProperty(workflow, async (generated) => {
      const given = JSON.parse(JSON.stringify(generated)) as Workflow;
      await done('POST', IMPORT, { workflow: given });
      const out = await exported({ name: given.name });
      expect(out).toMatchObject(given);
      await remove(given.name);
      await done('POST', IMPORT, { workflow: out });
      expect(await exported({ name: given.name })).toEqual(out);
      await remove(given.name);
    }),
    lawRuns(40),
  );
});

const real = sampled(exportedWorkflows(), 10);

test.skipIf(real.length === 0)(
  'real workflows are imported, reported with their errors, and exported unchanged',
  async () => {
    for (const { workflow: given } of real) {
      await done('POST', IMPORT, { workflow: given });
      const { errors: _, warnings: __, ...out } = await exported({ name: given.name });
      expect(out).toMatchObject(given as object);
      expect((await read(given.name)).errors).toBeInstanceOf(Array);
      await send('DELETE', `/workflow_builder/workflows/delete/${encodeURIComponent(given.name)}`);
    }
  },
);
