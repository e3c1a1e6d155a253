import { expect, test } from 'vitest';
import { task, workflow } from '../helpers/documents/assets.ts';
import { issuePathsOf, NOBODY, rejectionOf, rolesThatMay, unique } from '../helpers/procedures.ts';
import { openStudio } from '../helpers/studio.ts';

const service = await openStudio();
const { jsonForms, operationsManager } = await service.as('admin');

const sent = (change: object = {}) => ({
  name: unique('Maintenance window'),
  description: 'Asks when',
  struct: { type: 'object', items: [{ nodeId: 'n1', type: 'text' }] },
  schema: { type: 'object', properties: { start: { type: 'string' } } },
  uiSchema: {},
  bindingSchema: {},
  validationSchema: {},
  ...change,
});
const create = async (change: object = {}) => (await jsonForms.createForm({ form: sent(change) })).doc;

test('a form has its id under both names, its author by username, and keeps unknown fields', async () => {
  const { status, n, doc } = await jsonForms.createForm({
    form: sent({ id: NOBODY, _id: 'x', oddity: [1] }),
  });
  const { caller } = await service.callerWith('admin');
  expect({ status, n }).toEqual({ status: 'success', n: 1 });
  expect(doc).toMatchObject({ oddity: [1], createdBy: caller.username, _id: doc.id });
  expect(doc.id).not.toBe(NOBODY);
  const engineer = await service.as('engineering');
  expect(await engineer.jsonForms.getForm({ id: doc.id })).toEqual(doc);
  expect(await jsonForms.getForm({ id: doc.name })).toEqual(doc);
  expect(await jsonForms.listForms({})).toContainEqual(doc);
});

test('a form that does not exist is named in the message', async () => {
  const missing = { code: 'NOT_FOUND', message: `JSON form ${NOBODY} does not exist` };
  expect(await rejectionOf(jsonForms.getForm({ id: NOBODY }))).toMatchObject(missing);
  expect(await rejectionOf(jsonForms.updateForm({ id: NOBODY, options: sent() }))).toMatchObject(missing);
});

test('a taken name is rejected in the words that clients compare', async () => {
  const [one, other] = [await create(), await create()];
  const conflict = { code: 'CONFLICT', message: 'JSON form with this name already exists' };
  expect(await rejectionOf(jsonForms.createForm({ form: sent({ name: one.name }) }))).toMatchObject(conflict);
  expect(
    await rejectionOf(jsonForms.updateForm({ id: one.id, options: sent({ name: other.name }) })),
  ).toMatchObject(conflict);
});

test.each<[object, string]>([
  [{ name: '' }, 'form.name'],
  [{ name: 5 }, 'form.name'],
  [{ schema: [] }, 'form.schema'],
  [{ name: `@${NOBODY}: mine` }, 'form.name'],
])('a form with %j is rejected', async (change, path) => {
  expect(await issuePathsOf(create(change))).toContain(path);
});

test('an update replaces the whole form and keeps its id and its creation', async () => {
  const before = await create({ oddity: 1 });
  const { doc } = await jsonForms.updateForm({
    id: before.id,
    options: { name: before.name, id: 'x' } as never,
  });
  expect(Object.keys(doc).sort()).toEqual(
    ['_id', 'created', 'createdBy', 'id', 'lastUpdated', 'lastUpdatedBy', 'name'].sort(),
  );
  expect(doc).toMatchObject({ id: before.id, _id: before.id, created: before.created });
});

test('forms are deleted together, or none of them while one is used', async () => {
  const [used, free] = [await create(), await create()];
  const user = unique('Asks');
  await service.addWorkflow(workflow(user, [task('ShowJSONForm', { formId: used.id })]));
  expect(await rejectionOf(jsonForms.deleteForms({ ids: [free.id, used.id] }))).toMatchObject({
    code: 'CONFLICT',
    data: { ids: [used.id], usedBy: [{ kind: 'workflow', name: user, target: used.id }] },
  });
  expect(await jsonForms.getForm({ id: free.id })).toEqual(free);
  expect(await jsonForms.deleteForms({ ids: [free.id, NOBODY] })).toEqual({ status: 'success', n: 1 });
  expect(await jsonForms.deleteForms({ ids: [free.id] })).toEqual({ status: 'success', n: 0 });
});

test('a form that a trigger shows cannot be deleted', async () => {
  const { id, name } = await create();
  const { data } = await operationsManager.createAutomation({
    automation: { name: unique('Nightly'), componentType: 'workflows' },
  });
  const trigger = { name: 'By hand', type: 'manual' as const, actionId: data._id, formId: id };
  await operationsManager.createTrigger({ trigger });
  expect(await rejectionOf(jsonForms.deleteForms({ ids: [id] }))).toMatchObject({
    code: 'CONFLICT',
    message: `JSON form ${name} is used by trigger By hand`,
    data: { ids: [id] },
  });
});

test('an import reports the outcome of each form; a taken name gets a number', async () => {
  const existing = await create();
  const free = '65a0000000000000000000f1';
  const fresh = unique('Fresh');
  const answer = await jsonForms.importForms({
    forms: [{ ...existing }, sent({ id: free, name: fresh }) as never],
  });
  expect(answer).toMatchObject({
    message: 'Imported 2 JSON forms',
    status: 'success',
    imported: [
      { success: true, original: { name: existing.name }, created: { name: `${existing.name} (1)` } },
      {
        success: true,
        message: `Imported JSON form ${fresh}`,
        created: { _id: free, id: free, name: fresh },
      },
    ],
  });
  expect(answer.imported[0]?.created._id).not.toBe(existing.id);
  expect(await issuePathsOf(jsonForms.importForms({ forms: [sent(), sent({ name: '' })] as never }))).toEqual(
    ['forms.1.name'],
  );
});

test('data is checked against a given schema, and every part that does not fit is reported', async () => {
  const schema = {
    type: 'object',
    required: ['site'],
    properties: {
      site: { type: 'string' },
      vlans: { type: 'array', items: { type: 'integer', maximum: 4094 } },
    },
  };
  expect(await jsonForms.validateData({ schema, data: { site: 'lab', vlans: [1] } })).toEqual({
    isValid: true,
    errors: [],
  });
  const { isValid, errors } = await jsonForms.validateData({ schema, data: { vlans: [1, 5000] } });
  expect(isValid).toBe(false);
  expect(errors.map(({ path }) => path)).toEqual(expect.arrayContaining([['site'], ['vlans', 1]]));
});

test('data is checked against both schemas of a form', async () => {
  const form = await create({
    schema: { type: 'object', required: ['start'] },
    validationSchema: { type: 'object', required: ['end'] },
  });
  expect(await jsonForms.validateForm({ id: form.id, data: {} })).toMatchObject({
    isValid: false,
    errors: [{ path: ['start'] }, { path: ['end'] }],
  });
  const broken = await create({ schema: { $ref: '#/nowhere' } });
  expect(await rejectionOf(jsonForms.validateForm({ id: broken.id, data: {} }))).toMatchObject({
    code: 'UNPROCESSABLE_CONTENT',
  });
  expect(await rejectionOf(jsonForms.validateForm({ id: NOBODY, data: {} }))).toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('operators and support engineers read forms, designers also write them', async () => {
  expect(await rolesThatMay(service, (as) => as.jsonForms.getForm({ id: NOBODY }))).toEqual([
    'admin',
    'apiread',
    'designer',
    'engineering',
    'support',
  ]);
  expect(await rolesThatMay(service, (as) => as.jsonForms.deleteForms({ ids: [NOBODY] }))).toEqual([
    'admin',
    'apiwrite',
    'designer',
  ]);
});
