import { expect, test } from 'vitest';
import type { Form } from '#db/schemas/assets/form.ts';
import type { Tag } from '#db/schemas/assets/tag.ts';
import type { Transformation } from '#db/schemas/workflow/transformation.ts';
import { issuesOf } from '../../helpers/configuration.ts';
import { body, input, method, result } from '../../helpers/documents/transformations.ts';
import { NOBODY, unique } from '../../helpers/procedures.ts';
import { openStudio } from '../../helpers/studio.ts';

/* What only the wire of tags, forms and transformations has; test/procedures tests what they do. */

const { send, done } = await openStudio();

const FORMS = '/json-forms/forms';
const TRANSFORMATIONS = '/transformations';

const createForm = async () =>
  (await done<{ doc: Form & { _id: string } }>('POST', FORMS, { name: unique('Form'), schema: {} })).doc;
const createTransformation = (doc: object = {}) =>
  done<Transformation>('POST', TRANSFORMATIONS, { name: unique('Transformation'), ...doc });

test('a tag is updated and deleted only with its latest ETag', async () => {
  const tag = await done<Tag>('POST', '/tags/create', { data: { name: unique('tag') } });
  const etag = async () => (await send('POST', '/tags/get', { id: tag._id })).headers.etag ?? '';
  const ifMatch = await etag();
  const late = { _id: tag._id, data: { name: unique('late') } };
  await done('POST', '/tags/update', { _id: tag._id, data: { description: 'new' } });
  expect((await send('POST', '/tags/update', late, { ifMatch })).status).toBe(409);
  expect((await send('POST', '/tags/delete', { _id: tag._id }, { ifMatch })).status).toBe(409);
  expect((await send('POST', '/tags/update', late, { ifMatch: await etag() })).status).toBe(200);
});

test('a form is its own body, or is in `options`; a stale If-Match is 409', async () => {
  const before = await createForm();
  const path = `${FORMS}/${before.id}`;
  const wrapped = await done<{ doc: Form }>('PUT', path, { options: { name: before.name } });
  expect(wrapped.doc).not.toHaveProperty('schema');
  const bare = await done<{ doc: Form }>('PUT', path, { ...before, description: 'bare' });
  expect(bare.doc).toEqual({ ...before, description: 'bare', lastUpdated: bare.doc.lastUpdated });
  expect((await send('PUT', path, before, { ifMatch: `"${before.lastUpdated}"` })).status).toBe(409);
});

test('the ids of forms to delete are in the body or in the query', async () => {
  const [one, other] = [await createForm(), await createForm()];
  expect(await done('DELETE', FORMS, { ids: [one.id] })).toEqual({ status: 'success', n: 1 });
  expect(await done('DELETE', `${FORMS}?ids=${other.id}`)).toEqual({ status: 'success', n: 1 });
  expect((await send('DELETE', FORMS, {})).status).toBe(400);
});

test('a transformation is its own body, or is in `update`; a stale If-Match is 409', async () => {
  const before = await createTransformation({ oddity: 1 });
  const path = `${TRANSFORMATIONS}/${before._id}`;
  const bare = await done<Transformation>('PUT', path, { name: `${before.name} b` });
  expect(bare).not.toHaveProperty('oddity');
  const update = { name: before.name, view: { row: 4, col: 6 } };
  expect(await done('PUT', path, { update })).toMatchObject({ ...update, _id: before._id });
  const stale = { ifMatch: `"${bare.lastUpdated}"` };
  expect((await send('PUT', path, { update }, stale)).status).toBe(409);
  expect((await send('DELETE', path, undefined, stale)).status).toBe(409);
});

test('a taken name of a transformation is 409, with the fields that clients of this endpoint read', async () => {
  const { name } = await createTransformation();
  const { status, json } = await send('POST', TRANSFORMATIONS, { name });
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

test('deleting a transformation is 204 without a body, also when it does not exist', async () => {
  const { _id } = await createTransformation();
  for (const id of [_id, _id, 'no id']) {
    const answer = await send('DELETE', `${TRANSFORMATIONS}/${encodeURIComponent(id)}`);
    expect(answer).toMatchObject({ status: 204, text: '' });
  }
});

test('the inputs of a run are in `incoming`, or are the body themselves', async () => {
  const length = method(1, 'Array.length', [input('ports')]);
  const { _id } = await createTransformation(
    body({ ports: { type: 'array' } }, [length], { count: result(length) }),
  );
  const ports = ['a', 'b'];
  for (const sent of [{ incoming: { ports } }, { ports }])
    expect(await done('POST', `${TRANSFORMATIONS}/${_id}`, sent)).toEqual({ count: 2 });
});

test('inputs may have the names of fields and of the path', async () => {
  const { _id } = await createTransformation(
    body(['id', 'options'], [], { id: input('id'), o: input('options') }),
  );
  const path = `${TRANSFORMATIONS}/${_id}`;
  expect(await done('POST', path, { id: 7, options: [1] })).toEqual({ id: 7, o: [1] });
  expect(await done('POST', path, { incoming: { id: 8 } })).toEqual({ id: 8 });
});

test.each<[string, unknown, string[]]>([
  ['a list', [1], [': expected an object']],
  [
    'a flag that is no boolean',
    { incoming: {}, options: { extractOutput: 'yes' } },
    ['options.extractOutput'],
  ],
  ['inputs that are no object', { incoming: 7 }, ['incoming']],
])('a run with %s is 400', async (_, sent, starts) => {
  const answer = await send('POST', `${TRANSFORMATIONS}/${NOBODY}`, sent);
  expect(answer.status).toBe(400);
  expect(issuesOf(answer)).toEqual(starts.map((start) => expect.stringContaining(start)));
});
