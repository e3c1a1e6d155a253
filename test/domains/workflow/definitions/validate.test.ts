import { expect, test } from 'vitest';
import type { Task } from '#db/schemas/workflow/task.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { validate } from '#server/domains/workflow/validation/validate.ts';
import { AROUND, reported, wait, withTransitions } from '../../../helpers/jobs/validating.ts';
import { isLong } from '../../../helpers/long.ts';
import { failure, revert, runs, success, task, workflowOf } from '../../../helpers/workflows.ts';

test.each<[string, Task, string]>([
  [
    'an adapter',
    task('createIssue', {}, {}, { app: 'Tickets', location: 'Adapter', locationType: 'TicketModel' }),
    'a1 createIssue name: adapter TicketModel does not exist here, so that its task createIssue cannot run',
  ],
  [
    'an application',
    task('do', {}, {}, { app: 'Elsewhere' }),
    'a1 do name: application Elsewhere of the task do does not exist here',
  ],
  ['a task of ours', task('fly'), 'a1 fly name: application WorkFlowEngine has no task fly'],
  ['no application at all', { name: 'fly' }, 'a1 fly name: fly does not name its application'],
  ['a value that is not set', task('query', { obj: '' }), 'a1 query variables.incoming.obj: must be set'],
  [
    'a comparison that there is not',
    task('evaluation', { evaluation_groups: [{ evaluations: [{ operator: '===' }] }] }),
    'a1 evaluation variables.incoming.evaluation_groups.0.evaluations.0.operator: must be one of',
  ],
  [
    'a group without comparisons',
    task('evaluation', { evaluation_groups: [{}] }),
    'evaluation_groups.0.evaluations: must have at least one comparison',
  ],
  [
    'an evaluation without groups',
    task('evaluation', { evaluation_groups: [] }),
    'evaluation_groups: must have at least one group',
  ],
  ['a merge of no list', task('merge', { data_to_merge: {} }), 'data_to_merge: must be a list'],
  [
    'a merge without a key',
    task('merge', { data_to_merge: [{ key: 'a' }, {}] }),
    'data_to_merge.1.key: must be set',
  ],
  [
    'a loop type that there is not',
    task('childJob', { workflow: 'A', loopType: 'spiral' }),
    'loopType: must be one of sequential, parallel',
  ],
  [
    'a loop over nothing',
    task('childJob', { workflow: 'A', loopType: 'parallel', data_array: '' }),
    'data_array: must be set because loopType is parallel',
  ],
  [
    'a task that is not there',
    wait('$var.b2.seconds'),
    'a1 delay variables.incoming.time: refers to task b2, which the workflow does not have',
  ],
  [
    'a result that there is not',
    task('query', { obj: '$var.a2.colour' }),
    'a1 query variables.incoming.obj: refers to colour of task a2, which has no such result',
  ],
  [
    'a reference in a variable map',
    task('transformation', { tr_id: 'x', variableMap: { a: '$var.b2.x' } }),
    'variables.incoming.variableMap.a: refers to task b2',
  ],
  [
    'a reference object of a child job',
    runs('A', { d: { task: 'b2', value: 'x' } }),
    'variables.incoming.variables.d: refers to task b2',
  ],
  [
    'a reference object of a merge',
    task('merge', { data_to_merge: [{ key: 'a', value: { task: 'b2', variable: 'x' } }, { key: 'b' }] }),
    'data_to_merge.0.value: refers to task b2',
  ],
  [
    'an operand',
    task('evaluation', {
      evaluation_groups: [{ evaluations: [{ operator: '==', operand_2: { task: 'b2', variable: 'x' } }] }],
    }),
    'evaluations.0.operand_2: refers to task b2',
  ],
])('a task: %s is an error that names task and place', (_, one, text) => {
  const { errors } = reported(workflowOf('x', { a2: wait(), a1: one }));
  expect(errors.join('\n')).toContain(text);
  expect(errors).toHaveLength(1);
});

