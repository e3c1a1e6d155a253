import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Task } from '#db/schemas/workflow/task.ts';
import { inputIssues } from '#server/domains/workflow/jobs/control/start.service.ts';
import { taskTypeOf } from '#server/domains/workflow/tasks/catalogue.ts';
import { ANY_TYPES, narrowest } from '#server/domains/workflow/validation/schema-of-task.ts';
import { schemasOf, type TaskTypes } from '#server/domains/workflow/validation/schemas.ts';
import { runs, task, workflowOf } from '../../../helpers/workflows.ts';

const TYPES: TaskTypes = {
  task: taskTypeOf,
  transformation: (id) =>
    id === 'tr1'
      ? {
          incoming: [{ $id: 'port', type: 'integer', minimum: 1 }],
          outgoing: [{ $id: 'line', type: 'string', examples: ['interface 1'] }],
        }
      : undefined,
  input: (name) =>
    name === 'Check' ? { type: 'object', properties: { device: { type: 'string' } } } : undefined,
};

type Properties = Record<string, unknown>;
function schemas(tasks: Record<string, Task>, types = TYPES) {
  const { inputSchema, outputSchema } = schemasOf(workflowOf('x', tasks), types);
  return {
    input: inputSchema.properties as Properties,
    required: inputSchema.required as string[],
    output: outputSchema.properties as Properties,
    keys: [Object.keys(inputSchema), Object.keys(outputSchema)],
  };
}
const inputs = (tasks: Record<string, Task>) => Object.keys(schemas(tasks).input).sort();

test('a workflow that reads and sets nothing accepts no input, and keeps the fields of every job', () => {
  expect(schemasOf(workflowOf('x'), TYPES)).toEqual({
    inputSchema: { type: 'object', properties: {}, required: [] },
    outputSchema: {
      type: 'object',
      properties: { _id: { type: 'string', pattern: '^[0-9a-f]{24}$' }, initiator: { type: 'string' } },
    },
  });
});

test.each<[string, Task, string[]]>([
  ['the whole value of an incoming variable', task('delay', { time: '$var.job.seconds' }), ['seconds']],
  ['a value of the variable map', task('transformation', { variableMap: { a: '$var.job.name' } }), ['name']],
  ['a name with dots and spaces', task('x', { a: '$var.job.site name.first' }), ['site name.first']],
  [
    'an operand of an evaluation',
    task('evaluation', {
      evaluation_groups: [
        {
          evaluations: [
            { operand_1: { task: 'job', variable: 'left' }, operand_2: { task: 'job', variable: 'right' } },
          ],
        },
      ],
    }),
    ['left', 'right'],
  ],
  [
    'an entry of a merge',
    task('merge', { data_to_merge: [{ value: { task: 'job', variable: 'm' } }] }),
    ['m'],
  ],
  ['a variable of a child job', runs('Check', { d: { task: 'job', value: 'device' } }), ['device']],
  ['the name given to push', task('push', { job_variable: 'results' }), ['results']],
  ['the name given to pop', task('pop', { job_variable: 'results' }), ['results']],
  ['the name given to shift', task('shift', { job_variable: 'results' }), ['results']],
  ['the id of the job', task('reattempt', { job_id: '$var.job._id' }), ['_id']],
])('the input schema has the job variables that tasks read: %s', (_, one, expected) => {
  expect(inputs({ a1: one })).toEqual(expected);
  expect(schemas({ a1: one }).required.sort()).toEqual(expected);
});

test.each<[string, Task]>([
  ['a value deep inside, which stays text', task('x', { a: [{ b: { c: '$var.job.deep' } }] })],
  ['a variable of a child job written as text', runs('Check', { d: '$var.job.device' })],
  ['text around it', task('makeData', { input: 'port $var.job.port' })],
  ['a value of another task', task('query', { obj: '$var.a1.port' })],
  ['a static value', runs('x', { d: { task: 'static', value: 'device' } })],
  ['a value of another task as an object', runs('x', { d: { task: 'a1', value: 'device' } })],
  ['an object without a variable', task('evaluation', { a: { task: 'job', variable: '' } })],
  ['the same name in another task', task('delay', { job_variable: 'results' })],
])('what only looks like a job variable is not required by the input schema: %s', (_, one) => {
  expect(inputs({ a1: one })).toEqual([]);
});

test.each<[string, Task]>([
  ['an outgoing value', task('query', {}, { return_data: '$var.job.port' })],
  ['a new variable', task('newVariable', { name: 'port', value: 1 })],
  ['an error', task('query', {}, {}, { variables: { error: '$var.job.port' } })],
])(
  'a job variable that a task sets belongs to the output schema and not to the input schema: %s',
  (_, setting) => {
    const { input, output } = schemas({ a1: task('query', { obj: '$var.job.port' }), a2: setting });
    expect(Object.keys(input)).toEqual([]);
    expect(Object.keys(output).sort()).toEqual(['_id', 'initiator', 'port']);
  },
);

