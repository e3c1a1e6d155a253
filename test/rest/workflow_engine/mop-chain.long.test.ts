import { expect, test } from 'vitest';
import type { Job } from '#db/schemas/workflow/job.ts';
import { liveDevices } from '../../helpers/devices/live-devices.ts';
import { openJobs } from '../../helpers/jobs/running-jobs.ts';
import { failure, onError, success, task, workflowOf } from '../../helpers/workflows.ts';

/** The chain of docs/mop.md, "A change between two checks", started as a user starts it: all of it over REST. */
const jobs = await openJobs();
const { send, comes, platform } = jobs;
const done = async (method: string, path: string, body?: unknown) => {
  const answer = await send('admin', method, path, body);
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
  return answer.json as { data: { _id: string; name: string } };
};
const addDevice = liveDevices(done, platform.cli);

const SHOW = 'show running-config';
await done('POST', '/mop/createTemplate', {
  mop: {
    name: 'Keeps time',
    passRule: true,
    commands: [
      {
        command: SHOW,
        passRule: true,
        rules: [{ rule: '^ntp server \\S+', eval: 'RegEx', flags: { multiline: true } }],
      },
    ],
  },
});
await done('POST', '/mop/createAnalyticTemplate', {
  template: {
    name: 'Same name, more time servers',
    prepostCommands: [
      {
        preRawCommand: SHOW,
        postRawCommand: SHOW,
        rules: [
          { type: 'matches', preRegex: '/hostname (\\S+)/', postRegex: '/hostname (\\S+)/', evaluator: '=' },
          { type: 'table', preRegex: '/ntp server \\S+/', postRegex: '/ntp server \\S+/', evaluator: '<' },
        ],
      },
    ],
  },
});

const mop = (name: string, incoming: object, outgoing: object) =>
  task(name, { ...incoming }, { ...outgoing }, { app: 'MOP', type: 'automatic' });
const check = () =>
  mop(
    'RunCommandTemplate',
    { template: 'Keeps time', devices: '$var.job.device', variables: {} },
    { mop_template_results: null },
  );
const push = (commands: string) =>
  task(
    'sendCommand',
    { host: '$var.job.device', commands, connection_options: {} },
    { result: null },
    { app: 'AutomationGateway', type: 'automatic' },
  );
const holds = (id: string, variable: string) =>
  task('evaluation', {
    all_true_flag: true,
    evaluation_groups: [
      {
        all_true_flag: true,
        evaluations: [
          {
            operand_1: { task: id, variable },
            query: 'result',
            operator: '==',
            operand_2: { task: 'static', variable: true },
          },
        ],
      },
    ],
  });
const outcome = (value: string) => task('newVariable', { name: 'outcome', value }, { value: null });

const workflow = workflowOf(
  'Add a time server',
  {
    a1: check(),
    a2: holds('a1', 'mop_template_results'),
    b1: push('$var.job.change'),
    c1: check(),
    c2: mop(
      'runAnalyticsTemplate',
      {
        pre: '$var.a1.mop_template_results',
        post: '$var.c1.mop_template_results',
        analytic_template_name: 'Same name, more time servers',
        variables: {},
      },
      { analytic_result: null },
    ),
    c3: holds('c2', 'analytic_result'),
    d1: push('$var.job.wayBack'),
    e1: outcome('changed'),
    e2: outcome('taken back'),
    e3: outcome('not begun'),
  },
  {
    transitions: {
      workflow_start: { a1: success },
      a1: { a2: success, e3: onError },
      a2: { b1: success, e3: failure },
      b1: { c1: success, d1: onError },
      c1: { c2: success, d1: onError },
      c2: { c3: success, d1: onError },
      c3: { e1: success, d1: failure },
      d1: { e2: success },
      e1: { workflow_end: success },
      e2: { workflow_end: success },
      e3: { workflow_end: success },
      workflow_end: {},
    },
  },
);
await jobs.store(workflow);
const automation = await done('POST', '/operations-manager/automations', {
  name: 'Add a time server',
  componentType: 'workflows',
  componentName: 'Add a time server',
});
const trigger = await done('POST', '/operations-manager/triggers', {
  name: 'By hand',
  type: 'manual',
  actionType: 'automations',
  actionId: automation.data._id,
  legacyWrapper: false,
});

const BEFORE = ['hostname edge-r1', 'logging host 192.0.2.9', 'ntp server 192.0.2.1'];
const run = async (device: string, change: string[], wayBack: string[]): Promise<Job> => {
  const started = await done('POST', `/operations-manager/triggers/manual/${trigger.data._id}/run`, {
    formData: {
      device,
      change: ['configure terminal', ...change, 'end'],
      wayBack: ['configure terminal', ...wayBack, 'end'],
    },
  });
  return comes(started.data._id, 'complete');
};

test('a change that passes its checks stays on the device', async () => {
  const { name, config, simulated } = await addDevice(BEFORE);
  const { variables } = await run(name, ['ntp server 192.0.2.2'], ['no ntp server 192.0.2.2']);
  expect(variables).toMatchObject({ outcome: 'changed' });
  expect(config.running).toEqual([...BEFORE, 'ntp server 192.0.2.2']);
  expect(simulated.heard.filter((command) => command === SHOW)).toHaveLength(2);
});

test('a change that does not pass is rolled back: the configuration is as it was', async () => {
  const { name, config, simulated } = await addDevice(BEFORE);
  const { variables } = await run(
    name,
    ['ntp server 192.0.2.2', 'no ntp server 192.0.2.1'],
    ['no ntp server 192.0.2.2', 'ntp server 192.0.2.1'],
  );
  expect(variables).toMatchObject({ outcome: 'taken back' });
  // It was changed meanwhile.
  expect(simulated.heard).toContain('ntp server 192.0.2.2');
  expect(config.running).toEqual(BEFORE);
});

test('a change that breaks the connection off is rolled back too', async () => {
  const { name, config } = await addDevice(BEFORE);
  const { variables } = await run(name, ['ntp server 192.0.2.2', 'drop'], ['no ntp server 192.0.2.2']);
  expect(variables).toMatchObject({ outcome: 'taken back' });
  expect(config.running).toEqual(BEFORE);
});

test('a device that does not pass the first check is not touched', async () => {
  const without = BEFORE.slice(0, 2);
  const { name, config, simulated } = await addDevice(without);
  const { variables } = await run(name, ['ntp server 192.0.2.2'], ['no ntp server 192.0.2.2']);
  expect(variables).toMatchObject({ outcome: 'not begun' });
  expect(config.running).toEqual(without);
  expect(simulated.heard).not.toContain('configure terminal');
});