test('values that a reference supplies are checked when the job runs', () => {
  const groups = task('evaluation', { evaluation_groups: '$var.job.groups' });
  const merged = task('merge', { data_to_merge: '$var.job.entries' });
  expect(reported(workflowOf('x', { a1: groups, a2: merged })).errors).toEqual([]);
});

test('literal texts refer to nothing, and every task has an error', () => {
  const workflow = workflowOf('x', {
    a1: wait(),
    a2: task('newVariable', { name: 'a', value: 'see $var.b2.x', more: { deep: '$var.b2.x' } }),
    a3: task('ViewData', { body: '$var.a1.error' }),
  });
  const { errors, warnings } = reported(workflow);
  expect(errors).toEqual([]);
  expect(warnings.map((line) => line.split(' stays text')[0])).toEqual([
    'a2 newVariable variables.incoming.more.deep: "$var.b2.x"',
    'a2 newVariable variables.incoming.value: "see $var.b2.x"',
  ]);
});

test('a `$var` inside a nested value is warned of by its place, since the run leaves it as text', () => {
  const { warnings } = reported(
    workflowOf('x', {
      a1: task('makeData', {
        input: '<!a!>',
        outputType: 'string',
        variables: { servers: [{ ntp: '$var.job.ntp' }] },
      }),
      a2: runs('Other', { device: '$var.job.device' }),
    }),
  );
  expect(warnings).toEqual([
    expect.stringContaining(
      'a1 makeData variables.incoming.variables.servers.0.ntp: "$var.job.ntp" stays text',
    ),
    expect.stringContaining('a2 childJob variables.incoming.variables.device: "$var.job.device" stays text'),
  ]);
});

test('a reference to a task that does not precede is a warning: its value may be null', () => {
  const { errors, warnings } = reported(
    workflowOf('x', { a1: wait('$var.a2.time_in_milliseconds'), a2: wait() }),
  );
  expect(errors).toEqual([]);
  expect(warnings).toEqual([
    'a1 delay variables.incoming.time: refers to task a2, which does not precede this one: the value may be null',
  ]);
});

test('the variables that a child job’s workflow needs are checked; a loop supplies them with each element', () => {
  const once = reported(
    workflowOf('x', { a1: runs('Check', { device: { task: 'static', value: 'edge-1' } }) }),
  );
  expect(once.warnings).toEqual([
    'a1 childJob variables.incoming.variables.site: is not set, but is required by workflow Check',
  ]);
  const loops = task('childJob', { workflow: 'Check', loopType: 'parallel', data_array: [{}] });
  expect(reported(workflowOf('x', { a1: loops })).warnings).toEqual([]);
});

test('a missing document is an error; a name that only looks like one is a warning', () => {
  const path = ['tasks', 'a1', 'variables', 'incoming', 'workflow'];
  const { errors, warnings } = reported(workflowOf('x', { a1: runs('Gone') }), {
    missing: [
      { word: 'workflow', value: 'Gone', path },
      { word: null, value: '@65f0c1d2e3a4b5c6d7e8f901: Gone', path },
      { word: 'workflow', value: 'Handler', path: ['errorHandler', 'name'] },
    ],
  });
  expect(errors).toEqual([
    'a1 childJob variables.incoming.workflow: workflow Gone does not exist',
    'error_handler error_handler errorHandler.name: workflow Handler does not exist',
  ]);
  expect(warnings).toEqual([
    'a1 childJob variables.incoming.workflow: @65f0c1d2e3a4b5c6d7e8f901: Gone does not exist',
  ]);
});

test('two merged values under one key are a warning, and so is a merge of one', () => {
  const twice = task('merge', { data_to_merge: [{ key: 'a' }, { key: 'a' }] });
  expect(reported(workflowOf('x', { a1: twice })).warnings.join()).toContain('a occurs twice');
  const one = task('merge', { data_to_merge: [{ key: 'a' }] });
  expect(reported(workflowOf('x', { a1: one })).warnings.join()).toContain('at least two values');
});