test('a type is that of the place: task, transformation, child job, literal', () => {
  const { input, output } = schemas({
    a1: task('RunCommandTemplate', { devices: '$var.job.devices' }, {}, { app: 'MOP' }),
    a2: task(
      'transformation',
      { tr_id: 'tr1', variableMap: { port: '$var.job.port' } },
      { line: '$var.job.line' },
    ),
    a3: runs('Check', { device: { task: 'job', value: 'device' } }),
    a4: task('newVariable', { name: 'done', value: false }),
    a5: task('sendThing', { a: '$var.job.unknown' }, {}, { app: 'Elsewhere' }),
    a6: task('push', { job_variable: 'results' }),
    a7: task('pop', { job_variable: '$var.job.chosen' }),
  });
  expect(input).toMatchObject({
    devices: { title: 'devices', type: 'array' },
    port: { type: 'integer', minimum: 1 },
    device: { type: 'string' },
    unknown: { type: ANY_TYPES },
    results: { type: 'array' },
    chosen: { type: 'string' },
  });
  expect(input.port).not.toHaveProperty('$id');
  expect(output).toMatchObject({
    line: { type: 'string', examples: ['interface 1'] },
    done: { type: 'boolean' },
  });
});

test.each<[string, object[], object]>([
  ['nothing known', [], { type: ANY_TYPES }],
  ['one', [{ type: 'string' }], { type: 'string' }],
  [
    'the one that asks most',
    [{ type: ['string', 'number'] }, { title: 't', type: 'number' }],
    { title: 't', type: 'number' },
  ],
  ['what both allow', [{ type: ['string', 'number'] }, { type: ['number', 'array'] }], { type: 'number' }],
  ['an integer among numbers', [{ type: 'number' }, { type: 'integer' }], { type: 'number' }],
  [
    'alternatives',
    [{ oneOf: [{ type: 'string' }, { type: 'null' }] }, { type: 'string' }],
    { type: 'string' },
  ],
  ['a contradiction', [{ type: 'string' }, { type: 'array' }], { type: ['array', 'string'] }],
])('several places that use a variable come to one type: %s', (_, found, expected) => {
  expect(narrowest(found as Record<string, unknown>[])).toEqual(expected);
});

const names = fc.stringMatching(/^[a-z]{1,3}$/);
const reading = names.map((name) => task('query', { obj: `$var.job.${name}` }));
const setting = names.map((name) => task('newVariable', { name, value: 1 }));
const tasks = fc
  .array(fc.oneof(reading, setting), { maxLength: 12 })
  .map((list) => Object.fromEntries(list.map((one, at) => [(at + 16).toString(16), one])));

test('laws: every input variable is an output and is required; no variable that is set is an input', () => {
  fc.assert(
    fc.property(tasks, (given) => {
      const { input, required, output } = schemas(given);
      const set = Object.values(given).filter(({ name }) => name === 'newVariable');
      for (const name of Object.keys(input)) expect(output).toHaveProperty([name]);
      expect(required).toEqual(Object.keys(input));
      for (const one of set) expect(input).not.toHaveProperty([String(one.variables?.incoming?.name)]);
    }),
  );
});

test('laws: order does not matter; removing a task removes at most its own variable', () => {
  fc.assert(
    fc.property(tasks, fc.nat(), (given, pick) => {
      const before = schemas(given);
      const turned = schemas(Object.fromEntries(Object.entries(given).reverse()));
      expect(Object.keys(turned.input).sort()).toEqual(Object.keys(before.input).sort());
      const ids = Object.keys(given);
      const id = ids[pick % Math.max(1, ids.length)];
      if (id === undefined) return;
      const { [id]: gone, ...rest } = given;
      const after = schemas(rest);
      const own = String(gone?.variables?.incoming?.name ?? gone?.variables?.incoming?.obj).replace(
        '$var.job.',
        '',
      );
      const others = (of: Properties) =>
        Object.keys(of)
          .filter((name) => name !== own)
          .sort();
      expect(others(after.input)).toEqual(others(before.input));
      expect(others(after.output)).toEqual(others(before.output));
    }),
  );
});

test('law: renaming a variable everywhere renames it in both schemas, and nothing else', () => {
  fc.assert(
    fc.property(tasks, names, (given, old) => {
      const renamed = JSON.parse(
        JSON.stringify(given)
          .replaceAll(`"$var.job.${old}"`, '"$var.job.NEW"')
          .replaceAll(`"name":"${old}"`, '"name":"NEW"'),
      ) as Record<string, Task>;
      const follow = (list: string[]) => list.map((name) => (name === old ? 'NEW' : name)).sort();
      const [before, after] = [schemas(given), schemas(renamed)];
      expect(Object.keys(after.input).sort()).toEqual(follow(Object.keys(before.input)));
      expect(Object.keys(after.output).sort()).toEqual(follow(Object.keys(before.output)));
    }),
  );
});

test('a start is checked when properties of the input schema say that they are required', async () => {
  const inputSchema = {
    type: 'object',
    properties: {
      device: { type: 'string', required: true },
      reason: { type: 'string', required: false },
      options: { type: 'object', properties: { vlan: { type: 'integer', required: true } } },
    },
    required: ['device'],
  };
  const workflow = workflowOf('Asks', {}, { inputSchema });
  const found = async (variables: Record<string, unknown>) =>
    (await inputIssues({ workflow }, variables)).map(({ path, code }) => [path.join('.'), code]);
  expect(await found({})).toEqual([['device', 'required']]);
  expect(await found({ device: 7, options: {} })).toEqual([
    ['device', 'type'],
    ['options.vlan', 'required'],
  ]);
  expect(await found({ device: 'edge-1', options: { vlan: 7 } })).toEqual([]);
});
