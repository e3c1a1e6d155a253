import { expect, test } from 'vitest';
import { openLab } from '../../helpers/devices/lab.ts';
import { done as doTask, worldOf } from '../../helpers/jobs/task-runs.ts';

const lab = await openLab();
const { done, addDevice, addDownDevice } = lab;
await addDevice('edge-1', { version: 'Version 17.9' });
await addDownDevice('edge-9');
await done('POST', '/mop/createTemplate', {
  mop: {
    name: 'Check version',
    passRule: true,
    commands: [
      { command: 'show version', passRule: true, rules: [{ rule: '<!version!>', eval: 'contains' }] },
    ],
  },
});
await done('POST', '/mop/createAnalyticTemplate', {
  template: {
    name: 'Kept',
    prepostCommands: [
      {
        preRawCommand: 'show version',
        postRawCommand: 'show version',
        rules: [{ type: 'matches', evaluator: '=' }],
      },
    ],
  },
});

const { caller } = await lab.callerWith('admin');
const world = worldOf(lab, caller.id);
const task = (name: string, incoming: object, as = world) => doTask('MOP', name, { ...incoming }, as);

const checked = (version: string, devices: unknown = ['edge-1']) =>
  task('RunCommandTemplate', { template: 'Check version', devices, variables: { version } });

test('a check that does not pass is a success with that result: workflows branch on it', async () => {
  for (const [version, result] of [
    ['17.9', true],
    ['16.1', false],
  ] as const) {
    expect(await checked(version)).toMatchObject({
      finish: 'success',
      outgoing: { mop_template_results: { name: 'Check version', result, commands_results: [{ result }] } },
    });
  }
});

test('a device that is down fails the check, not the task', async () => {
  const { finish, outgoing } = await checked('17.9', ['edge-9', 'edge-1']);
  expect(finish).toBe('success');
  expect(outgoing.mop_template_results).toMatchObject({
    result: false,
    commands_results: [
      { device: 'edge-9', result: false, error: expect.any(String) },
      { device: 'edge-1', result: true },
    ],
  });
});

test('what keeps the check from being made is an error that names it', async () => {
  expect(await checked('17.9', ['edge-77'])).toMatchObject({
    finish: 'error',
    error: { code: 'BAD_REQUEST', message: expect.stringContaining('edge-77') },
  });
  expect(await checked('17.9', [5])).toMatchObject({ finish: 'error', error: { variable: 'devices.0' } });
  expect(await task('RunCommandTemplate', { template: 'Nothing', devices: ['edge-1'] })).toMatchObject({
    finish: 'error',
    error: { code: 'NOT_FOUND' },
  });
});

test('a job reads what the account may for whom it runs', async () => {
  const { caller: other } = await lab.callerWith('engineering');
  const mine = await task('listATemplate', { name: 'Check version' }, worldOf(lab, other.id));
  expect(mine).toMatchObject({ finish: 'success', outgoing: { template: { name: 'Check version' } } });
  expect(await task('listAnAnalyticTemplate', { name: 'Nothing' })).toMatchObject({ finish: 'error' });
});

test('two runs are compared, as the tasks before gave them', async () => {
  const results = async (devices: string[]) => (await checked('17.9', devices)).outgoing.mop_template_results;
  const [pre, post] = [await results(['edge-1']), await results(['edge-1'])];
  for (const name of ['runAnalyticsTemplate', 'runAnalyticsTemplateDevices']) {
    expect(await task(name, { pre, post, analytic_template_name: 'Kept', variables: '' })).toMatchObject({
      finish: 'success',
      outgoing: { analytic_result: { name: 'Kept', result: true, analytic_result: [{ device: 'edge-1' }] } },
    });
  }
  const down = await results(['edge-9', 'edge-1']);
  expect(
    await task('runAnalyticsTemplateDevices', { pre: down, post: down, analytic_template_name: 'Kept' }),
  ).toMatchObject({ outgoing: { analytic_result: { result: false } } });
  const entries = (pre as { commands_results: object[] }).commands_results;
  expect(
    await task('runAnalyticsTemplate', { pre: entries, post, analytic_template_name: 'Kept' }),
  ).toMatchObject({
    finish: 'error',
    error: { variable: 'pre' },
  });
});

test('commands are sent without a template, and one of a template by its place', async () => {
  expect(await task('RunCommand', { command: 'show version', device: 'edge-1' })).toMatchObject({
    finish: 'success',
    outgoing: { result: { device: 'edge-1', result: true, response: expect.stringContaining('17.9') } },
  });
  expect(
    await task('RunCommandDevices', { command: 'show version', devices: ['edge-9', 'edge-1'] }),
  ).toMatchObject({
    finish: 'success',
    outgoing: { results: [{ result: false }, { result: true }] },
  });
  expect(
    await task('RunCommandTemplateSingleCommand', {
      templateId: 'Check version',
      commandIndex: '0',
      devices: 'edge-1',
      variables: { version: '17' },
    }),
  ).toMatchObject({ finish: 'success', outgoing: { mop_template_results: { result: true } } });
});

test('a job that is canceled waits for no device', async () => {
  const canceled = worldOf(lab, caller.id, { signal: AbortSignal.abort() });
  const { finish } = await task('RunCommand', { command: 'show hang', device: 'edge-1' }, canceled);
  expect(finish).toBe('error');
});
