import { expect, test } from 'vitest';
import { issuesOf } from '../../helpers/configuration.ts';
import { openStudio } from '../../helpers/studio.ts';

const { send, done } = await openStudio();

const create = (template: object) =>
  done('POST', '/automation-studio/templates', { template: { group: 'Lab', ...template } });

const FSM =
  'Value Required PORT (\\S+)\nValue List VLANS (\\d+)\n\nStart\n  ^port $PORT\n  ^ vlan $VLANS\n  ^! -> Record\n  ^% -> Error "no such command"\n';

await create({
  name: 'Port / turn-up',
  type: 'jinja2',
  template: '{% for v in vlans %}vlan {{ v }}\n{% endfor %}',
});
await create({ name: 'Ports', type: 'textfsm', template: FSM });
await create({ name: 'Twice', type: 'jinja2', template: 'one' });
await create({ name: 'Twice', group: 'Other', type: 'jinja2', template: 'two' });
await create({ name: 'Empty', type: 'textfsm' });
await done('POST', '/automation-studio/templates/import', {
  templates: [{ name: 'Broken', group: 'Lab', type: 'jinja2', template: '{{' }],
});

const RENDER = (name: string) => `/template_builder/templates/${encodeURIComponent(name)}/renderJinja`;
const PARSE = '/template_builder/parseTemplate';

test('a Jinja template is rendered with its variables, as a string of JSON', async () => {
  const text = 'vlan 10\nvlan 20\n';
  expect(await done('POST', RENDER('Port / turn-up'), { context: { vlans: [10, 20] } })).toBe(text);
  const body = { name: 'Port / turn-up', variables: { vlans: [10, 20] } };
  expect(await done('POST', '/template_builder/applyTemplate', body, { as: 'support' })).toBe(text);
});

test('what cannot be rendered is refused, and the place named', async () => {
  const missing = await send('POST', RENDER('Port / turn-up'), { context: {} });
  expect(missing.status).toBe(400);
  expect(issuesOf(missing)[0]).toMatch(/^context\.vlans: .*line 1/);
  expect((await send('POST', RENDER('Nobody'), { context: {} })).json).toMatchObject({
    code: 'NOT_FOUND',
    message: 'Jinja template Nobody does not exist',
  });
  expect((await send('POST', RENDER('Ports'), { context: {} })).status).toBe(404);
  expect((await send('POST', RENDER('Broken'), { context: {} })).status).toBe(422);
  expect((await send('POST', RENDER('Twice'), { context: 5 })).status).toBe(400);
});

test('a name that two groups have asks for the group', async () => {
  const several = await send('POST', RENDER('Twice'), { context: {} });
  expect(several).toMatchObject({ status: 409, json: { message: expect.stringContaining('Lab, Other') } });
  expect(await done('POST', RENDER('Twice'), { context: {}, group: 'Other' })).toBe('two');
});

test('a text is read by a stored template, or by one that is given', async () => {
  const text = 'port a/1\n vlan 10\n vlan 20\n!\nport a/2\n!\n';
  const records = [
    { PORT: 'a/1', VLANS: ['10', '20'] },
    { PORT: 'a/2', VLANS: [] },
  ];
  expect(await done('POST', PARSE, { name: 'Ports', text })).toEqual(records);
  expect(await done('POST', PARSE, { template: FSM, name: null, text })).toEqual(records);
  expect(await done('POST', PARSE, { template: FSM, text: '' })).toEqual([]);
});

test('a text that a template refuses is 422 with its line; a template that does not compile 400 with its own', async () => {
  expect(await send('POST', PARSE, { name: 'Ports', text: 'port x\n% Invalid' })).toMatchObject({
    status: 422,
    json: { message: 'line 2 of the text: no such command' },
  });
  const answer = await send('POST', PARSE, { template: 'Value A (x)\n\nStart\n  ^$B\n', text: '' });
  expect(answer.status).toBe(400);
  expect(issuesOf(answer)).toEqual(['template: line 4: there is no Value B']);
  const empty = await send('POST', PARSE, { template: '', text: 'port a/1' });
  expect(empty.status).toBe(400);
  expect(issuesOf(empty)).toEqual(['template: is empty: it begins with its Values']);
  expect((await send('POST', PARSE, { name: 'Empty', text: '' })).status).toBe(422);
  expect((await send('POST', PARSE, { name: 'Nobody', text: '' })).status).toBe(404);
});

test.each([
  { text: '' },
  { name: 'Ports', template: FSM, text: '' },
  { name: 'Ports' },
  { name: 'Ports', text: '', x: 1 },
])('a request to read a text is refused: %j', async (body) => {
  expect((await send('POST', PARSE, body)).status).toBe(400);
});

test('a template that would search for ever ends within its bounds, and others are answered meanwhile', async () => {
  const template = 'Value A (.*)\n\nStart\n  ^.*a.{1,900}b$A-c\n';
  const text = `${'ab'.repeat(9000)}\n`.repeat(400);
  const hard = send('POST', PARSE, { template, text });
  const { status } = await send('GET', '/tags/all');
  expect(status).toBe(200);
  expect([200, 422]).toContain((await hard).status);
});
