import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import type { Form } from '#db/schemas/assets/form.ts';
import { task, workflow } from '../../helpers/assets.ts';
import { issuesOf } from '../../helpers/configuration.ts';
import { openStudio } from '../../helpers/studio.ts';

const { send, done, db, addWorkflow, callerWith } = await openStudio();

const PATH = '/json-forms/forms';
const NOBODY = '65a000000000000000000000';

let counter = 0;
const sent = (change: object = {}) => ({
  name: `Maintenance window ${counter++}`,
  description: 'Asks when',
  struct: { type: 'object', items: [{ nodeId: 'n1', type: 'text' }] },
  schema: { type: 'object', properties: { start: { type: 'string' } } },
  uiSchema: {},
  bindingSchema: {},
  validationSchema: {},
  ...change,
});
type Written = { status: string; n: number; doc: Form & { _id: string } };
const create = async (change: object = {}) => (await done<Written>('POST', PATH, sent(change))).doc;

test('a form is its own body, has its id under both names, and its author by username', async () => {
  const answer = await done<Written>('POST', PATH, sent({ id: NOBODY, _id: 'x', oddity: [1] }));
  const { caller } = await callerWith('admin');
  expect(answer).toMatchObject({ status: 'success', n: 1, doc: { oddity: [1], createdBy: caller.username } });
  const { doc } = answer;
  expect(doc._id).toBe(doc.id);
  expect(doc.id).not.toBe(NOBODY);
  expect(await done('GET', `${PATH}/${doc.id}`, undefined, { as: 'engineering' })).toEqual(doc);
  expect(await done<Form[]>('GET', PATH)).toContainEqual(doc);
  expect((await send('GET', `${PATH}/${NOBODY}`)).json).toMatchObject({
    message: `JSON form ${NOBODY} does not exist`,
  });
});

test('a taken name is refused in the words that clients know', async () => {
  const [one, other] = [await create(), await create()];
  const conflict = { status: 409, json: { message: 'JSON form with this name already exists' } };
  expect(await send('POST', PATH, sent({ name: one.name }))).toMatchObject(conflict);
  expect(await send('PUT', `${PATH}/${one.id}`, { options: sent({ name: other.name }) })).toMatchObject(
    conflict,
  );
});

test.each<[object, string]>([
  [{ name: '' }, 'form.name'],
  [{ name: 5 }, 'form.name'],
  [{ schema: [] }, 'form.schema'],
  [{ name: `@${NOBODY}: mine` }, 'form.name'],
])('a form with %j is refused', async (change, told) => {
  const answer = await send('POST', PATH, sent(change));
  expect(answer.status).toBe(400);
  expect(issuesOf(answer)[0]).toContain(told);
});

test('an update writes the form anew, wrapped or bare', async () => {
  const before = await create({ oddity: 1 });
  const wrapped = await done<Written>('PUT', `${PATH}/${before.id}`, {
    options: { name: before.name, id: 'x' },
  });
  expect(Object.keys(wrapped.doc).sort()).toEqual(
    ['_id', 'created', 'createdBy', 'id', 'lastUpdated', 'lastUpdatedBy', 'name'].sort(),
  );
  expect(wrapped.doc).toMatchObject({ id: before.id, _id: before.id, created: before.created });
  const bare = await done<Written>('PUT', `${PATH}/${before.id}`, { ...before, description: 'bare' });
  expect(bare.doc).toEqual({ ...before, description: 'bare', lastUpdated: bare.doc.lastUpdated });
  const stale = { ifMatch: `"${before.lastUpdated}"` };
  expect((await send('PUT', `${PATH}/${before.id}`, before, stale)).status).toBe(409);
  expect((await send('PUT', `${PATH}/${NOBODY}`, before)).status).toBe(404);
});

