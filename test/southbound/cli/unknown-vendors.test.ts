import { afterAll, expect, test } from 'vitest';
import { DRIVERS } from '#server/platforms/index.ts';
import { openCli } from '#server/southbound/cli/cli.ts';
import { compileDrivers } from '#server/southbound/cli/driver.ts';
import { openAnsweringDevice } from '../../helpers/devices/answering-device.ts';
import { at, never } from '../../helpers/devices/cli.ts';

const cli = openCli({ allowPrivateTargets: true, insecure: () => undefined });
const opened: Awaited<ReturnType<typeof openAnsweringDevice>>[] = [];
afterAll(async () => {
  await cli.close();
  for (const device of opened) void device.close();
});

const VERSION = 'Vendor OS 1.2\r\nup 3 weeks\r\n';

/** Opens a device, and a target of it that is of no known kind. */
async function deviceOf(behaviour: Parameters<typeof openAnsweringDevice>[0]) {
  const device = await openAnsweringDevice(behaviour);
  opened.push(device);
  return { device, target: at(device, { deviceType: 'generic' }) };
}

test.each(['generic', 'cisco_ios'])(
  'a device that ends lines by carriage returns alone answers: %s',
  async (deviceType) => {
    const { target } = await deviceOf({
      prompt: 'box#',
      eol: '\r',
      answers: { 'show version': VERSION.replaceAll('\n', ''), 'show file': 'a\r\rb\r\nc\r' },
    });
    const { result } = await cli.run({ ...target, deviceType }, ['show version', 'show file'], never());
    expect(result.map(({ output }) => output)).toEqual(['Vendor OS 1.2\nup 3 weeks', 'a\n\nb\nc']);
  },
);

test('outputs without a line end are kept, and their session is used again', async () => {
  const { target } = await deviceOf({
    prompt: 'root@box:~# ',
    answers: { one: 'first', two: 'second\r\nthird', three: 'fourth' },
  });
  const commands = ['one', 'two', 'three'];
  const { result } = await cli.run(target, commands, never());
  expect(result.map(({ output }) => output)).toEqual(['first', 'second\nthird', 'fourth']);
  expect(result.map(({ prompt }) => prompt)).toEqual(Array(3).fill('root@box:~#'));
  const again = await cli.run(target, commands, never());
  expect(again.session?.reused).toBe(true);
  expect(again.result.map(({ output }) => output)).toEqual(['first', 'second\nthird', 'fourth']);
});

test('a prompt that marks unsaved changes behind its name is known at once', async () => {
  let isChanged = () => false;
  const { device, target } = await deviceOf({
    prompt: () => (isChanged() ? 'box*#' : 'box#'),
    answers: { 'set mtu 9000': '', 'show version': VERSION },
  });
  isChanged = () => device.read.includes('set mtu 9000');
  const { result } = await cli.run(target, ['set mtu 9000', 'show version'], never());
  expect(result.map(({ output, prompt }) => [output, prompt])).toEqual([
    ['', 'box*#'],
    ['Vendor OS 1.2\nup 3 weeks', 'box*#'],
  ]);
  const again = await cli.run(target, ['show version'], never());
  expect(again.session?.reused).toBe(true);
});

test.each([
  '2026-11-30T03:%t:07Z leaf-1# ',
  '2026-11-30 03:%t:07+01:00 leaf-1# ',
  '[17960000%t] leaf-1# ',
  'Primary@slb-1-2026/11/30-03:%t> ',
])('a prompt with the time as %j is found', async (prompt) => {
  let count = 10;
  const { target } = await deviceOf({
    prompt: () => prompt.replace('%t', String(count++)),
    answers: { 'show version': VERSION },
  });
  const { result } = await cli.run(target, ['show version', 'show version'], never());
  expect(result.map(({ output }) => output)).toEqual(Array(2).fill('Vendor OS 1.2\nup 3 weeks'));
});

test('a prompt that ends with an arrow is found', async () => {
  const { target } = await deviceOf({ prompt: 'svc in ~ ➜ ', answers: { 'show version': VERSION } });
  const { result } = await cli.run(target, ['show version'], never());
  expect(result[0]).toMatchObject({ output: 'Vendor OS 1.2\nup 3 weeks', prompt: 'svc in ~ ➜' });
});

