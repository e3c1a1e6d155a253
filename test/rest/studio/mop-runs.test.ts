import { expect, test } from 'vitest';
import { issuesOf } from '../../helpers/configuration.ts';
import { openLab } from '../../helpers/devices/lab.ts';

const { send, done, addDevice, addDownDevice } = await openLab();

const edge1 = await addDevice('edge-1', { version: 'Version 17.9, RELEASE\r\nfree 800 of 1,000 used 100' });
const edge2 = await addDevice('edge-2', { version: 'Version 16.1, RELEASE\r\nfree 10 of 1,000 used 990' });
await addDownDevice('edge-9');
await done('POST', '/configuration_manager/devicegroup', {
  groupName: 'edges',
  groupDescription: '',
  deviceNames: 'edge-1,edge-9',
});

type Entry = {
  raw: string;
  evaluated: string;
  device: string;
  response: string;
  result: boolean;
  error?: string;
  parameters: object;
  rules: { rule: string; result: boolean; error?: string }[];
};
type Run = { result: boolean; commands_results: Entry[]; command_results: Entry[] };

let counter = 0;
const rule = (text: string, how = 'contains', more: object = {}) => ({
  rule: text,
  eval: how,
  severity: 'error',
  ...more,
});
const command = (text: string, rules: object[] = [], passRule = true) => ({ command: text, passRule, rules });

/** A stored template of these commands; its name. */
async function template(commands: object[], more: object = {}): Promise<string> {
  const name = `Precheck ${counter++}`;
  await done('POST', '/mop/createTemplate', { mop: { name, passRule: true, commands, ...more } });
  return name;
}
const run = async (commands: object[], body: object, more: object = {}) =>
  done<Run>('POST', '/mop/RunCommandTemplate', { template: await template(commands, more), ...body });

test('a template is run on a device, and its answer has the fields that clients read', async () => {
  const name = await template([command('show version', [rule('<!release!>')])]);
  const answer = await done('POST', '/mop/RunCommandTemplate', {
    template: name,
    devices: 'edge-1',
    variables: { release: '15.2', unused: 1 },
  });
  const entry = {
    raw: 'show version',
    evaluated: 'show version',
    all_pass_flag: true,
    device: 'edge-1',
    response: expect.stringContaining('Version 17.9, RELEASE'),
    result: false,
    parameters: { release: '15.2' },
    rules: [{ rule: '15.2', raw: '<!release!>', eval: 'contains', severity: 'error', result: false }],
  };
  expect(answer).toEqual({
    all_pass_flag: true,
    result: false,
    name,
    commands_results: [entry],
    command_results: [entry],
  });
});

test('every kind of rule passes on one device and fails on another', async () => {
  const rules = [
    rule('Version 17'),
    rule('Version 16', '!contains'),
    rule('17.9', 'contains1'),
    rule('^Version 17\\.\\d+', 'RegEx', { flags: { multiline: true } }),
    rule('/version 16/', '!RegEx', { flags: { case: true } }),
    rule('/free (\\d+)/', '#comparison', { ruleB: '/used (\\d+)/', evaluator: '>' }),
    rule('/of ([\\d,]+)/', '#comparison', { ruleB: '/used (\\d+)/', evaluator: '%', percentage: 90 }),
    rule('/free (\\d+)/', '#comparison', { ruleB: '<!least!>', evaluator: '>=' }),
  ];
  const { result, commands_results } = await run([command('show version', rules)], {
    devices: ['edge-1', 'edge-2'],
    variables: { least: 500 },
  });
  expect(result).toBe(false);
  const reported = commands_results.map((entry) => [
    entry.device,
    entry.result,
    entry.rules.map((one) => one.result),
  ]);
  expect(reported).toEqual([
    ['edge-1', true, rules.map(() => true)],
    ['edge-2', false, rules.map(() => false)],
  ]);
});