test('forms are deleted together, or none of them while one is used', async () => {
  const [used, free] = [await create(), await create()];
  await addWorkflow(workflow('Asks', [task('ShowJSONForm', { formId: used.id })]));
  const answer = await send('DELETE', PATH, { ids: [free.id, used.id] });
  expect(answer).toMatchObject({
    status: 409,
    json: { data: { ids: [used.id], usedBy: [{ kind: 'workflow', name: 'Asks', target: used.id }] } },
  });
  expect((await send('GET', `${PATH}/${free.id}`)).status).toBe(200);
  expect(await done('DELETE', PATH, { ids: [free.id, NOBODY] })).toEqual({ status: 'success', n: 1 });
  expect(await done('DELETE', `${PATH}?ids=${free.id}`)).toEqual({ status: 'success', n: 0 });
  expect((await send('DELETE', PATH, {})).status).toBe(400);
});

test('a form that a trigger shows stays', async () => {
  const { id, name } = await create();
  await rows(db, sql`insert into automations (id, doc) values ('a1', '{"name": "Nightly"}'::jsonb)`);
  await rows(
    db,
    sql`insert into triggers (id, doc, action_id) values ('t1', '{"name": "By hand", "type": "manual"}'::jsonb, 'a1')`,
  );
  await rows(
    db,
    sql`insert into asset_references (source_kind, source_id, target_kind, target_id)
        values ('trigger', 't1', 'jsonForm', ${id})`,
  );
  expect(await send('DELETE', PATH, { ids: [id] })).toMatchObject({
    status: 409,
    json: { message: `JSON form ${name} is used by trigger By hand`, data: { ids: [id] } },
  });
});

test('an import answers what each became; a taken name gets a number', async () => {
  const there = await create();
  const free = '65a0000000000000000000f1';
  const answer = await done<{ imported: { created: { _id: string } }[] }>(
    'POST',
    '/json-forms/import/forms',
    {
      forms: [{ ...there }, sent({ id: free, name: 'Fresh' })],
    },
  );
  expect(answer).toMatchObject({
    message: 'Imported 2 JSON forms',
    status: 'success',
    imported: [
      { success: true, original: { name: there.name }, created: { name: `${there.name} (1)` } },
      { success: true, message: 'Imported JSON form Fresh', created: { _id: free, id: free, name: 'Fresh' } },
    ],
  });
  expect(answer.imported[0]?.created._id).not.toBe(there.id);
  const refused = await send('POST', '/json-forms/import/forms', { forms: [sent(), sent({ name: '' })] });
  expect(issuesOf(refused)[0]).toContain('forms.1.name');
});

test('data is held against a schema that is given, and everything that does not fit is told', async () => {
  const schema = {
    type: 'object',
    required: ['site'],
    properties: {
      site: { type: 'string' },
      vlans: { type: 'array', items: { type: 'integer', maximum: 4094 } },
    },
  };
  const validate = (data: unknown) =>
    done('POST', '/json-forms/validate-data', { schema, data }, { as: 'support' });
  expect(await validate({ site: 'oslo', vlans: [1] })).toEqual({ isValid: true, errors: [] });
  expect(await validate({ vlans: [1, 5000] })).toMatchObject({
    isValid: false,
    errors: [
      { path: ['site'], code: 'required' },
      { path: ['vlans', 1], code: 'maximum' },
    ],
  });
  for (const body of [{ schema: { type: 5 }, data: {} }, { schema: 5, data: {} }, { data: {} }]) {
    expect((await send('POST', '/json-forms/validate-data', body)).status, JSON.stringify(body)).toBe(400);
  }
});

test('data is held against both schemas of a form; one that cannot be used is told', async () => {
  const form = await create({
    schema: { type: 'object', required: ['start'] },
    validationSchema: { type: 'object', required: ['end'] },
  });
  const answer = await done('POST', `/json-forms/validate-form/${form.id}`, { data: {} });
  expect(answer).toMatchObject({ isValid: false, errors: [{ path: ['start'] }, { path: ['end'] }] });
  const broken = await create({ schema: { $ref: '#/nowhere' } });
  expect((await send('POST', `/json-forms/validate-form/${broken.id}`, { data: {} })).status).toBe(422);
  expect((await send('POST', `/json-forms/validate-form/${NOBODY}`, { data: {} })).status).toBe(404);
});