test('a banner that pauses behind a character that ends prompts is no prompt', async () => {
  const { target } = await deviceOf({
    greeting: ['\r\n######\r\n#', 1500, ' For us #\r\n######', 1500, '\r\n'],
    prompt: 'box#',
    answers: { 'show version': VERSION },
  });
  const { result } = await cli.run(target, ['show version'], never());
  expect(result[0]).toMatchObject({ output: 'Vendor OS 1.2\nup 3 weeks', prompt: 'box#' });
});

test('a device that reads only the carriage return of a key is sent that', async () => {
  const { device, target } = await deviceOf({
    prompt: 'C:\\Users\\svc>',
    enter: '\r',
    answers: { 'show version': VERSION },
  });
  const { result } = await cli.run(target, ['show version'], never());
  expect(result[0]?.output).toBe('Vendor OS 1.2\nup 3 weeks');
  expect(device.read).toContain('show version');
});

test('a line of a long output that ends as prompts do, and rests, ends no command', async () => {
  const map = Array.from({ length: 40 }, (_, index) => `10.0.0.${index} -> b`);
  const { target } = await deviceOf({
    prompt: 'box#',
    answers: {
      'show map': [`${map.join('\r\n')}\r\n10.0.1.0 ->`, 2500, ' b\r\nend\r\n'],
      'show version': VERSION,
    },
  });
  const { result } = await cli.run(target, ['show map', 'show version'], never(10_000));
  expect(result.map(({ output }) => output)).toEqual([
    [...map, '10.0.1.0 -> b', 'end'].join('\n'),
    'Vendor OS 1.2\nup 3 weeks',
  ]);
});

test('a line that is no prompt of a known kind of device, and rests, ends no command', async () => {
  const { target } = await deviceOf({
    prompt: 'box#',
    answers: {
      'terminal length 0': '',
      'terminal width 511': '',
      'show cost': ['cost in $', 2500, ' and more\r\n'],
    },
  });
  const { result } = await cli.run({ ...target, deviceType: 'cisco_ios' }, ['show cost'], never(10_000));
  expect(result[0]?.output).toBe('cost in $ and more');
});

const LONG = `set description ${'abcdefghi '.repeat(110)}end`;
const rows = (width: number, between: string) =>
  `box#${LONG}`
    .match(new RegExp(`.{1,${width}}`, 'g'))
    ?.join(between)
    .slice('box#'.length) ?? '';
/** A device that shows the end of a long command behind `$`. */
const scrolled = (width: number) => {
  const line = `box#${LONG}`;
  let shown = line.slice('box#'.length, width);
  for (let from = width; from < line.length; from += width - 10)
    shown += `${'\b'.repeat(width)}${`box#$${line.slice(from, from + width - 10)}`.padEnd(width)}`;
  return shown;
};

test.each([
  ['wrapped by line ends at 80', rows(80, '\r\n')],
  ['wrapped by line ends at 132', rows(132, '\r\n')],
  ['wrapped by blanks at 80', rows(80, ' \r')],
  ['wrapped by blanks at 132', rows(132, ' \r')],
  ['wrapped by blanks at the width of our terminal', rows(511, ' \r')],
  ['scrolled at 80', scrolled(80)],
  ['scrolled at 511', scrolled(511)],
])('the echo of a long command is no output: %s', async (_, shown) => {
  const { target } = await deviceOf({
    prompt: 'box#',
    echo: (command) => `${command === LONG ? shown : command}\r\n`,
    answers: { [LONG]: 'done\r\n' },
  });
  const { result } = await cli.run(target, [LONG], never());
  expect(result[0]?.output).toBe('done');
});

test('output in Windows-1252 is read', async () => {
  const { target } = await deviceOf({
    prompt: 'box#',
    answers: { text: Buffer.from([0x93, 0xfc, 0x94, 0x20, 0x80, 0x35, 0x85, 0x0d, 0x0a]) },
  });
  const { result } = await cli.run(target, ['text'], never());
  expect(result[0]?.output).toBe('“ü” €5…');
});

const EXPIRED = {
  message: expect.stringContaining('requires a new password to be set first'),
  extra: { reason: 'DEVICE_AUTH_FAILED', retryable: false },
};

test('a device that requests a change of the password is left at once', async () => {
  const { target } = await deviceOf({
    prompt: 'box#',
    answers: {},
    authenticate: (context) => {
      if (context.method !== 'password') return context.reject(['password']);
      context.requestChange('Your password has expired', () => context.reject());
    },
  });
  await expect(cli.run(target, ['show version'], never())).rejects.toMatchObject(EXPIRED);
});

