import { beforeAll, expect, test } from 'vitest';
import { isLong } from '../helpers/long.ts';
import { issuePathsOf, rejectionOf, rolesThatMay, unique } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const { automationStudio, templateBuilder, tags } = await service.as('admin');

const FSM =
  'Value Required PORT (\\S+)\nValue List VLANS (\\d+)\n\nStart\n  ^port $PORT\n  ^ vlan $VLANS\n  ^! -> Record\n  ^% -> Error "no such command"\n';
const NAMES = {
  jinja: unique('Port / turn-up'),
  fsm: unique('Ports'),
  parts: unique('Parts'),
  twice: unique('Twice'),
  empty: unique('Empty'),
  broken: unique('Broken'),
};

beforeAll(async () => {
  const create = (template: {
    name: string;
    type: 'jinja2' | 'textfsm';
    template?: string;
    group?: string;
  }) => automationStudio.createTemplate({ template: { group: 'Lab', ...template } });
  await create({
    name: NAMES.jinja,
    type: 'jinja2',
    template: '{% for v in vlans %}vlan {{ v }}\n{% endfor %}',
  });
  await create({ name: NAMES.fsm, type: 'textfsm', template: FSM });
  await create({
    name: NAMES.parts,
    type: 'jinja2',
    template: 'ntp\n{{ site.name }} {{ site.on }} {{ site.spare }} {{ site.nothing }}\n',
  });
  await create({ name: NAMES.twice, type: 'jinja2', template: 'one' });
  await create({ name: NAMES.twice, group: 'Other', type: 'jinja2', template: 'two' });
  await create({ name: NAMES.empty, type: 'textfsm' });
  await automationStudio.importTemplates({
    templates: [{ name: NAMES.broken, group: 'Lab', type: 'jinja2', template: '{{' }],
  });
});

test('a Jinja template is rendered with its variables', async () => {
  const text = 'vlan 10\nvlan 20\n';
  const variables = { vlans: [10, 20] };
  expect(await templateBuilder.renderJinja({ name: NAMES.jinja, context: variables })).toBe(text);
  const support = await service.as('support');
  expect(await support.templateBuilder.applyTemplate({ name: NAMES.jinja, variables })).toBe(text);
});

test('the text of a Jinja template is rendered without being stored, and its mistakes have lines and columns', async () => {
  const render = (template: string, variables: Record<string, unknown> = {}) =>
    templateBuilder.applyTemplate({ template, variables });
  expect(await render('vlan {{ vlan }}\n', { vlan: 7 })).toBe('vlan 7');
  expect(await render('')).toBe('');
  const issueOf = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => undefined,
      (error: unknown) => error,
    );
    return (error as { cause?: { issues?: unknown[] } }).cause?.issues?.[0];
  };
  expect(await issueOf(render('one\n  {{ two'))).toMatchObject({ path: ['template'], line: 2 });
  expect(await issueOf(render('one\n  {{ site.name }}'))).toMatchObject({
    path: ['variables', 'site'],
    line: 2,
    column: 6,
  });
  expect(await issuePathsOf(templateBuilder.applyTemplate({ variables: {} }))).toEqual(['name']);
  const both = templateBuilder.applyTemplate({ name: NAMES.jinja, template: '', variables: {} });
  expect(await issuePathsOf(both)).toEqual(['template']);
});

test('a variable that is missing stands for nothing, and is named where a part of it is read', async () => {
  expect(await templateBuilder.renderJinja({ name: NAMES.jinja, context: {} })).toBe('');
  const { code, issues } = await rejectionOf(templateBuilder.renderJinja({ name: NAMES.parts, context: {} }));
  expect(code).toBe('BAD_REQUEST');
  expect(issues[0]).toMatch(/^context\.site: site is undefined \(line 2, column 4\)/);
  const context = { site: { name: 'Quay', spare: null, on: true } };
  expect(await templateBuilder.renderJinja({ name: NAMES.parts, context })).toBe('ntp\nQuay True None ');
});

