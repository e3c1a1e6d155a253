import { expect, test } from 'vitest';
import type { Template } from '#db/schemas/assets/template.ts';
import { issuesOf } from '../../helpers/configuration.ts';
import { task, workflow } from '../../helpers/documents/assets.ts';
import { openStudio } from '../../helpers/studio.ts';

const { send, done, addWorkflow } = await openStudio();

const PATH = '/automation-studio/templates';
const NOBODY = '65a000000000000000000000';

let counter = 0;
const sent = (change: object = {}) => ({
  name: `Access port ${counter++}`,
  group: 'Campus',
  type: 'jinja2',
  template: 'switchport access vlan {{ vlan }}',
  ...change,
});
const create = async (change: object = {}) =>
  (await done<{ created: Template }>('POST', PATH, { template: sent(change) })).created;

const FSM = 'Value NAME (\\S+)\n\nStart\n  ^$NAME -> Record\n';

test('a template is stored verbatim, with an id and timestamps of ours', async () => {
  const given = sent({
    _id: NOBODY,
    created: 'once',
    createdBy: 5,
    namespace: { _id: 'x' },
    hue: { kept: [null] },
  });
  const answer = await done<{ created: Template }>('POST', PATH, { template: given });
  const { created } = answer;
  expect(created).toMatchObject({ name: given.name, group: 'Campus', hue: { kept: [null] } });
  expect(created._id).toMatch(/^[0-9a-f]{24}$/);
  expect(created._id).not.toBe(NOBODY);
  expect(created.created).toMatch(/Z$/);
  expect(created.createdBy).toMatch(/^[0-9a-f]{24}$/);
  expect(created).not.toHaveProperty('namespace');
  expect(await done('GET', `${PATH}/${created._id}`)).toEqual(created);
  expect(await done('GET', `${PATH}/${created._id}/export`)).toEqual(created);
});

test.each<[string, object, string[]]>([
  ['a blank group', { group: '  ' }, ['template.group']],
  ['no name', { name: '' }, ['template.name']],
  ['a name of a project’s asset', { name: `@${NOBODY}: Port` }, ['template.name']],
  ['another type', { type: 'mustache' }, ['template.type']],
  ['Jinja that does not compile', { template: 'a\n{% if x %}' }, ['template.template']],
  [
    'TextFSM that does not compile, every line told',
    { type: 'textfsm', template: 'Value A (\n\nStart\n  ^$B\n  ^x -> Gone\n' },
    ['template.template: line 1', 'template.template: line 4', 'template.template: line 5'],
  ],
])('a template with %s is rejected', async (_, change, reported) => {
  const answer = await send('POST', PATH, { template: sent(change) });
  expect(answer.status).toBe(400);
  const issues = issuesOf(answer);
  expect(issues).toHaveLength(reported.length);
  for (const [at, part] of reported.entries()) expect(issues[at]).toContain(part);
});

test('a template that Jinja rejects is reported with line and column', async () => {
  const answer = await send('POST', PATH, { template: sent({ template: 'a\n{% if x %}' }) });
  expect(issuesOf(answer)[0]).toMatch(/line 2, column \d+/);
});

test('unknown fields are rejected beside the template, and kept within it', async () => {
  expect((await send('POST', PATH, { template: sent(), more: 1 })).status).toBe(400);
  expect((await send('POST', PATH, {})).status).toBe(400);
});

test('a name counts within its group, also of two at the same moment', async () => {
  const { name } = await create();
  const answer = await send('POST', PATH, { template: sent({ name }) });
  expect(answer).toMatchObject({
    status: 409,
    json: { message: `Template ${name} already exists in group Campus` },
  });
  await create({ name, group: 'Core' });
  const raced = sent();
  const tries = [1, 2, 3].map(() => send('POST', PATH, { template: raced }));
  expect((await Promise.all(tries)).map(({ status }) => status).sort()).toEqual([200, 409, 409]);
});

test('lists are filtered in brackets, projected, and paged by URLs that lead to their end', async () => {
  for (let at = 0; at < 5; at++) await create({ group: 'Paged & sorted' });
  const filter = `${encodeURIComponent('equals[group]')}=${encodeURIComponent('Paged & sorted')}`;
  type Page = { items: Template[]; next: string | null; previous: string | null; total: number; end: number };
  const names: string[] = [];
  let url: string | null = `${PATH}?${filter}&limit=2&include=name&sort=name&order=-1`;
  let last: Page | undefined;
  while (url !== null) {
    last = await done<Page>('GET', url);
    names.push(...last.items.map(({ name }) => name));
    expect(last.items.every((item) => Object.keys(item).sort().join() === '_id,name')).toBe(true);
    url = last.next;
  }
  expect(names).toHaveLength(5);
  expect(names).toEqual([...names].sort().reverse());
  expect(last).toMatchObject({ total: 5, end: 5, previous: expect.stringContaining('skip=2') });
  for (const query of [
    'equals=x&equalsField=colour',
    'equals[hue]=1',
    'limit=1001',
    'include=name&exclude=group',
  ]) {
    expect((await send('GET', `${PATH}?${query}`)).status, query).toBe(400);
  }
});