test('a device that is down is a failed result with its error; the others continue', async () => {
  const commands = [command('show version', [rule('')]), command('show lines', [])];
  const { result, commands_results } = await run(commands, { devices: ['edge-9', 'edge-1'] });
  expect(result).toBe(false);
  expect(commands_results.map(({ device, raw, result: passed }) => [device, raw, passed])).toEqual([
    ['edge-9', 'show version', false],
    ['edge-9', 'show lines', false],
    ['edge-1', 'show version', true],
    ['edge-1', 'show lines', true],
  ]);
  for (const entry of commands_results) {
    expect(entry.error === undefined).toBe(entry.device === 'edge-1');
  }
  expect(commands_results[0]).toMatchObject({ response: '', rules: [{ rule: '', result: false }] });
});

test('a device that breaks off returns the output so far; later commands are errors', async () => {
  const commands = ['show version', 'show drop', 'show lines'].map((text) => command(text, [rule('')]));
  const { commands_results } = await run(commands, { devices: ['edge-2', 'edge-1'] });
  const reported = commands_results.map((entry) => [entry.device, entry.result, entry.error === undefined]);
  expect(reported).toEqual([
    ['edge-2', true, true],
    ['edge-2', false, false],
    ['edge-2', false, false],
    ['edge-1', true, true],
    ['edge-1', false, false],
    ['edge-1', false, false],
  ]);
});

test('a device group is expanded to its devices, each of which is contacted once', async () => {
  const { commands_results } = await run([command('show version')], { devices: ['edges', 'edge-1'] });
  expect(commands_results.map(({ device, result }) => [device, result])).toEqual([
    ['edge-1', true],
    ['edge-9', false],
  ]);
});

test('passRule decides at every level; warnings are ignored where the template sets that', async () => {
  const [good, bad] = [rule('Version'), rule('nothing of the kind')];
  const warning = { ...bad, severity: 'warning' };
  const verdict = async (commands: object[], more: object = {}) =>
    (await run(commands, { devices: 'edge-1' }, more)).result;
  expect(await verdict([command('show version', [good, bad], true)])).toBe(false);
  expect(await verdict([command('show version', [good, bad], false)])).toBe(true);
  const both = [command('show version', [good]), command('show version', [bad])];
  expect(await verdict(both, { passRule: true })).toBe(false);
  expect(await verdict(both, { passRule: false })).toBe(true);
  const warned = [command('show version', [good, warning])];
  expect(await verdict(warned)).toBe(false);
  expect(await verdict(warned, { ignoreWarnings: true })).toBe(true);
  expect(await verdict(both, { ignoreWarnings: true })).toBe(false);
});

test('a command with a list is run for each element; one without its variable is not sent, and fails', async () => {
  const before = edge1.simulated.heard.length;
  const commands = [
    command('show <!what!>', [rule('<!what!>', '!contains')]),
    command('show count <!count!>', []),
    command('show <!absent!>', []),
    command('show version\nreload', []),
  ];
  const { commands_results } = await run(commands, {
    devices: 'edge-1',
    variables: { what: ['version', 'utf8'], count: 3 },
  });
  expect(commands_results.map((entry) => [entry.evaluated, entry.result, entry.parameters])).toEqual([
    ['show version', true, { what: 'version' }],
    ['show utf8', true, { what: 'utf8' }],
    ['show count 3', true, { count: 3 }],
    ['show <!absent!>', false, {}],
    ['show version\nreload', false, {}],
  ]);
  expect(commands_results[3]?.error).toContain('variable absent has no value');
  expect(commands_results[4]?.error).toContain('control characters');
  const heard = edge1.simulated.heard.slice(before).filter((line) => line.startsWith('show'));
  expect(heard).toEqual(['show version', 'show utf8', 'show count 3']);
});

test('a command that the device rejects is still checked against its rules; without rules it fails', async () => {
  const commands = [command('show nonsense', [rule('Invalid input')]), command('show nonsense')];
  const { commands_results } = await run(commands, { devices: 'edge-1' });
  expect(commands_results.map(({ result }) => result)).toEqual([true, false]);
});

test('a command that the gateway rejects does not keep the others of its template from running', async () => {
  const commands = [command('show version'), command('show ?')];
  const { commands_results } = await run(commands, { devices: 'edge-1' });
  expect(commands_results.map(({ result }) => result)).toEqual([true, false]);
  expect(commands_results[1]?.error).toContain('?');
});

