import { expect, test } from 'vitest';
import { issuePathsOf, NOBODY, rejectionOf, rolesThatMay, unique } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const { tags, mop, jsonForms, automationStudio } = await service.as('admin');

const create = (data: { description?: string | null } = {}) =>
  tags.createTag({ data: { name: unique('tag'), ...data } });
const tagsOf = (ref_id: string) => tags.getTagsByReference({ data: { ref_id } });

test('a tag is created, found and listed; its description is always a text', async () => {
  const tag = await create({ description: null });
  expect(tag).toEqual({ _id: expect.stringMatching(/^[0-9a-f]{24}$/), name: tag.name, description: '' });
  expect(await tags.getTag({ id: tag._id })).toEqual(tag);
  expect(await tags.listTags({})).toContainEqual(tag);
  expect(await tags.findTags({ data: { name: tag.name } })).toEqual([tag]);
  expect(await tags.findTags({ data: { name: 'tag' } })).toEqual([]);
});

test('a tag that does not exist is named in the message', async () => {
  expect(await rejectionOf(tags.getTag({ id: NOBODY }))).toMatchObject({
    code: 'NOT_FOUND',
    message: `Tag ${NOBODY} does not exist`,
  });
  expect(await rejectionOf(tags.updateTag({ _id: NOBODY, data: {} }))).toMatchObject({ code: 'NOT_FOUND' });
});

test('a taken name is rejected on creation and on update', async () => {
  const [one, other] = [await create(), await create()];
  const taken = (name: string) => ({ code: 'CONFLICT', message: `Tag ${name} already exists` });
  expect(await rejectionOf(tags.createTag({ data: { name: one.name } }))).toMatchObject(taken(one.name));
  expect(await rejectionOf(tags.updateTag({ _id: one._id, data: { name: other.name } }))).toMatchObject(
    taken(other.name),
  );
});

test('an update changes the given fields only', async () => {
  const tag = await create({ description: 'old' });
  const changed = await tags.updateTag({ _id: tag._id, data: { description: 'new' } });
  expect(changed).toEqual({ ...tag, description: 'new' });
  expect(await tags.getTag({ id: tag._id })).toEqual(changed);
});

test.each<[string, () => Promise<unknown>, string]>([
  ['an empty name', () => tags.createTag({ data: { name: '' } }), 'data.name'],
  ['an unknown field', () => tags.createTag({ data: { name: 'x', hue: 'red' } } as never), 'data.hue'],
  ['no data', () => tags.createTag({} as never), 'data'],
  ['an empty id of a document', () => tagsOf(''), 'data.ref_id'],
  ['no id', () => tags.getTag({} as never), 'id'],
  ['a name that is no text', () => tags.updateTag({ _id: NOBODY, data: { name: 5 } } as never), 'data.name'],
])('%s is rejected and the field named', async (_, call, path) => {
  expect(await issuePathsOf(call())).toEqual([path]);
});

test('documents carry tags until the tags are deleted', async () => {
  const [one, other] = [await create(), await create()];
  const data = { ref_id: unique('document'), tag_id: one._id };
  expect(await tags.createReference({ data })).toEqual(data);
  expect(await tags.createReference({ data })).toEqual(data);
  await tags.createReference({ data: { ...data, tag_id: other._id } });
  expect(await tagsOf(data.ref_id)).toEqual([one, other]);
  expect(await tagsOf(unique('another'))).toEqual([]);
  expect(await tags.deleteTag({ _id: one._id })).toEqual({
    status: 'success',
    message: `Deleted tag ${one.name}`,
  });
  expect(await tagsOf(data.ref_id)).toEqual([other]);
  expect(await rejectionOf(tags.deleteTag({ _id: one._id }))).toMatchObject({ code: 'NOT_FOUND' });
  expect(await rejectionOf(tags.createReference({ data }))).toMatchObject({ code: 'NOT_FOUND' });
});

test('a renamed template keeps its tags, a deleted one loses them', async () => {
  const { _id: tag_id } = await create();
  const name = unique('tagged');
  const command = { name, commands: [] };
  await mop.createTemplate({ mop: command });
  await mop.createAnalyticTemplate({ template: { name, prepostCommands: [] } });
  await tags.createReference({ data: { ref_id: name, tag_id } });
  await mop.updateTemplate({ mopID: name, mop: { ...command, name: `${name} anew` } });
  // The analytic template has that name still.
  expect((await tagsOf(name)).length + (await tagsOf(`${name} anew`)).length).toBe(2);
  await mop.deleteTemplate({ id: `${name} anew` });
  await mop.deleteAnalyticTemplate({ id: name });
  expect([await tagsOf(name), await tagsOf(`${name} anew`)]).toEqual([[], []]);
});

test('a component that is deleted with its project loses its tags, and so does the project', async () => {
  const { _id: tag_id } = await create();
  const name = unique('tagged');
  const form = await jsonForms.createForm({ form: { name, schema: {} } });
  const { data: project } = await automationStudio.createProject({ name });
  const projectId = project._id;
  const components = [{ type: 'jsonForm' as const, reference: form.doc.id }];
  await automationStudio.addComponents({ projectId, components, mode: 'move' });
  await tags.createReference({ data: { ref_id: form.doc.id, tag_id } });
  await tags.createReference({ data: { ref_id: projectId, tag_id } });
  await automationStudio.removeComponent({ projectId, componentId: 1, options: { mode: 'delete' } });
  expect(await tagsOf(form.doc.id)).toEqual([]);
  await automationStudio.deleteProject({ projectId });
  expect(await tagsOf(projectId)).toEqual([]);
});

test('designers read and write tags, apiread and apiwrite do one of the two', async () => {
  expect(await rolesThatMay(service, (as) => as.tags.listTags({}))).toEqual(['admin', 'apiread', 'designer']);
  expect(await rolesThatMay(service, (as) => as.tags.findTags({ data: { name: 'x' } }))).toEqual([
    'admin',
    'apiread',
    'apiwrite',
    'designer',
  ]);
  expect(await rolesThatMay(service, (as) => as.tags.deleteTag({ _id: NOBODY }))).toEqual([
    'admin',
    'apiwrite',
    'designer',
  ]);
});
