import { expect, test } from 'vitest';
import { task, workflow } from '../helpers/documents/assets.ts';
import { isLong } from '../helpers/long.ts';
import { issuePathsOf, rejectionOf, rolesThatMay, unique } from '../helpers/procedures.ts';
import { openStudio } from '../helpers/studio.ts';

const service = await openStudio();
const { mop } = await service.as('admin');

const rule = (change: object = {}) => ({ rule: 'Version <!release!>', eval: 'contains', ...change });
const command = (change: object = {}) =>
  ({
    name: unique('IOS / precheck'),
    os: 'cisco-ios',
    passRule: true,
    commands: [{ command: 'show version', passRule: true, rules: [rule()] }],
    ...change,
  }) as never;
const analytic = (change: object = {}) =>
  ({
    name: unique('Before & after'),
    os: '',
    passRule: true,
    prepostCommands: [
      {
        preRawCommand: 'show version',
        postRawCommand: 'show version',
        passRule: true,
        rules: [{ type: 'matches', preRegex: 'Version (\\S+)', postRegex: 'Version (\\S+)', evaluator: '=' }],
      },
    ],
    ...change,
  }) as never;

type Template = { _id?: string; name: string; created?: unknown; createdBy?: unknown; oddity?: unknown };
/** The calls of the two kinds of templates, which behave alike. */
const KINDS = [
  {
    kind: 'command templates',
    type: 'templates' as const,
    create: async (change: object = {}): Promise<Template> =>
      (await mop.createTemplate({ mop: command(change) })).ops[0] as Template,
    read: (name: string): Promise<Template[]> => mop.listATemplate({ name }) as Promise<Template[]>,
    list: (): Promise<Template[]> => mop.listTemplates({}) as Promise<Template[]>,
    update: (mopID: string, change: object) => mop.updateTemplate({ mopID, mop: command(change) }),
    remove: (id: string) => mop.deleteTemplate({ id }),
    user: (name: string) => task('RunCommandTemplate', { template: name, devices: [] }),
  },
  {
    kind: 'analytic templates',
    type: 'analytics' as const,
    create: async (change: object = {}): Promise<Template> =>
      (await mop.createAnalyticTemplate({ template: analytic(change) })).ops[0] as Template,
    read: (name: string): Promise<Template[]> => mop.listAnAnalyticTemplate({ name }) as Promise<Template[]>,
    list: (): Promise<Template[]> => mop.listAnalyticTemplates({}) as Promise<Template[]>,
    update: (mopID: string, change: object) =>
      mop.updateAnalyticTemplate({ mopID, template: analytic(change) }),
    remove: (id: string) => mop.deleteAnalyticTemplate({ id }),
    user: (name: string) => task('runAnalyticsTemplate', { analytic_template_name: name }),
  },
];

for (const { kind, type, create, read, list, update, remove, user } of KINDS) {
  test(`${kind} have their name as id, our stamps, and keep unknown fields`, async () => {
    const { caller } = await service.callerWith('admin');
    const doc = await create({ _id: 'other', created: 'once', createdBy: 7, oddity: { kept: [null] } });
    expect(doc).toMatchObject({
      _id: doc.name,
      created: expect.any(Number),
      createdBy: caller.username,
      oddity: { kept: [null] },
    });
    expect(await read(doc.name)).toEqual([doc]);
    expect(await list()).toContainEqual(doc);
  });

  test(`${kind} reject a taken name in the words that clients compare`, async () => {
    const [one, other] = [await create(), await create()];
    const taken = {
      code: 'CONFLICT',
      message: 'Template must have a unique name: Given name is already in use.',
    };
    expect(await rejectionOf(create({ name: one.name }))).toMatchObject(taken);
    expect(await rejectionOf(update(one.name, { name: other.name }))).toMatchObject(taken);
  });

  test(`${kind} are replaced whole by an update, and workflows follow a new name`, async () => {
    const { name, created } = await create({ description: 'old' });
    await service.addWorkflow(workflow(unique('Runs'), [user(name)]));
    const renamed = `${name} renamed`;
    expect(await update(name, { name: renamed, oddity: 1 })).toMatchObject({ matchedCount: 1 });
    expect(await read(renamed)).toMatchObject([{ name: renamed, created, description: '', oddity: 1 }]);
    expect(await rejectionOf(read(name))).toMatchObject({
      code: 'NOT_FOUND',
      message: 'Could not find matching template',
    });
    expect(await rejectionOf(remove(renamed))).toMatchObject({ code: 'CONFLICT', data: { ids: [renamed] } });
    expect(await rejectionOf(update('Nobody', {}))).toMatchObject({ code: 'NOT_FOUND' });
  });

  test(`${kind} are deleted, and the answer counts what existed`, async () => {
    const { name } = await create();
    const answer = (n: number) => ({ acknowledged: true, deletedCount: n, ok: 1, n, nModified: n });
    expect(await remove(name)).toEqual(answer(1));
    expect(await remove(name)).toEqual(answer(0));
  });

  test(`${kind} are exported by id, by name, or by both, which must agree`, async () => {
    const doc = await create();
    const ask = (options: object, as: 'templates' | 'analytics' = type) =>
      mop.exportTemplate({ options, type: as });
    for (const options of [{ _id: doc._id }, { name: doc.name }, { _id: doc._id, name: doc.name }])
      expect(await ask(options)).toEqual(doc);
    for (const options of [{ name: 'no such' }, { _id: doc._id, name: 'no such' }])
      expect(await rejectionOf(ask(options))).toMatchObject({ code: 'NOT_FOUND' });
    for (const options of [{}, { name: 5 }, { name: doc.name, more: 1 }])
      expect(await rejectionOf(ask(options))).toMatchObject({ code: 'BAD_REQUEST' });
    const otherType = type === 'templates' ? 'analytics' : 'templates';
    expect(await rejectionOf(ask({ name: doc.name }, otherType))).toMatchObject({ code: 'NOT_FOUND' });
  });

  test(`${kind} are imported under a numbered name when theirs is taken`, async () => {
    const doc = await create();
    const name = `${doc.name} (1)`;
    expect(await mop.importTemplate({ type, template: { ...doc, created: 5 } })).toEqual({
      ok: 1,
      n: 1,
      name,
      _id: name,
    });
    const [copy] = await read(name);
    expect(copy?.createdBy).toBe(doc.createdBy);
    for (const template of [{ name: '' }, { name: 'x', passRule: 'yes' }])
      expect(await rejectionOf(mop.importTemplate({ type, template }))).toMatchObject({
        code: 'BAD_REQUEST',
      });
  });
}

