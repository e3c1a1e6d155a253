import { expect, test } from 'vitest';
import type { AnalyticTemplate, CommandTemplate } from '#db/schemas/network/mop-template.ts';
import { task, workflow } from '../../helpers/assets.ts';
import { issuesOf } from '../../helpers/configuration.ts';
import { openStudio } from '../../helpers/studio.ts';

const { send, done, addWorkflow, callerWith } = await openStudio();

let counter = 0;
const rule = (change: object = {}) => ({ rule: 'Version <!release!>', eval: 'contains', ...change });
const command = (change: object = {}) => ({
  name: `IOS / precheck ${counter++}`,
  os: 'cisco-ios',
  passRule: true,
  commands: [{ command: 'show version', passRule: true, rules: [rule()] }],
  ...change,
});
const analytic = (change: object = {}) => ({
  name: `Before & after ${counter++}`,
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
});
type Created<Doc> = { result: object; ops: Doc[]; insertedCount: number; insertedIds: object };

const KINDS = [
  {
    word: 'command',
    wrapper: 'mop',
    sent: command,
    type: 'templates',
    paths: {
      create: '/mop/createTemplate',
      list: '/mop/listTemplates',
      one: '/mop/listATemplate',
      update: '/mop/updateTemplate',
      remove: '/mop/deleteTemplate',
    },
    user: (name: string) => task('RunCommandTemplate', { template: name, devices: [] }),
  },
  {
    word: 'analytic',
    wrapper: 'template',
    sent: analytic,
    type: 'analytics',
    paths: {
      create: '/mop/createAnalyticTemplate',
      list: '/mop/listAnalyticTemplates',
      one: '/mop/listAnAnalyticTemplate',
      update: '/mop/updateAnalyticTemplate',
      remove: '/mop/deleteAnalyticTemplate',
    },
    user: (name: string) => task('runAnalyticsTemplate', { analytic_template_name: name }),
  },
] as const;

const at = (path: string, name: string) => `${path}/${encodeURIComponent(name)}`;

type Doc = (CommandTemplate | AnalyticTemplate) & { _id: string };

