import { expect, test } from 'vitest';
import { addEdge } from '../../helpers/devices/job-device.ts';
import { openJobs } from '../../helpers/jobs/running-jobs.ts';
import { failure, onError, revert, success, task, workflowOf } from '../../helpers/workflows.ts';

const jobs = await openJobs();
const { send, store, start, comes } = jobs;

const script = await addEdge(jobs);

const template = await send('admin', 'POST', '/mop/createTemplate', {
  mop: {
    name: 'Is up',
    passRule: true,
    commands: [
      { command: 'show version', passRule: true, rules: [{ rule: 'Gi1 is <!state!>', eval: 'contains' }] },
    ],
  },
});
expect(template.status, template.text).toBe(200);

const mop = (name: string, incoming: object, outgoing: object) =>
  task(name, { ...incoming }, { ...outgoing }, { app: 'MOP', type: 'automatic' });
const check = (state: string, devices = '$var.job.devices') =>
  mop(
    'RunCommandTemplate',
    { template: 'Is up', devices, variables: { state } },
    { mop_template_results: null },
  );
const passed = (id: string) =>
  task('evaluation', {
    all_true_flag: true,
    evaluation_groups: [
      {
        all_true_flag: true,
        evaluations: [
          {
            operand_1: { task: id, variable: 'mop_template_results' },
            query: 'result',
            operator: '==',
            operand_2: { task: 'static', variable: true },
          },
        ],
      },
    ],
  });

/** The device is down until it has been queried this many times. */
function comesUpAfter(requested: number): void {
  let left = requested;
  Object.defineProperty(script, 'version', {
    configurable: true,
    get: () => `Gi1 is ${left-- > 0 ? 'down' : 'up'}`,
  });
}

const turnUp = workflowOf(
  'Turn up',
  {
    a1: check('up'),
    b1: passed('a1'),
    c1: mop(
      'reattempt',
      { job_id: '65f0c1d2e3a4b5c6d7e8f901', attemptID: 'up', minutes: 0, attempts: 3 },
      { response: null },
    ),
    d1: task('newVariable', { name: 'outcome', value: 'gave up' }, { value: null }),
  },
  {
    transitions: {
      workflow_start: { a1: success },
      a1: { b1: success, d1: onError },
      b1: { workflow_end: success, c1: failure },
      c1: { a1: revert('success'), d1: onError },
      d1: { workflow_end: success },
      workflow_end: {},
    },
  },
);
await store(turnUp);

test('a workflow checks again until the device passes', async () => {
  comesUpAfter(2);
  const { _id } = await start('Turn up', { devices: ['edge-1'] });
  const { variables } = await comes(_id, 'complete');
  expect(variables?.outcome).toBeUndefined();
});

test('a workflow gives up when the attempts are used up', async () => {
  comesUpAfter(1000);
  const { _id } = await start('Turn up', { devices: ['edge-1'] });
  const { variables } = await comes(_id, 'complete');
  expect(variables?.outcome).toBe('gave up');
});

test('a device that is not known is an error of the task, and its edge is taken', async () => {
  const { _id } = await start('Turn up', { devices: ['edge-77'] });
  const { variables } = await comes(_id, 'complete');
  expect(variables?.outcome).toBe('gave up');
});