test('a device that asks for a new password while it signs in gets none', async () => {
  const heard: unknown[] = [];
  const { target } = await deviceOf({
    prompt: 'box#',
    answers: {},
    authenticate: (context) => {
      if (context.method !== 'keyboard-interactive') return context.reject(['keyboard-interactive']);
      const fresh = ['New password: ', 'Retype new password: '].map((prompt) => ({ prompt, echo: false }));
      context.prompt([{ prompt: 'Password: ', echo: false }], () =>
        context.prompt(fresh, '', 'Your password has expired', (answers) => {
          heard.push(...answers);
          context.reject();
        }),
      );
    },
  });
  await expect(cli.run(target, ['show version'], never())).rejects.toMatchObject(EXPIRED);
  expect(heard).toEqual([]);
});

test('a shell that wants a new password is not told the old one', async () => {
  const { device, target } = await deviceOf({
    greeting: ['Your password has expired. Choose a new one.\r\n'],
    prompt: 'Enter a password: ',
    answers: {},
  });
  await expect(cli.run(target, ['show version'], never())).rejects.toMatchObject(EXPIRED);
  expect(device.read).not.toContain(target.password);
});

const drivers = compileDrivers(DRIVERS);
const fails = (deviceType: string, line: string) => drivers.get(deviceType)?.isFailure(line);

test.each([
  ['cisco_ios', '% Authorization failed.'],
  ['cisco_xr', '% This command is not authorized'],
  ['cisco_nxos', '% Permission denied for the role'],
  ['arista_eos', "% Authorization denied for command 'reload'"],
  ['juniper_junos', 'permission denied.'],
  ['hp_comware', 'Permission denied.'],
  ['huawei', 'Error: No permission to run the command.'],
  ['paloalto_panos', 'Permission denied'],
  ['fortinet', 'Permission denied. Return code -37'],
  ['mikrotik_routeros', 'not enough permissions (9)'],
  ['aruba_aoscx', 'Cannot execute command. Command not allowed.'],
  ['ruckus_fastiron', 'Not authorized to execute this command.'],
  ['hp_procurve', 'Not authorized to run this command.'],
  ['linux', 'svc is not in the sudoers file.'],
  ['generic', 'You do not have permission to do that'],
])('a command that the account of a device of type %s may not run has failed: %j', (deviceType, line) => {
  expect([fails(deviceType, line), fails('generic', line) || deviceType === 'linux']).toEqual([true, true]);
});

test.each([
  "%% Invalid input detected at '^' marker.",
  " % Too many parameters found at '^' position.",
  '%  " foo "  Unknown command.',
  '% Bad IP address or host name',
  '% No matching command found.',
  'Invalid command [foo]',
  'Incomplete input: vlan',
  "'foo' is not recognized as an internal or external command,",
  '^-----unknown keyword foo',
  'E101: Command Not Found',
  "command parse error before 'x'",
  'Command fail. Return code -61',
  'bad command name foo (line 1 column 1)',
  'failure: already have such name',
  "MINOR: MGMT_CORE #2201: Unknown element - 'foo'",
  "Parsing error: Unknown token 'foo'. Options are",
  'Server error : no such node',
  '01070734:3: Configuration error: x',
  "SHELL PARSER FAILURE: 'foo' - invalid input",
  "CLINFR0329  Invalid command:'foo'.",
  'Aborted: by user',
  'Commit failed',
  '-bash: foo: command not found',
])('a device of an unknown kind that answers %j has rejected the command', (line) => {
  expect(fails('generic', line)).toBe(true);
});

test.each([
  '  % Total    % Received % Xferd  Average Speed',
  '% Failed  % Passed',
  '  Error: 12',
  'Errors: 0',
  'Invalid packets: 3',
  'MAJOR: 2',
  'Aborted: 0',
  'failure: 0',
  'Access denied packets: 5',
  'not authorized ports: 3',
  'Authorization failures: 3',
  '%SYS-5-CONFIG_I: Configured from console',
  'Unknown protocol drops: 0',
  'Command history',
])('%j is an output', (line) => {
  expect(['generic', 'cisco_ios', 'juniper_junos'].map((type) => fails(type, line))).toEqual([
    false,
    false,
    false,
  ]);
});
