import { expect, test } from 'vitest';
import { task, workflow } from '../helpers/documents/assets.ts';
import { body, input, method, result } from '../helpers/documents/transformations.ts';
import { issuePathsOf, NOBODY, rejectionOf, rolesThatMay, unique } from '../helpers/procedures.ts';
import { openStudio } from '../helpers/studio.ts';

const service = await openStudio();
const { transformations, automationStudio } = await service.as('admin');

const length = method(1, 'Array.length', [input('ports')]);
/** Counts `ports`, and passes `site` on. */
const COUNT = body({ ports: { type: 'array' }, site: { type: 'string', default: 'lab' } }, [length], {
  count: result(length),
  site: input('site'),
});
const create = (doc: object = COUNT) =>
  transformations.createTransformation({
    transformation: { name: unique('Count ports'), ...doc } as never,
  });
const run = async (doc: object, incoming: Record<string, unknown>, options?: object) =>
  transformations.runTransformation({ id: (await create(doc))._id, incoming, ...(options && { options }) });

test('a transformation keeps unknown fields, and is read with its authors written out', async () => {
  const created = await create({ ...COUNT, _id: NOBODY, created: 1, oddity: { kept: null } });
  expect(created._id).not.toBe(NOBODY);
  expect(created).toMatchObject({ oddity: { kept: null } });
  const { caller } = await service.callerWith('admin');
  const actor = { _id: caller.id, provenance: 'local', username: caller.username, missing: false };
  const support = await service.as('support');
  expect(await support.transformations.getTransformation({ id: created._id })).toEqual({
    ...created,
    createdBy: actor,
    lastUpdatedBy: actor,
  });
  expect(await rejectionOf(transformations.getTransformation({ id: NOBODY }))).toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('all mistakes in its structure are reported together', async () => {
  const fn = (change: object) => ({ id: 'f', name: 'f', functions: [], ...change });
  const { issues } = await rejectionOf(
    create({
      incoming: [{ $id: 'a' }, { $id: 'a' }, {}],
      outgoing: [{ $id: '' }],
      functions: [fn({}), fn({ name: 'g' }), { name: 'h', id: 'h', steps: [{ id: 1 }, { id: 1 }] }],
    }),
  );
  expect(issues).toEqual([
    'transformation.incoming.1.$id: "a" occurs twice',
    'transformation.incoming.2.$id: needs a name in $id',
    'transformation.outgoing.0.$id: needs a name in $id',
    'transformation.functions.1.id: "f" occurs twice',
    'transformation.functions.2.functions: needs its own list of functions',
    'transformation.functions.2.steps.1.id: 1 occurs twice',
  ]);
});

test('an update replaces the whole document and keeps its id and its creation', async () => {
  const before = await create({ ...COUNT, oddity: 1 });
  const id = before._id;
  const renamed = await transformations.updateTransformation({ id, update: { name: `${before.name} b` } });
  expect(renamed).toEqual({
    _id: id,
    name: `${before.name} b`,
    created: before.created,
    createdBy: before.createdBy,
    lastUpdated: expect.any(String),
    lastUpdatedBy: before.createdBy,
  });
  const other = await create();
  const clash = transformations.updateTransformation({ id, update: { name: other.name } });
  expect(await rejectionOf(clash)).toMatchObject({
    code: 'CONFLICT',
    message: `Transformation ${other.name} already exists`,
  });
  const missing = transformations.updateTransformation({ id: NOBODY, update: { name: unique('x') } });
  expect(await rejectionOf(missing)).toMatchObject({ code: 'NOT_FOUND' });
});

test('a deletion succeeds twice, but not while a workflow runs the transformation', async () => {
  const free = await create();
  expect(await transformations.deleteTransformation({ id: free._id })).toBeNull();
  expect(await transformations.deleteTransformation({ id: free._id })).toBeNull();
  const used = await create();
  const user = unique('Runs it');
  await service.addWorkflow(workflow(user, [task('transformation', { tr_id: used._id, variableMap: {} })]));
  expect(await rejectionOf(transformations.deleteTransformation({ id: used._id }))).toMatchObject({
    code: 'CONFLICT',
    message: `Transformation ${used.name} is used by workflow ${user}`,
    data: { ids: [used._id] },
  });
});

test('an import keeps a free id, and numbers a taken name', async () => {
  const existing = await create();
  const importing = { transformation: { ...existing, _id: NOBODY } };
  const copy = await transformations.importTransformation(importing);
  expect(copy).toEqual({ ...existing, _id: NOBODY, name: `${existing.name} (1)` });
  const again = await transformations.importTransformation(importing);
  expect(again.name).toBe(`${existing.name} (2)`);
  expect(again._id).not.toBe(NOBODY);
});

test('lists are filtered, sorted and paged, and count what they find', async () => {
  const prefix = unique('Listed');
  await create({ ...COUNT, name: `${prefix} alpha` });
  await create({ ...COUNT, name: `${prefix} beta` });
  const list = (queryOptions: object) => transformations.listTransformations({ queryOptions });
  const found = await list({
    startsWith: prefix.toLowerCase(),
    startsWithField: 'name',
    sort: 'name',
    order: -1,
    limit: 1,
  });
  expect(found).toMatchObject({ total: 2, results: [{ name: `${prefix} beta` }] });
  expect(await list({ equals: prefix, equalsField: 'name' })).toEqual({ results: [], total: 0 });
  for (const wrong of [{ equals: 'x' }, { include: 'name' }, { sort: 'oddity' }]) {
    expect(await rejectionOf(list(wrong)), JSON.stringify(wrong)).toMatchObject({ code: 'BAD_REQUEST' });
  }
});

test('a stored transformation runs on the inputs of the call', async () => {
  const incoming = { ports: ['a', 'b'] };
  expect(await run(COUNT, incoming)).toEqual({ count: 2 });
  const options = { revertToDefaultValue: true, extractOutput: true };
  expect(await run(COUNT, incoming, options)).toEqual({ count: 2, site: 'lab' });
});

test('the only output can be returned alone, whatever it is', async () => {
  const pass = body(['a'], [], { out: input('a') });
  expect(await run(pass, { a: 'text' }, { extractOutput: true })).toBe('text');
  expect(await run(pass, { a: [1] }, { extractOutput: true })).toEqual([1]);
  expect(await run(pass, {}, { extractOutput: true })).toBe(null);
  expect(await run(pass, {})).toEqual({});
});

test('a step that fails is named', async () => {
  const name = unique('Count nothing');
  const message = `transformation "${name}": step 1 (Array.length): a value is expected as argument 0, found null`;
  expect(await rejectionOf(run({ ...COUNT, name }, { ports: null }))).toMatchObject({
    code: 'BAD_REQUEST',
    message,
    issues: [`transformation: ${message}`],
  });
});

test('inputs that do not fit their schemas are rejected together, when they are to be checked', async () => {
  const wrong = { ports: 'a', site: 5 };
  expect(await issuePathsOf(run(COUNT, wrong, { validateIncoming: true }))).toEqual([
    'incoming.ports',
    'incoming.site',
  ]);
});

test('a draft that cannot run is stored, and its run says why', async () => {
  const draft = body([], [method(1, 'Array.shuffle', []), method(2, 'Text.upper', [])], {});
  expect((await rejectionOf(run(draft, {}))).issues).toEqual([
    'transformation.steps.0.method: the method Array.shuffle is not known',
    'transformation.steps.1.method: the method Text.upper is not known',
  ]);
});

test('a workflow lists a transformation that cannot run among its errors, until it can', async () => {
  const { _id: id, name } = await create(body([], [method(1, 'Array.shuffle', [])], {}));
  const { created } = await automationStudio.createWorkflow({
    automation: workflow(unique('Shuffles'), [task('transformation', { tr_id: id })]) as never,
  });
  const fault = `variables.incoming.tr_id: transformation ${id} cannot run: steps.0.method: the method Array.shuffle is not known`;
  const messages = (errors: { message?: string | undefined }[] = []) => errors.map(({ message }) => message);
  expect(messages(created.errors)).toContain(fault);
  await transformations.updateTransformation({ id, update: { ...COUNT, name } });
  const now = await automationStudio.getWorkflow({ name: created.name });
  expect(messages(now.errors)).not.toContain(fault);
});

test('operators run transformations, designers also write them', async () => {
  expect(
    await rolesThatMay(service, (as) => as.transformations.runTransformation({ id: NOBODY, incoming: {} })),
  ).toEqual(['admin', 'apiread', 'designer', 'engineering', 'support']);
  expect(
    await rolesThatMay(service, (as) => as.transformations.deleteTransformation({ id: NOBODY })),
  ).toEqual(['admin', 'apiwrite', 'designer']);
});
