import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { servedMeanwhile } from '../../helpers/http/meanwhile.ts';
import { unique } from '../../helpers/procedures.ts';
import { openService } from '../../helpers/service.ts';

/** Answers are not held against their schemas, as in service. */
beforeAll(() => void vi.stubEnv('CHECK_ANSWERS', '0'));
afterAll(() => void vi.unstubAllEnvs());

const service = await openService();
const MIB = 1024 * 1024;
const fill = (part: string, length = MIB) => part.repeat(Math.floor(length / part.length));

const requested = (path: string, body: unknown, method = 'POST') =>
  servedMeanwhile(service, ['admin'], method, path, body);

test('a long evaluation, and a long query, are tried while others are served', async () => {
  const list = Array.from({ length: 120_000 }, (_, at) => ({ at, name: `n${at}` }));
  const evaluations = Array.from({ length: 3 }, () => ({
    operand_1: { task: 'static', variable: list.slice(0, 40_000) },
    operand_2: { task: 'static', variable: 1 },
    operator: '==',
    query: `[*${Array.from({ length: 12 }, (_, at) => `name~n${at}`).join('|')}]`,
  }));
  const groups = { evaluation_groups: [{ evaluations }] };
  const evaluation = await requested('/workflow_engine/runEvaluationGroups', groups);
  expect([200, 400]).toContain(evaluation.status);
  const nested = '[][{[][{[][{[][{[].a}]}]}]}]';
  const query = await requested('/workflow_engine/query', { query: nested, obj: list });
  expect(query.status).toBe(400);
});

test('templates of the greatest length are compiled while others are served', async () => {
  const template = fill('{{ a.b[1] | upper }} ');
  const name = unique('Long');
  const created = await requested('/automation-studio/templates', {
    template: {
      name,
      group: 'Limits',
      type: 'jinja2',
      command: '',
      description: '',
      template,
      data: '',
    },
  });
  expect(created.text).toContain(name);
  const imported = Array.from({ length: 6 }, (_, at) => ({
    name: `${name} ${at}`,
    group: 'Limits',
    type: 'jinja2',
    command: '',
    description: '',
    template,
    data: '',
  }));
  expect((await requested('/automation-studio/templates/import', { templates: imported })).status).toBe(200);
  const device = { name, template };
  const stored = await requested('/configuration_manager/templates', device);
  expect(stored.status).toBe(200);
});

test('a golden configuration with a long template is derived while other requests are served', async () => {
  const loop =
    '{% for i in range(4000) %}interface eth{{ i }}\n description /x{{ i }}(a|b){0,50}/\n{% endfor %}';
  const lines = `${fill('{{ a | upper }}\n', MIB / 2)}${loop}description /(/\n`;
  const created = await requested('/configuration_manager/config_specs', {
    data: { deviceType: 'cisco-ios', template: lines, variables: { a: 'b' } },
  });
  expect([200, 400]).toContain(created.status);
});

test('few rules with expressions check a short text while others are served', async () => {
  const name = unique('Slow rules');
  const tree = await service.send('admin', 'POST', '/configuration_manager/configs', {
    name,
    deviceType: 'cisco-ios',
  });
  const { id: treeId } = JSON.parse(tree.text) as { id: string };
  const template = Array.from({ length: 100 }, (_, at) => `{/((a|aa)+)+/} ${at}\n`).join('');
  const configuration = Array.from({ length: 20_000 }, (_, at) => `${'a'.repeat(20)}${at} x\n`).join('');
  const options = { treeId, version: 'initial', nodePath: 'base', deviceName: name };
  const checked = await requested('/configuration_manager/compliance_reports/config', {
    options: { ...options, configuration, template },
  });
  expect(checked.status).toBe(200);
});

test('a text is read by a TextFSM template of many rules while others are served', async () => {
  const rules = Array.from({ length: 300 }, (_, at) => `  ^(a|b|c)*d${at}.*e$$ -> Record`).join('\n');
  const template = `Value A (\\S+)\n\nStart\n${rules}\n`;
  const text = fill(`${'abc'.repeat(60)}\n`, 2 * MIB);
  const read = await requested('/template_builder/parseTemplate', { template, text });
  expect([200, 400, 422]).toContain(read.status);
});

test('hostile JSON, and other configurations, are tried by a parser while others are served', async () => {
  const texts: [string, string][] = [
    ['json', fill('{"a":[')],
    ['json', `[${fill('{"a":1,"b":[]},', 2 * MIB)}1]`],
    ['json', fill('"\\')],
    ['cisco-ios', fill('banner motd ^\n a\n  b\n', 2 * MIB)],
    ['juniper-junos', fill('a { b; } /* ', 2 * MIB)],
  ];
  for (const [name, text] of texts) {
    const { status } = await requested('/configuration_manager/configurations/parser/test', { name, text });
    expect([200, 400, 422]).toContain(status);
  }
});

test('the expressions of command templates are compiled, and applied to runs, while others are served', async () => {
  const many = <Item>(length: number, make: (at: number) => Item) =>
    Array.from({ length }, (_, at) => make(at));
  const rule = (at: number) => ({ rule: `(a|b)*${at}[a-z]{0,50}`, eval: 'RegEx', severity: 'error' });
  const commands = many(1000, () => ({ command: 'show', passRule: true, rules: many(20, rule) }));
  const mop = { name: unique('Many expressions'), os: '', passRule: true, ignoreWarnings: false, commands };
  expect((await requested('/mop/createTemplate', { mop })).status).toBe(200);
  const compared = (at: number) => ({
    type: 'regex',
    preRegex: `(a|b)*${at}x`,
    postRegex: 'b',
    evaluator: '=',
  });
  const prepostCommands = many(100, (at) => ({
    preRawCommand: `c${at}`,
    postRawCommand: `c${at}`,
    passRule: true,
    rules: many(20, compared),
  }));
  const name = unique('Many comparisons');
  const template = { name, os: '', passRule: true, prepostCommands };
  expect((await requested('/mop/createAnalyticTemplate', { template })).status).toBe(200);
  const entry = (at: number) => ({
    raw: `c${at}`,
    evaluated: `c${at}`,
    device: 'd',
    response: fill('ab', 60_000),
  });
  const run = { commands_results: many(100, entry) };
  const body = { pre: run, post: run, analytic_template_name: name };
  expect([200, 422]).toContain((await requested('/mop/runAnalyticsTemplate', body)).status);
});