test('an update keeps fields that are absent or null and writes the others', async () => {
  const before = await create({ description: 'old', data: 'a' });
  const { updated } = await done<{ updated: Template }>('PUT', `${PATH}/${before._id}`, {
    update: { name: null, description: 'new', data: null, _id: NOBODY, createdBy: 'me', hue: 7 },
  });
  expect(updated).toEqual({
    ...before,
    description: 'new',
    hue: 7,
    lastUpdated: expect.any(String),
  });
  expect(Date.parse(updated.lastUpdated ?? '')).toBeGreaterThan(Date.parse(before.lastUpdated ?? ''));
  expect(await done('GET', `${PATH}/${before._id}`)).toEqual(updated);
});

test('an update is rejected for what a new template is rejected for', async () => {
  const [one, other] = [await create(), await create()];
  const put = (update: object, options = {}) => send('PUT', `${PATH}/${one._id}`, { update }, options);
  expect((await put({ name: other.name })).status).toBe(409);
  for (const update of [
    { group: ' ' },
    { group: 5 },
    { template: '{{' },
    { type: 'textfsm' },
    { name: `@${NOBODY}: x` },
  ]) {
    expect((await put(update)).status, JSON.stringify(update)).toBe(400);
  }
  expect((await put({ description: 'x' }, { ifMatch: '"2020-01-01T00:00:00.000Z"' })).status).toBe(409);
  expect((await put({ description: 'x' }, { ifMatch: `"${one.lastUpdated}"` })).status).toBe(200);
  expect(await send('PUT', `${PATH}/${NOBODY}`, { update: {} })).toMatchObject({
    status: 404,
    json: { message: `Template ${NOBODY} does not exist` },
  });
});

test('a template that a workflow names is not deleted; another is, once', async () => {
  const [used, free] = [await create(), await create()];
  await addWorkflow(workflow('Renders', [task('renderJinjaTemplate', { name: used.name, context: {} })]));
  const rejected = await send('DELETE', `${PATH}/${used._id}`);
  expect(rejected).toMatchObject({
    status: 409,
    json: { message: `Template ${used.name} is used by workflow Renders`, data: { ids: [used._id] } },
  });
  expect((await send('DELETE', `${PATH}/${free._id}`, undefined, { ifMatch: '"x"' })).status).toBe(409);
  expect(await done('DELETE', `${PATH}/${free._id}`)).toEqual({
    message: 'Successfully deleted template',
    data: null,
    metadata: {},
  });
  expect((await send('DELETE', `${PATH}/${free._id}`)).status).toBe(404);
});

test('an import keeps free ids and numbers taken names; a template that does not compile is stored and reported', async () => {
  const there = await create();
  const { imported } = await done<{
    imported: { success: boolean; message: string; original: object; created: Template }[];
  }>('POST', `${PATH}/import`, {
    templates: [
      { ...there, _id: NOBODY, description: 'copy' },
      { name: 'Odd', group: 'Campus', type: 'textfsm', template: 'not a template' },
    ],
  });
  expect(imported).toMatchObject([
    {
      success: true,
      message: `Imported Template ${there.name} as ${there.name} (1): the name was taken`,
      original: { name: there.name },
      created: { _id: NOBODY, name: `${there.name} (1)`, created: there.created },
    },
    {
      success: true,
      message: expect.stringContaining('it does not compile: line 1'),
      created: { name: 'Odd' },
    },
  ]);
  const id = imported[1]?.created._id;
  expect((await send('PUT', `${PATH}/${id}`, { update: { description: 'odd' } })).status).toBe(200);
  expect((await send('PUT', `${PATH}/${id}`, { update: { template: 'worse' } })).status).toBe(400);
  expect((await send('PUT', `${PATH}/${id}`, { update: { template: FSM } })).status).toBe(200);
});

test('an import with any mistake stores nothing, and reports all of them', async () => {
  const answer = await send('POST', `${PATH}/import`, {
    templates: [
      { name: 'Never stored', group: 'Campus', type: 'jinja2' },
      { name: 'x', group: '', type: 'jinja2' },
      { name: '', group: 'Campus', type: 'jinja2' },
    ],
  });
  expect(answer.status).toBe(400);
  expect(issuesOf(answer).map((issue) => issue.split(':')[0])).toEqual([
    'templates.1.group',
    'templates.2.name',
  ]);
  const { total } = await done<{ total: number }>('GET', `${PATH}?equals[name]=Never%20stored`);
  expect(total).toBe(0);
});

test('a typed caller gets values, and a reader does not write', async () => {
  const { name } = await create();
  expect((await send('POST', PATH, { template: sent() }, { as: 'apiread' })).status).toBe(403);
  const { items } = await done<{ items: Template[] }>(
    'GET',
    `${PATH}?equals[name]=${encodeURIComponent(name)}`,
    undefined,
    { as: 'apiread' },
  );
  expect(items).toMatchObject([{ name }]);
});