const many = (count: number, made: (at: number) => Task) =>
  workflowOf('x', Object.fromEntries(Array.from({ length: count }, (_, at) => [at.toString(16), made(at)])));

test('the order of fields does not change the issues', () => {
  const workflow = withTransitions(
    { a1: wait('$var.a2.time_in_milliseconds'), a2: wait('$var.a1.time_in_milliseconds'), a3: runs('Check') },
    {
      workflow_start: { a1: success, a2: success },
      a1: { a3: success },
      a2: { a3: success, a1: revert('failure') },
      a3: { workflow_end: success, a2: failure },
    },
  );
  const turned = (value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([key, one]) => [key, turned(one)]),
        )
      : value;
  expect(validate(turned(workflow) as Workflow, AROUND)).toEqual(validate(workflow, AROUND));
});

test.skipIf(!isLong)(
  'a workflow of 5,000 tasks is validated quickly, also when each task is wrong or all are in one circle',
  () => {
    const workflows = [
      many(5000, (at) => wait(at === 0 ? 1 : `$var.${(at - 1).toString(16)}.time_in_milliseconds`)),
      many(5000, () => task('nothing', { a: '$var.ffff.b' })),
    ];
    const [first] = workflows;
    if (!first) throw new Error('no workflow');
    workflows.push({ ...first, transitions: { ...first.transitions, '1387': { '0': success } } });
    const hub = Object.fromEntries(Object.keys(first.tasks).map((id) => [id, { workflow_end: success }]));
    workflows.push({
      ...first,
      transitions: {
        ...hub,
        workflow_start: Object.fromEntries(Object.keys(hub).map((id) => [id, success])),
      },
    });
    validate(first, AROUND);
    for (const workflow of workflows) {
      const started = process.cpuUsage();
      validate(workflow, AROUND);
      const { user, system } = process.cpuUsage(started);
      expect((user + system) / 1000).toBeLessThan(1500);
    }
  },
);

test('a thousand findings are listed, and the others are counted', () => {
  const { errors } = validate(
    many(3000, () => task('nothing')),
    AROUND,
  );
  expect(errors).toHaveLength(1001);
  expect(errors.at(-1)?.message).toBe('and 2000 more');
});

test('a merge without any keys is valid, since its result is a list', () => {
  const entry = (variable: string) => ({ key: '', value: { task: 'static', variable } });
  const unkeyed = task('merge', { data_to_merge: [entry('a'), entry('b')] }, { merged_object: null });
  expect(reported(workflowOf('x', { a1: unkeyed }))).toEqual({ errors: [], warnings: [] });
});

test('a transformation that cannot run here is named at the task that calls it', () => {
  const calls = task('transformation', { tr_id: 'strange', variableMap: {} });
  const loops = task('childJob', {
    workflow: 'A',
    loopType: 'parallel',
    data_array: [{}],
    transformation: 'strange',
  });
  const fault = 'transformation strange cannot run: steps.0.method: the method Array.shuffle is not known';
  expect(reported(workflowOf('x', { a1: calls, a2: loops })).errors).toEqual([
    `a1 transformation variables.incoming.tr_id: ${fault}`,
    `a2 childJob variables.incoming.transformation: ${fault}`,
  ]);
  expect(reported(workflowOf('x', { a1: task('transformation', { tr_id: 'sound' }) })).errors).toEqual([]);
});

test('a result that a task does not return is reported where a variable of the job uses it', () => {
  const concat = (outgoing: Record<string, unknown>) =>
    reported(workflowOf('x', { a1: task('stringConcat', { str: 'a' }, outgoing) })).warnings;
  expect(concat({ concatenated: '$var.job.text' })).toEqual([
    'a1 stringConcat variables.outgoing.concatenated: is not a result of stringConcat; its results are combinedStrings',
  ]);
  expect(concat({ combinedStrings: '$var.job.text', other: null })).toEqual([]);
});