for (const { word, wrapper, sent, type, paths, user } of KINDS) {
  const create = async (change: object = {}): Promise<Doc> => {
    const { ops } = await done<Created<Doc>>('POST', paths.create, { [wrapper]: sent(change) });
    return ops[0] as Doc;
  };
  const read = (name: string) => done<Doc[]>('GET', at(paths.one, name));

  test(`${word} templates: the id is the name, the stamps are ours, all else is kept`, async () => {
    const given = sent({
      _id: 'other',
      created: 'once',
      createdBy: 7,
      lastUpdated: 1,
      oddity: { kept: [null] },
    });
    const before = Date.now();
    const answer = await done<Created<Doc>>('POST', paths.create, { [wrapper]: given });
    const { caller } = await callerWith('admin');
    const stamp = expect.any(Number);
    const doc = {
      description: '',
      namespace: null,
      ...given,
      _id: given.name,
      created: stamp,
      lastUpdated: stamp,
      createdBy: caller.username,
      lastUpdatedBy: caller.username,
    };
    expect(answer).toEqual({
      result: { ok: 1, n: 1 },
      ops: [doc],
      insertedCount: 1,
      insertedIds: { '0': given.name },
    });
    expect(answer.ops[0]?.created).toBeGreaterThanOrEqual(before);
    expect(await read(given.name)).toEqual(answer.ops);
    expect(await done<Doc[]>('GET', paths.list, undefined, { as: 'designer' })).toContainEqual(answer.ops[0]);
  });

  test(`${word} templates: a taken name is refused in the words that clients know`, async () => {
    const [one, other] = [await create(), await create()];
    const taken = {
      status: 409,
      json: { message: 'Template must have a unique name: Given name is already in use.' },
    };
    expect(await send('POST', paths.create, { [wrapper]: sent({ name: one.name }) })).toMatchObject(taken);
    const rename = { [wrapper]: sent({ name: other.name }) };
    expect(await send('PUT', at(paths.update, one.name), rename)).toMatchObject(taken);
  });

  test(`${word} templates: an update is a whole replacement, by POST and by PUT`, async () => {
    const before = await create({ description: 'old' });
    for (const method of ['POST', 'PUT']) {
      const body = { [wrapper]: sent({ name: before.name, oddity: method }) };
      expect(await done(method, at(paths.update, before.name), body)).toEqual({
        ok: 1,
        n: 1,
        nModified: 1,
        acknowledged: true,
        matchedCount: 1,
        modifiedCount: 1,
        upsertedCount: 0,
        upsertedId: null,
      });
      const [after] = await read(before.name);
      expect(after).toMatchObject({ oddity: method, created: before.created });
      expect(after).toMatchObject({ description: '' });
      expect(after?.lastUpdated).toBeGreaterThan(before.lastUpdated ?? 0);
    }
    const stale = { ifMatch: `"${before.lastUpdated}"` };
    const body = { [wrapper]: sent({ name: before.name }) };
    expect((await send('PUT', at(paths.update, before.name), body, stale)).status).toBe(409);
    const [now] = await read(before.name);
    const fresh = { ifMatch: `"${now?.lastUpdated}"` };
    expect((await send('PUT', at(paths.update, before.name), body, fresh)).status).toBe(200);
    expect((await send('PUT', at(paths.update, 'Nobody'), body)).status).toBe(404);
  });

  test(`${word} templates: workflows follow a new name, and keep it from deletion`, async () => {
    const { name } = await create();
    const next = `${name} renamed`;
    const asks = `Runs ${name}`;
    await addWorkflow(workflow(asks, [user(name)]));
    await done('POST', at(paths.update, name), { [wrapper]: sent({ name: next }) });
    expect((await send('GET', at(paths.one, name))).status).toBe(404);
    expect(await send('POST', at(paths.remove, next))).toMatchObject({
      status: 409,
      json: {
        message: expect.stringContaining(`${next} is used by workflow ${asks}`),
        data: { ids: [next] },
      },
    });
  });

  test(`${word} templates: deleting answers how many there were`, async () => {
    const { name } = await create();
    const told = (n: number) => ({ acknowledged: true, deletedCount: n, ok: 1, n, nModified: n });
    expect(await done('POST', at(paths.remove, name))).toEqual(told(1));
    expect(await done('POST', at(paths.remove, name))).toEqual(told(0));
    expect(await send('GET', at(paths.one, name))).toMatchObject({
      status: 404,
      json: { message: 'Could not find matching template' },
    });
  });

  test(`${word} templates: an export is found by id, by name, or by both, which must hold`, async () => {
    const doc = await create();
    const ask = (options: object, as = type as string) => send('POST', '/mop/export', { options, type: as });
    for (const options of [{ _id: doc._id }, { name: doc.name }, { _id: doc._id, name: doc.name }]) {
      expect((await ask(options)).json).toEqual(doc);
    }
    for (const options of [{ name: 'no such' }, { _id: doc._id, name: 'no such' }]) {
      expect((await ask(options)).status).toBe(404);
    }
    for (const options of [{}, { name: 5 }, { name: doc.name, more: 1 }]) {
      expect((await ask(options)).status, JSON.stringify(options)).toBe(400);
    }
    expect((await ask({ name: doc.name }, 'other')).status).toBe(400);
    const otherKind = type === 'templates' ? 'analytics' : 'templates';
    expect((await ask({ name: doc.name }, otherKind)).status).toBe(404);
  });

  test(`${word} templates: an import keeps the name, or numbers it, and stamps anew`, async () => {
    const doc = await create();
    const name = `${doc.name} (1)`;
    const before = Date.now();
    expect(
      await done('POST', '/mop/import', { type, template: { ...doc, created: 5, createdBy: 'x' } }),
    ).toEqual({
      ok: 1,
      n: 1,
      name,
      _id: name,
    });
    const [copy] = await read(name);
    expect(copy?.created).toBeGreaterThanOrEqual(before);
    expect(copy?.createdBy).toBe(doc.createdBy);
    expect((await send('POST', '/mop/import', { type, template: { name: '' } })).status).toBe(400);
    expect(
      (await send('POST', '/mop/import', { type, template: { name: 'x', passRule: 'yes' } })).status,
    ).toBe(400);
  });
}

