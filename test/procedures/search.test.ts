import { expect, test } from 'vitest';
import { issuePathsOf, rejectionOf, unique } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';
import { workflowOf } from '../helpers/workflows.ts';

const service = await openService();
const admin = await service.as('admin');
const { tags, jsonForms, automationStudio, configurationManager } = admin;

const createWorkflow = (name: string, more = {}) =>
  automationStudio.createWorkflow({ automation: workflowOf(name, {}, more) });
const names = ({ results }: Awaited<ReturnType<typeof admin.search.search>>) =>
  results.map(({ kind, name }) => `${kind} ${name}`);

test('a part of a name finds documents of every kind, whatever its case', async () => {
  await createWorkflow('Lantern upgrade');
  await jsonForms.createForm({ form: { name: 'Lantern form', schema: {} } });
  await configurationManager.createDeviceGroup({ groupName: 'LANTERNS', deviceNames: [] });
  await configurationManager.createTree({ name: 'my lantern', deviceType: 'cisco-ios' });
  await tags.createTag({ data: { name: 'lantern-tag' } });
  const { data } = await automationStudio.createProject({ name: 'Lantern project' });
  const found = await admin.search.search({ q: 'laNTern' });
  expect(names(found).toSorted()).toEqual([
    'deviceGroup LANTERNS',
    'jsonForm Lantern form',
    'project Lantern project',
    'tag lantern-tag',
    'tree my lantern',
    'workflow Lantern upgrade',
  ]);
  expect(found.total).toBe(6);
  expect(found.results.find(({ kind }) => kind === 'project')).toMatchObject({
    _id: data._id,
    path: `/automation-studio/projects/${data._id}`,
  });
});

test('descriptions are searched from three characters on and come after names', async () => {
  await createWorkflow('Zebra one', { description: 'about a quokka' });
  await createWorkflow('Quokka two', { description: 'another quokka' });
  const found = await admin.search.search({ q: 'quokka' });
  expect(names(found)).toEqual(['workflow Quokka two', 'workflow Zebra one']);
  expect(found.total).toBe(2);
  expect(names(await admin.search.search({ q: 'Qu', kinds: ['workflow'] }))).toEqual(['workflow Quokka two']);
});

test('at most `limit` documents of each kind are returned, and the total counts all', async () => {
  for (let at = 0; at < 4; at++) {
    await createWorkflow(`Marmot ${at}`);
    await tags.createTag({ data: { name: `marmot ${at}` } });
  }
  const few = await admin.search.search({ q: 'marmot', limit: 2 });
  expect(names(few)).toEqual(['tag marmot 0', 'tag marmot 1', 'workflow Marmot 0', 'workflow Marmot 1']);
  expect(few.total).toBe(8);
  expect(names(await admin.search.search({ q: 'marmot', kinds: ['tag'], limit: 1 }))).toEqual([
    'tag marmot 0',
  ]);
});

test('characters of patterns match themselves, and letters of all languages any case', async () => {
  const search = async (q: string) => names(await admin.search.search({ q }));
  await createWorkflow('100%_done\\');
  await createWorkflow('Über-Straße');
  expect(await search('0%_d')).toEqual(['workflow 100%_done\\']);
  expect(await search('e\\')).toContain('workflow 100%_done\\');
  expect(await search('__')).toEqual([]);
  expect(await search('üBER')).toEqual(['workflow Über-Straße']);
  expect(await search("'; drop table workflows; --")).toEqual([]);
});

test('a search finds exactly the documents that the lists show to the caller', async () => {
  const word = unique('narwhal');
  await createWorkflow(`${word} flow`);
  await tags.createTag({ data: { name: `${word} tag` } });
  await configurationManager.createDeviceGroup({ groupName: `${word} group`, deviceNames: [] });
  const foundBy = async (role: 'designer' | 'engineering' | 'apiwrite') =>
    names(await (await service.as(role)).search.search({ q: word }));
  expect(await foundBy('designer')).toEqual([`tag ${word} tag`, `workflow ${word} flow`]);
  expect(await foundBy('engineering')).toEqual([`workflow ${word} flow`]);
  expect(await foundBy('apiwrite')).toEqual([]);
  expect(await rejectionOf((await service.as(null)).search.search({ q: word }))).toMatchObject({
    code: 'UNAUTHORIZED',
  });
});

test.each([
  [{}, 'q'],
  [{ q: 'a' }, 'q'],
  [{ q: 'x'.repeat(201) }, 'q'],
  [{ q: 'ab', kinds: ['nothing'] }, 'kinds.0'],
  [{ q: 'ab', limit: 0 }, 'limit'],
  [{ q: 'ab', limit: 101 }, 'limit'],
  [{ q: 'ab', colour: 'red' }, 'colour'],
])('a search for %j is rejected and the field named', async (input, path) => {
  expect(await issuePathsOf(admin.search.search(input as never))).toEqual([path]);
});