test('a template that does not exist, is of another type, or does not compile cannot be rendered', async () => {
  const render = (name: string) => rejectionOf(templateBuilder.renderJinja({ name, context: {} }));
  expect(await render('Nobody')).toMatchObject({
    code: 'NOT_FOUND',
    message: 'Jinja template Nobody does not exist',
  });
  expect(await render(NAMES.fsm)).toMatchObject({ code: 'NOT_FOUND' });
  expect(await render(NAMES.broken)).toMatchObject({ code: 'UNPROCESSABLE_CONTENT' });
});

test('a name that two groups have requires the group', async () => {
  const ambiguous = templateBuilder.renderJinja({ name: NAMES.twice, context: {} });
  expect(await rejectionOf(ambiguous)).toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining('Lab, Other'),
  });
  expect(await templateBuilder.renderJinja({ name: NAMES.twice, context: {}, group: 'Other' })).toBe('two');
});

test('a text is parsed by a stored template, or by one that is sent', async () => {
  const text = 'port a/1\n vlan 10\n vlan 20\n!\nport a/2\n!\n';
  const records = [
    { PORT: 'a/1', VLANS: ['10', '20'] },
    { PORT: 'a/2', VLANS: [] },
  ];
  expect(await templateBuilder.parseTemplate({ name: NAMES.fsm, text })).toEqual(records);
  expect(await templateBuilder.parseTemplate({ template: FSM, name: null, text })).toEqual(records);
  expect(await templateBuilder.parseTemplate({ template: FSM, text: '' })).toEqual([]);
});

test('a text that a template rejects is reported with its line, a template that does not compile with its own', async () => {
  const parse = (input: object) => rejectionOf(templateBuilder.parseTemplate(input as never));
  expect(await parse({ name: NAMES.fsm, text: 'port x\n% Invalid' })).toMatchObject({
    code: 'UNPROCESSABLE_CONTENT',
    message: 'line 2 of the text: no such command',
  });
  expect(await parse({ template: 'Value A (x)\n\nStart\n  ^$B\n', text: '' })).toMatchObject({
    code: 'BAD_REQUEST',
    issues: ['template: line 4: the Value B does not exist'],
  });
  expect(await parse({ template: '', text: 'port a/1' })).toMatchObject({
    code: 'BAD_REQUEST',
    issues: ['template: is empty: a template begins with its Values'],
  });
  expect(await parse({ name: NAMES.empty, text: '' })).toMatchObject({ code: 'UNPROCESSABLE_CONTENT' });
  expect(await parse({ name: 'Nobody', text: '' })).toMatchObject({ code: 'NOT_FOUND' });
});

test.each<[object, string]>([
  [{ text: '' }, 'name'],
  [{ name: NAMES.fsm, template: FSM, text: '' }, 'template'],
  [{ name: NAMES.fsm }, 'text'],
  [{ name: NAMES.fsm, text: '', x: 1 }, 'x'],
])('parsing %j is rejected and the field named', async (input, path) => {
  expect(await issuePathsOf(templateBuilder.parseTemplate(input as never))).toEqual([path]);
});

const ENDLESS = [
  ['a large one', '^.*a.{1,900}b$A-c', `${'ab'.repeat(9000)}\n`.repeat(400)],
  // It occupies a thread until that is ended.
  ['one with a look-ahead', '^(?=a)(a+)+$A-c', `${'a'.repeat(300)}b\n`],
] as const;

test.each(ENDLESS.slice(0, isLong ? undefined : 1))(
  'a template whose search would not end is stopped, and other calls are answered while it runs: %s',
  async (_, rule, text) => {
    const template = `Value A (.*)\n\nStart\n  ${rule}\n`;
    const hard = templateBuilder.parseTemplate({ template, text }).then(
      () => 'parsed',
      ({ code }) => code,
    );
    expect(await tags.listTags({})).toEqual([]);
    expect(['parsed', 'UNPROCESSABLE_CONTENT']).toContain(await hard);
  },
);

test('accounts that build or run workflows may render and parse', async () => {
  const everyone = ['admin', 'apiread', 'designer', 'engineering', 'support'];
  const render = await rolesThatMay(service, (as) =>
    as.templateBuilder.renderJinja({ name: NAMES.jinja, context: {} }),
  );
  expect(render).toEqual(everyone);
  expect(
    await rolesThatMay(service, (as) => as.templateBuilder.parseTemplate({ template: FSM, text: '' })),
  ).toEqual(everyone);
});