test('a command that a policy denies fails; the others of its template are sent', async () => {
  const policy = { name: 'no clocks', deny: ['show count'] };
  await done('POST', '/automationgateway/command_policies', { policy });
  const commands = [command('show version'), command('show count 3'), command('show lines')];
  const { commands_results } = await run(commands, { devices: 'edge-1' });
  await done('DELETE', '/automationgateway/command_policies/no%20clocks');
  expect(commands_results.map(({ result }) => result)).toEqual([true, false, true]);
  expect(commands_results[1]?.error).toContain('no clocks');
});

test('missing documents are named before any device is contacted', async () => {
  const name = await template([command('show version')]);
  const asking = (body: object) => send('admin', 'POST', '/mop/RunCommandTemplate', body);
  expect(await asking({ template: 'Nothing', devices: ['edge-1'] })).toMatchObject({
    status: 404,
    json: { message: expect.stringContaining('Could not find matching template') },
  });
  const unknown = await asking({ template: name, devices: ['edge-1', 'edge-77', 'edge-78'] });
  expect(unknown.status).toBe(400);
  expect(issuesOf(unknown).map((issue) => issue.split(':')[0])).toEqual(['devices.1', 'devices.2']);
  expect((await asking({ template: name, devices: [] })).status).toBe(400);
  expect((await asking({ template: name, devices: '' })).status).toBe(400);
  expect((await asking({ template: name, devices: 'edge-1', more: 1 })).status).toBe(400);
  expect((await send('designer', 'POST', '/mop/RunCommandTemplate', {})).status).toBe(403);
});

test('an expression that an import brought and RE2 does not take is a rule that fails, by its error', async () => {
  const commands = [command('show version', [rule('(?<!^)[a-f0-9]{32}(?=)$', 'RegEx'), rule('Version')])];
  await done('POST', '/mop/import', { type: 'templates', template: { name: 'Brought', commands } });
  const { commands_results } = await done<Run>('POST', '/mop/RunCommandTemplate', {
    template: 'Brought',
    devices: 'edge-1',
  });
  expect(commands_results[0]?.rules.map(({ result }) => result)).toEqual([false, true]);
  expect(commands_results[0]?.rules[0]?.error).toContain('look-arounds');
});

test('one command of a template is run by its place', async () => {
  const name = await template([command('show lines', []), command('show version', [rule('Version')])]);
  const asking = (commandIndex: unknown) =>
    send('admin', 'POST', '/mop/RunCommandTemplateSingleCommand', {
      templateId: name,
      commandIndex,
      devices: 'edge-1',
    });
  const answer = (await asking(1)).json as Run;
  expect(answer).toMatchObject({ name, result: true, commands_results: [{ raw: 'show version' }] });
  expect(answer.commands_results).toHaveLength(1);
  for (const wrong of [2, -1, 0.5, '0']) expect((await asking(wrong)).status).toBe(400);
});

test('a command is sent without a template, to one device or to several', async () => {
  const one = await done('POST', '/mop/RunCommand', {
    command: 'show <!what!>',
    device: 'edge-1',
    variables: { what: 'version' },
  });
  expect(one).toEqual({
    raw: 'show <!what!>',
    evaluated: 'show version',
    device: 'edge-1',
    response: expect.stringContaining('Version 17.9'),
    result: true,
  });
  const several = await done<Entry[]>('POST', '/mop/RunCommandDevices', {
    command: 'show version',
    devices: ['edge-2', 'edges'],
  });
  expect(several.map(({ device, result }) => [device, result])).toEqual([
    ['edge-2', true],
    ['edge-1', true],
    ['edge-9', false],
  ]);
  const rejections = [
    { command: 'show version', device: 'edge-77' },
    { command: 'show version', device: 'edges' },
    { command: 'show <!what!>', device: 'edge-1', variables: { what: ['a', 'b'] } },
    { command: '', device: 'edge-1' },
  ];
  for (const body of rejections) {
    expect((await send('admin', 'POST', '/mop/RunCommand', body)).status, JSON.stringify(body)).toBe(400);
  }
});