test('only the import of the analytic spelling answers 201; its export reads the spelling as well', async () => {
  const statuses = [];
  for (const type of ['templates', 'analytics', 'analytic']) {
    const template = type === 'templates' ? command() : analytic();
    statuses.push((await send('POST', '/mop/import', { type, template })).status);
    const options = { name: template.name };
    expect((await send('POST', '/mop/export', { options, type })).json).toMatchObject(template);
  }
  expect(statuses).toEqual([200, 200, 201]);
});

test('an analytic template may also be the body itself', async () => {
  const template = analytic();
  const { insertedIds } = await done<Created<AnalyticTemplate>>(
    'POST',
    '/mop/createAnalyticTemplate',
    template,
  );
  expect(insertedIds).toEqual({ '0': template.name });
  const path = `/mop/updateAnalyticTemplate/${encodeURIComponent(template.name)}`;
  expect((await send('PUT', path, { ...template, os: 'ios' })).status).toBe(200);
});

test.each(['contains', '!contains', 'contains1', 'RegEx', '!RegEx', '#comparison'])(
  'rules may be applied by %s',
  async (how) => {
    const rules = [rule({ eval: how, ruleB: 'x(\\d+)' })];
    expect(
      (await send('POST', '/mop/createTemplate', { mop: command({ commands: [{ command: 'x', rules }] }) }))
        .status,
    ).toBe(200);
  },
);

test('rules that cannot be followed are refused by their places, all at once', async () => {
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
  const answer = await send('POST', '/mop/createTemplate', { mop: command({ commands }) });
  expect(answer.status).toBe(400);
  const issues = issuesOf(answer);
  expect(issues.map((issue) => issue.split(':')[0])).toEqual([
    'mop.commands.0.rules.1.eval',
    'mop.commands.0.rules.2.rule',
    'mop.commands.1.rules.0.rule',
    'mop.commands.1.rules.1.rule',
    'mop.commands.1.rules.1.ruleB',
    'mop.commands.1.rules.2.rule',
  ]);
  expect(issues[1]).toContain('position 3');
});

test('an import keeps an expression that RE2 does not take; a way to apply it that there is not is refused', async () => {
  const importing = (one: object) =>
    send('POST', '/mop/import', {
      type: 'templates',
      template: command({ commands: [{ command: 'x', rules: [rule(one)] }] }),
    });
  expect((await importing({ eval: 'RegEx', rule: '(?!x)' })).status).toBe(200);
  const refused = await importing({ eval: 'sometimes' });
  expect(issuesOf(refused)[0]).toContain('template.commands.0.rules.0.eval');
});

test('an operator in a client’s spelling is read: both spellings tell it then', async () => {
  const rules = [{ type: 'matches', preRegex: 'a', postRegex: 'b', evaulator: '!=' }];
  const prepostCommands = [{ preRawCommand: 'x', postRawCommand: 'x', rules }, { preRawCommand: 'y' }];
  const { ops } = await done<Created<AnalyticTemplate>>('POST', '/mop/createAnalyticTemplate', {
    template: analytic({ prepostCommands }),
  });
  expect(ops[0]?.prepostCommands).toEqual([
    { ...prepostCommands[0], rules: [{ ...rules[0], evaluator: '!=' }] },
    { preRawCommand: 'y' },
  ]);
  const twice = [{ preRegex: '(', evaluator: '=', evaulator: '!=' }];
  const answer = await send('POST', '/mop/createAnalyticTemplate', {
    template: analytic({ prepostCommands: [{ rules: twice }] }),
  });
  expect(issuesOf(answer).map((issue) => issue.split(':')[0])).toEqual([
    'template.prepostCommands.0.rules.0.preRegex',
    'template.prepostCommands.0.rules.0.evaulator',
  ]);
});
