import { expect, test } from 'vitest';
import type { Tag } from '#db/schemas/assets/tag.ts';
import { openStudio } from '../../helpers/studio.ts';

const { send, done } = await openStudio();

const NOBODY = '65a000000000000000000000';
let counter = 0;
const create = (data: object = {}) =>
  done<Tag>('POST', '/tags/create', { data: { name: `tag ${counter++}`, ...data } });
const tagsOf = (ref_id: string) => done<Tag[]>('POST', '/tags/getTagsByReference', { data: { ref_id } });

test('a tag is created, found and listed; its description is always a text', async () => {
  const tag = await create({ description: null });
  expect(tag).toEqual({ _id: expect.stringMatching(/^[0-9a-f]{24}$/), name: tag.name, description: '' });
  expect(await done('POST', '/tags/get', { id: tag._id })).toEqual(tag);
  expect(await done('GET', '/tags/all')).toContainEqual(tag);
  expect(await done('POST', '/tags/find', { data: { name: tag.name } })).toEqual([tag]);
  expect(await done('POST', '/tags/find', { data: { name: 'tag' } })).toEqual([]);
  expect((await send('POST', '/tags/get', { id: NOBODY })).json).toMatchObject({
    code: 'NOT_FOUND',
    message: `Tag ${NOBODY} does not exist`,
  });
});

test('a taken name is refused, on creation and on update', async () => {
  const [one, other] = [await create(), await create()];
  expect((await send('POST', '/tags/create', { data: { name: one.name } })).status).toBe(409);
  const rename = { _id: one._id, data: { name: other.name } };
  expect(await send('POST', '/tags/update', rename)).toMatchObject({
    status: 409,
    json: { message: `Tag ${other.name} already exists` },
  });
});

test.each([
  ['/tags/create', { data: { name: '' } }],
  ['/tags/create', { data: { name: 'x', hue: 'red' } }],
  ['/tags/create', { name: 'x' }],
  ['/tags/createReference', { data: { ref_id: '', tag_id: NOBODY } }],
  ['/tags/get', {}],
  ['/tags/update', { _id: NOBODY, data: { name: 5 } }],
])('%s refuses %j', async (path, body) => {
  expect((await send('POST', path, body)).status).toBe(400);
});

test('an update changes what is given, unless somebody was faster', async () => {
  const tag = await create({ description: 'old' });
  const { headers } = await send('POST', '/tags/get', { id: tag._id });
  const changed = await done<Tag>('POST', '/tags/update', { _id: tag._id, data: { description: 'new' } });
  expect(changed).toEqual({ ...tag, description: 'new' });
  const ifMatch = headers.etag ?? '';
  const late = { _id: tag._id, data: { name: 'late' } };
  expect((await send('POST', '/tags/update', late, { ifMatch })).status).toBe(409);
  expect((await send('POST', '/tags/delete', { _id: tag._id }, { ifMatch })).status).toBe(409);
  const now = (await send('POST', '/tags/get', { id: tag._id })).headers.etag ?? '';
  expect((await send('POST', '/tags/update', late, { ifMatch: now })).status).toBe(200);
  expect((await send('POST', '/tags/update', { _id: NOBODY, data: {} })).status).toBe(404);
});

test('documents carry tags until these are deleted', async () => {
  const [one, other] = [await create(), await create()];
  const data = { ref_id: 'a document', tag_id: one._id };
  expect(await done('POST', '/tags/createReference', { data })).toEqual(data);
  expect(await done('POST', '/tags/createReference', { data })).toEqual(data);
  await done('POST', '/tags/createReference', { data: { ...data, tag_id: other._id } });
  expect(await tagsOf('a document')).toEqual([one, other]);
  expect(await tagsOf('another')).toEqual([]);
  expect(await done('POST', '/tags/delete', { _id: one._id })).toEqual({
    status: 'success',
    message: `Deleted tag ${one.name}`,
  });
  expect(await tagsOf('a document')).toEqual([other]);
  expect((await send('POST', '/tags/delete', { _id: one._id })).status).toBe(404);
  expect((await send('POST', '/tags/createReference', { data })).status).toBe(404);
});

test('what is gone carries no tags, however it goes; what goes by another id takes them along', async () => {
  const { _id: tag_id } = await create();
  const tag = (ref_id: string) => done('POST', '/tags/createReference', { data: { ref_id, tag_id } });
  const name = `tagged-${counter++}`;
  const command = { name, commands: [] };
  await done('POST', '/mop/createTemplate', { mop: command });
  await done('POST', '/mop/createAnalyticTemplate', { template: { name, prepostCommands: [] } });
  await tag(name);
  await done('POST', `/mop/updateTemplate/${name}`, { mop: { ...command, name: `${name}-anew` } });
  // The analytic template has that name still.
  expect((await tagsOf(name)).length + (await tagsOf(`${name}-anew`)).length).toBe(2);
  await done('POST', `/mop/deleteTemplate/${name}-anew`);
  await done('POST', `/mop/deleteAnalyticTemplate/${name}`);
  expect([await tagsOf(name), await tagsOf(`${name}-anew`)]).toEqual([[], []]);

  const form = await done<{ doc: { id: string } }>('POST', '/json-forms/forms', { name, schema: {} });
  const { data: project } = await done<{ data: { _id: string } }>('POST', '/automation-studio/projects', {
    name,
  });
  const path = `/automation-studio/projects/${project._id}`;
  const components = [{ type: 'jsonForm', reference: form.doc.id }];
  await done('POST', `${path}/components/add`, { components, mode: 'move' });
  await tag(form.doc.id);
  await tag(project._id);
  await done('DELETE', `${path}/components/1`, { options: { mode: 'delete' } });
  expect(await tagsOf(form.doc.id)).toEqual([]);
  await done('DELETE', path);
  expect(await tagsOf(project._id)).toEqual([]);
});