test('rules that cannot be evaluated are rejected together, each by its place', async () => {
  const commands = [
    { command: 'a', rules: [rule(), rule({ eval: 'regex' }), rule({ eval: 'RegEx', rule: 'a(b' })] },
    {
      command: 'b',
      rules: [
        rule({ eval: '!RegEx', rule: '(?=x)' }),
        rule({ eval: '#comparison', rule: '[', ruleB: ')' }),
        rule({ eval: 'RegEx', rule: 'up <!port!> (\\d+' }),
        rule({ eval: 'RegEx', rule: 'up [0-9]{<!count!>} <!port!>', ruleB: ')' }),
        rule({ eval: 'contains', rule: '(' }),
      ],
    },
  ];
  expect(await issuePathsOf(mop.createTemplate({ mop: command({ commands }) }))).toEqual([
    'mop.commands.0.rules.1.eval',
    'mop.commands.0.rules.2.rule',
    'mop.commands.1.rules.0.rule',
    'mop.commands.1.rules.1.rule',
    'mop.commands.1.rules.1.ruleB',
    'mop.commands.1.rules.2.rule',
  ]);
});

test.each(['contains', '!contains', 'contains1', 'RegEx', '!RegEx', '#comparison'])(
  'a rule may be evaluated by %s',
  async (how) => {
    const commands = [{ command: 'x', rules: [rule({ eval: how, ruleB: 'x(\\d+)' })] }];
    expect((await mop.createTemplate({ mop: command({ commands }) })).insertedCount).toBe(1);
  },
);

test('an import keeps an expression that RE2 does not accept, but no unknown evaluation', async () => {
  const importing = (one: object) =>
    mop.importTemplate({
      type: 'templates',
      template: command({ commands: [{ command: 'x', rules: [rule(one)] }] }),
    });
  expect(await importing({ eval: 'RegEx', rule: '(?!x)' })).toMatchObject({ ok: 1 });
  expect(await issuePathsOf(importing({ eval: 'sometimes' }))).toEqual(['template.commands.0.rules.0.eval']);
});

test('an operator in a client’s spelling is read, and both spellings are stored then', async () => {
  const rules = [{ type: 'matches', preRegex: 'a', postRegex: 'b', evaulator: '!=' }];
  const { ops } = await mop.createAnalyticTemplate({
    template: analytic({ prepostCommands: [{ preRawCommand: 'x', postRawCommand: 'x', rules }] }),
  });
  expect(ops[0]?.prepostCommands).toMatchObject([{ rules: [{ ...rules[0], evaluator: '!=' }] }]);
  const twice = [{ rules: [{ preRegex: '(', evaluator: '=', evaulator: '!=' }] }];
  const call = mop.createAnalyticTemplate({ template: analytic({ prepostCommands: twice }) });
  expect(await issuePathsOf(call)).toEqual([
    'template.prepostCommands.0.rules.0.preRegex',
    'template.prepostCommands.0.rules.0.evaulator',
  ]);
});