test('an analytic template compares a run before a change with one after it', async () => {
  const name = await template([command('show version', [])]);
  const analytic = `Kept ${counter++}`;
  await done('POST', '/mop/createAnalyticTemplate', {
    template: {
      name: analytic,
      prepostCommands: [
        {
          preRawCommand: 'show version',
          postRawCommand: 'show version',
          rules: [
            {
              type: 'matches',
              preRegex: '/Version (\\S+),/',
              postRegex: '/Version (\\S+),/',
              evaluator: '=',
            },
            { type: 'matches', preRegex: '/free (\\d+)/', postRegex: '/free (\\d+)/', evaluator: '>' },
          ],
        },
      ],
    },
  });
  const snap = (devices: string[]) =>
    done<Run>('POST', '/mop/RunCommandTemplate', { template: name, devices });
  const pre = await snap(['edge-1', 'edge-2']);
  edge2.script.version = 'Version 17.9, RELEASE\r\nfree 5 of 1,000 used 995';
  const post = await snap(['edge-1', 'edge-2']);
  const asking = (path: string, before: unknown, after: unknown) =>
    send('admin', 'POST', `/mop/${path}`, { pre: before, post: after, analytic_template_name: analytic });
  expect((await asking('runAnalyticsTemplateDevices', pre, post)).json).toEqual({
    name: analytic,
    result: false,
    analytic_result: [
      {
        device: 'edge-1',
        command: 'show version',
        result: false,
        rules: [
          { type: 'matches', pre: '17.9', post: '17.9', evaluator: '=', result: true },
          { type: 'matches', pre: '800', post: '800', evaluator: '>', result: false },
        ],
      },
      {
        device: 'edge-2',
        command: 'show version',
        result: false,
        rules: [
          { type: 'matches', pre: '16.1', post: '17.9', evaluator: '=', result: false },
          { type: 'matches', pre: '10', post: '5', evaluator: '>', result: true },
        ],
      },
    ],
  });
  const ambiguous = await asking('runAnalyticsTemplate', pre, post);
  expect(ambiguous.status).toBe(400);
  expect(issuesOf(ambiguous)).toHaveLength(2);
  const one = await snap(['edge-1']);
  expect(
    (await asking('runAnalyticsTemplate', one, { command_results: one.command_results })).json,
  ).toMatchObject({
    analytic_result: [{ device: 'edge-1' }],
  });
  expect((await asking('runAnalyticsTemplate', {}, one)).status).toBe(400);
  expect((await asking('runAnalyticsTemplate', one, { commands_results: [] })).status).toBe(400);
});

test('two texts, or two runs, are compared line by line', async () => {
  const diff = (pre: unknown, post: unknown) => done('POST', '/mop/diff', { pre, post });
  expect(await diff('a\nb\n', 'a\nc\n')).toEqual([
    [0, 'a\n'],
    [-1, 'b\n'],
    [1, 'c\n'],
  ]);
  const side = (response: string) => ({
    commands_results: [{ device: 'edge-1', evaluated: 'show version', response }],
  });
  expect(await diff(side('up'), side('down'))).toEqual([
    [0, 'edge-1: show version\n'],
    [-1, 'up\n'],
    [1, 'down\n'],
  ]);
  expect(await diff({ a: 1 }, { a: 1 })).toEqual([[0, '{\n  "a": 1\n}\n']]);
});

test('devices are found by a part of their names', async () => {
  expect(await done('GET', '/mop/devices/EDGE-')).toEqual(['edge-1', 'edge-2', 'edge-9']);
  expect(await done('GET', '/mop/devices/%25')).toEqual([]);
  const page = await done('POST', '/mop/deviceObjects', { options: { filter: { name: 'edge-2' } } });
  expect(page).toMatchObject({ entity: 'device', total: 1, list: [{ name: 'edge-2' }] });
});

test('a run is recorded in the audit trail, with the passwords of its command masked', async () => {
  await done('POST', '/mop/RunCommand', { command: 'username svc password Hunter-22-x', device: 'edge-1' });
  const { results } = await done<{ results: object[] }>('GET', '/audit?limit=3');
  const reported = JSON.stringify(results);
  expect(reported).toContain('mop.runCommand');
  expect(reported).not.toContain('Hunter-22-x');
});
