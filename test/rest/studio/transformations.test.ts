import { expect, test } from 'vitest';
import type { Transformation } from '#db/schemas/workflow/transformation.ts';
import { task, workflow } from '../../helpers/assets.ts';
import { issuesOf } from '../../helpers/configuration.ts';
import { openStudio } from '../../helpers/studio.ts';

const { send, done, addWorkflow, callerWith } = await openStudio();

const PATH = '/transformations';
const NOBODY = '65a000000000000000000000';

let counter = 0;
const sent = (change: object = {}) => ({
  name: `Summarise ports ${counter++}`,
  description: 'Counts them',
  incoming: [{ $id: 'ports', type: 'array' }],
  outgoing: [{ $id: 'count', type: 'number' }],
  steps: [
    { id: 1, type: 'method', library: 'Array', method: 'length', args: [null] },
    {
      id: 2,
      type: 'assign',
      from: { location: 'incoming', name: 'ports', ptr: '' },
      to: { location: 'method', name: 1, ptr: '/args/0/value' },
    },
  ],
  functions: [],
  comments: [],
  view: { row: 4, col: 6 },
  ...change,
});
const create = (change: object = {}) => done<Transformation>('POST', PATH, sent(change));

test('a transformation is its own body, and is read with its authors written out', async () => {
  const created = await create({ _id: NOBODY, created: 1, oddity: { kept: null } });
  expect(created._id).not.toBe(NOBODY);
  expect(created).toMatchObject({ view: { row: 4, col: 6 }, oddity: { kept: null } });
  const { caller } = await callerWith('admin');
  const actor = { _id: caller.id, provenance: 'local', username: caller.username, missing: false };
  expect(await done('GET', `${PATH}/${created._id}`, undefined, { as: 'support' })).toEqual({
    ...created,
    createdBy: actor,
    lastUpdatedBy: actor,
  });
  expect((await send('GET', `${PATH}/${NOBODY}`)).status).toBe(404);
});

test('a taken name is 409, with the members that clients of this endpoint read', async () => {
  const { name } = await create();
  const { status, json } = await send('POST', PATH, { name });
  const message = `Transformation ${name} already exists`;
  expect(status).toBe(409);
  expect(json).toEqual({
    code: 'CONFLICT',
    message,
    requestId: expect.any(String),
    apiVersion: '1',
    method: 'transformations.create',
    error: { code: 400, message, errors: null },
  });
});

const fn = (change: object) => ({ id: 'f', name: 'f', functions: [], ...change });

test('everything that is wrong with its structure is told at once', async () => {
  const answer = await send(
    'POST',
    PATH,
    sent({
      incoming: [{ $id: 'a' }, { $id: 'a' }, {}],
      outgoing: [{ $id: '' }],
      functions: [fn({}), fn({ name: 'g' }), { name: 'h', id: 'h', steps: [{ id: 1 }, { id: 1 }] }],
    }),
  );
  expect(answer.status).toBe(400);
  expect(issuesOf(answer)).toEqual([
    'transformation.incoming.1.$id: "a" is there twice',
    'transformation.incoming.2.$id: needs a name in $id',
    'transformation.outgoing.0.$id: needs a name in $id',
    'transformation.functions.1.id: "f" is there twice',
    'transformation.functions.2.functions: needs its own list of functions',
    'transformation.functions.2.steps.1.id: 1 is there twice',
  ]);
  expect((await send('POST', PATH, { incoming: 5 })).status).toBe(400);
});

test('an update writes the document anew, bare or wrapped', async () => {
  const before = await create({ oddity: 1 });
  const bare = await done<Transformation>('PUT', `${PATH}/${before._id}`, { name: `${before.name} b` });
  expect(bare).toEqual({
    _id: before._id,
    name: `${before.name} b`,
    created: before.created,
    createdBy: before.createdBy,
    lastUpdated: expect.any(String),
    lastUpdatedBy: before.createdBy,
  });
  const update = sent({ name: before.name, _id: NOBODY });
  const wrapped = await done<Transformation>('PUT', `${PATH}/${before._id}`, { update });
  expect(wrapped).toMatchObject({ ...update, _id: before._id, created: before.created });
  const stale = { ifMatch: `"${bare.lastUpdated}"` };
  expect((await send('PUT', `${PATH}/${before._id}`, update, stale)).status).toBe(409);
  expect((await send('DELETE', `${PATH}/${before._id}`, undefined, stale)).status).toBe(409);
  expect((await send('PUT', `${PATH}/${NOBODY}`, update)).status).toBe(404);
  const other = await create();
  expect((await send('PUT', `${PATH}/${before._id}`, { name: other.name })).status).toBe(409);
});

test('a deletion is 204 without a body, also of what is not there', async () => {
  const { _id } = await create();
  for (const id of [_id, _id, 'no id']) {
    const answer = await send('DELETE', `${PATH}/${encodeURIComponent(id)}`);
    expect(answer).toMatchObject({ status: 204, text: '' });
  }
  expect((await send('GET', `${PATH}/${_id}`)).status).toBe(404);
});

test('a transformation that a workflow runs stays', async () => {
  const { _id, name } = await create();
  await addWorkflow(workflow('Runs it', [task('transformation', { tr_id: _id, variableMap: {} })]));
  expect(await send('DELETE', `${PATH}/${_id}`)).toMatchObject({
    status: 409,
    json: { message: `Transformation ${name} is used by workflow Runs it`, data: { ids: [_id] } },
  });
});

test('an import keeps what is free, and gets a number where its name is taken', async () => {
  const there = await create();
  const copy = await done<Transformation>('POST', `${PATH}/import`, { ...there, _id: NOBODY });
  expect(copy).toEqual({ ...there, _id: NOBODY, name: `${there.name} (1)` });
  const again = await done<Transformation>('POST', `${PATH}/import`, { ...there, _id: NOBODY });
  expect(again.name).toBe(`${there.name} (2)`);
  expect(again._id).not.toBe(NOBODY);
  expect((await send('POST', `${PATH}/import`, sent({ functions: [{}] }))).status).toBe(400);
});

test('lists are filtered in pairs, and total what they find', async () => {
  await create({ name: 'Listed alpha' });
  await create({ name: 'Listed beta' });
  const list = (query: string) =>
    done<{ results: Transformation[]; total: number }>('GET', `${PATH}?${query}`);
  const found = await list('startsWith=listed&startsWithField=name&sort=name&order=-1&limit=1');
  expect(found).toMatchObject({ total: 2, results: [{ name: 'Listed beta' }] });
  expect(await list('equals=listed%20alpha&equalsField=name')).toEqual({ results: [], total: 0 });
  for (const query of ['equals[colour]=x', 'equals=x', 'include=name', 'sort=oddity']) {
    expect((await send('GET', `${PATH}?${query}`)).status, query).toBe(400);
  }
});