test('two texts are compared line by line', async () => {
  expect(await mop.diff({ pre: 'a\nb\n', post: 'a\nc\n' })).toEqual([
    [0, 'a\n'],
    [-1, 'b\n'],
    [1, 'c\n'],
  ]);
});

test('a command template that does not exist cannot be run', async () => {
  const call = mop.runCommandTemplate({ template: 'Nobody', devices: ['edge-1'] });
  expect(await rejectionOf(call)).toMatchObject({ code: 'NOT_FOUND' });
});

const draft = (...commands: object[]) => ({ name: 'Draft', commands }) as never;

test('a template that is not stored is tried on outputs, rule by rule', async () => {
  const tried = await mop.testTemplate({
    template: draft(
      {
        command: 'show version',
        rules: [rule(), rule({ rule: 'uptime is (\\d+)', eval: 'RegEx', severity: 'warning' })],
      },
      { command: 'show clock', rules: [rule({ rule: '(', eval: 'RegEx' }), rule({ eval: 'odd' })] },
    ),
    outputs: ['Version 15.2(4)E10, uptime is 3 weeks', '12:00'],
    variables: { release: '15.2' },
  });
  expect(tried).toMatchObject({
    result: false,
    commands: [
      {
        index: 0,
        evaluated: 'show version',
        result: true,
        parameters: { release: '15.2' },
        rules: [
          { rule: 'Version 15.2', raw: 'Version <!release!>', result: true, severity: 'error' },
          { result: true, severity: 'warning' },
        ],
      },
      {
        index: 1,
        result: false,
        rules: [
          { result: false, error: expect.stringContaining('missing closing )') },
          { result: false, error: expect.stringContaining('odd') },
        ],
      },
    ],
  });
});

test('a command of a tried template without an output, or without a value, says so; a list repeats it', async () => {
  const tried = await mop.testTemplate({
    template: draft(
      { command: 'show vlan <!vlan!>', rules: [rule({ rule: '<!vlan!> active' })] },
      { command: 'show <!what!>' },
      { command: 'show clock' },
    ),
    outputs: ['10 active', '', null],
    variables: { vlan: [10, 20] },
  });
  expect(tried.commands).toMatchObject([
    { index: 0, evaluated: 'show vlan 10', result: true },
    { index: 0, evaluated: 'show vlan 20', result: false },
    { index: 1, result: false, error: expect.stringContaining('variable what has no value') },
    { index: 2, result: false, error: 'No output was sent for this command' },
  ]);
});

test('a try has an output for no more commands than there are, and as many as a run', async () => {
  const tooMany = mop.testTemplate({ template: draft({ command: 'show clock' }), outputs: ['a', 'b'] });
  expect(await issuePathsOf(tooMany)).toEqual(['outputs']);
  const commands = Array.from({ length: 1001 }, () => ({ command: 'show clock' }));
  expect(await issuePathsOf(mop.testTemplate({ template: draft(...commands), outputs: [] }))).toEqual([
    'template.commands',
  ]);
  const template = draft({ command: 'show <!a!> <!b!>' });
  const variables = { a: Array.from({ length: 40 }, String), b: Array.from({ length: 26 }, String) };
  expect(await issuePathsOf(mop.testTemplate({ template, outputs: [], variables }))).toEqual(['variables']);
});

test.skipIf(!isLong)(
  'a try that takes too much is ended, and other requests are answered meanwhile',
  async () => {
    const commands = Array.from({ length: 1000 }, () => ({ command: 'show clock', rules: [rule()] }));
    let isOver = false;
    const costly = rejectionOf(
      mop.testTemplate({
        template: draft(...commands),
        outputs: commands.map(() => 'y'),
        variables: { release: Array.from({ length: 1000 }, (_, index) => `${index}`.padStart(2000)) },
      }),
    ).finally(() => {
      isOver = true;
    });
    await mop.listTemplates({});
    expect(isOver).toBe(false);
    expect(await costly).toMatchObject({ code: 'UNPROCESSABLE_CONTENT' });
  },
);

test('designers write templates, operators run them', async () => {
  expect(
    await rolesThatMay(service, (as) => as.mop.testTemplate({ template: draft(), outputs: [] })),
  ).toEqual(['admin', 'apiread', 'apiwrite', 'designer']);
  expect(await rolesThatMay(service, (as) => as.mop.listTemplates({}))).toEqual([
    'admin',
    'apiread',
    'designer',
  ]);
  expect(await rolesThatMay(service, (as) => as.mop.deleteTemplate({ id: 'Nobody' }))).toEqual([
    'admin',
    'apiwrite',
    'designer',
  ]);
  const running = (as: Awaited<ReturnType<typeof service.as>>) =>
    as.mop.runCommandTemplate({ template: 'Nobody', devices: [] });
  expect(await rolesThatMay(service, running)).toEqual(['admin', 'apiwrite', 'engineering']);
});
