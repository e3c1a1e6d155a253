import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { inputIssues } from '#server/domains/workflow/jobs/control/start.service.ts';
import { openJobs } from '../../helpers/jobs/running-jobs.ts';
import { refusalOf } from '../../helpers/jobs/task-runs.ts';
import { unique } from '../../helpers/procedures.ts';
import type { Answer } from '../../helpers/service.ts';
import { success, task, workflowOf } from '../../helpers/workflows.ts';

/** Answers are not held against their schemas, as in service: that would take longer than what is measured here. */
beforeAll(() => void vi.stubEnv('CHECK_ANSWERS', '0'));
afterAll(() => void vi.unstubAllEnvs());

const service = await openJobs();

/** The longest that a probe of health waited in any test, in milliseconds. */
let longest = 0;
afterAll(() => process.stdout.write(`longest answer of a health probe: ${Math.round(longest)} ms\n`));

/** Longest of twenty probes while nothing else is done: what this machine makes of one. */
let idle = 0;
for (let count = 0; count < 20; count++) {
  const begun = performance.now();
  await service.send(null, 'GET', '/health/status');
  idle = Math.max(idle, performance.now() - begun);
}
/** Far above what a probe takes, far below what the values here took before they had limits. */
const HANGS_MS = 1500 + 10 * idle;

/** Between two probes, in milliseconds: it counts as waited. Probes take CPU time from what they watch. */
const PAUSE_MS = 50;

/** Does something while health is asked again and again. @returns what it gave; fails when a probe hung meanwhile */
async function whileAlive<Given>(work: () => Promise<Given>): Promise<Given> {
  let isOver = false;
  let worst = 0;
  const probe = (async () => {
    for (let answered = performance.now(); !isOver; ) {
      expect((await service.send(null, 'GET', '/health/status')).status).toBe(200);
      worst = Math.max(worst, performance.now() - answered);
      answered = performance.now();
      await sleep(PAUSE_MS);
    }
  })();
  try {
    return await work();
  } finally {
    isOver = true;
    await probe;
    longest = Math.max(longest, worst);
    expect(worst).toBeLessThan(HANGS_MS);
  }
}

/** A schema whose every step refers to the one before it twice: 2^steps checks of one value. */
function doubling(steps: number): Record<string, unknown> {
  const ref = (step: number) => ({ $ref: `#/definitions/s${step}` });
  const definitions = Object.fromEntries(
    Array.from({ length: steps }, (_, step) => [`s${step + 1}`, { allOf: [ref(step), ref(step)] }]),
  );
  return { definitions: { s0: { type: 'string' }, ...definitions }, ...ref(steps) };
}

const validate = (schema: unknown, data: unknown) =>
  service.send('apiread', 'POST', '/json-forms/validate-data', { schema, data });

const expectRefusal = ({ status, text }: Answer, reason: string) => {
  expect(text).toContain(reason);
  expect(status).toBe(400);
};

test('a schema whose references double with every step is rejected with the limit of time', async () => {
  expectRefusal(await whileAlive(() => validate(doubling(40), 'a')), 'took longer than 250 ms');
});

test.each<[string, unknown, unknown]>([
  [
    'compares many objects with each other',
    { uniqueItems: true },
    Array.from({ length: 40_000 }, (_, i) => ({ i })),
  ],
  ['has a huge list of values', { enum: Array.from({ length: 200_000 }, (_, i) => `v${i}`) }, -1],
  [
    'makes alternatives of alternatives',
    {
      definitions: {
        a: { oneOf: Array.from({ length: 60 }, () => ({ items: { $ref: '#/definitions/a' } })) },
      },
      $ref: '#/definitions/a',
    },
    [[[[[1]]]]],
  ],
  [
    'refers to itself for the same value',
    { definitions: { a: { allOf: [{ $ref: '#/definitions/a' }] } }, $ref: '#/definitions/a' },
    1,
  ],
  ['holds a long text against a format', { format: 'email' }, `${'a.'.repeat(100_000)}@`],
  [
    'has many expressions for names',
    {
      patternProperties: Object.fromEntries(
        Array.from({ length: 3000 }, (_, i) => [`^(a|b){0,50}c${i}$`, {}]),
      ),
    },
    Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`${'ab'.repeat(20)}${i}`, i])),
  ],
  [
    'fills the memory with faults',
    { items: { allOf: Array.from({ length: 2000 }, (_, i) => ({ const: i })) } },
    Array.from({ length: 10_000 }, () => 'a'),
  ],
])('a schema that %s is answered or rejected while others are served', async (_, schema, data) => {
  const { status } = await whileAlive(() => validate(schema, data));
  expect([200, 400]).toContain(status);
});

test('a usual schema is answered while hostile ones are at work', async () => {
  const hostile = Array.from({ length: 6 }, () => validate(doubling(40), 'a'));
  const { json } = await validate({ properties: { vlan: { type: 'integer' } } }, { vlan: 'x' });
  expect(json).toMatchObject({ isValid: false, errors: [{ path: ['vlan'] }] });
  for (const answer of await Promise.all(hostile)) expectRefusal(answer, 'took longer than');
});

test('a stored form whose schema doubles is rejected each time, and other forms still work', async () => {
  const store = async (name: string, schema: unknown) => {
    const { json, text } = await service.send('designer', 'POST', '/json-forms/forms', { name, schema });
    const { doc } = json as { doc?: { id: string } };
    if (!doc) throw new Error(text);
    return doc.id;
  };
  const [hostile, usual] = [
    await store(unique('Doubling'), doubling(40)),
    await store(unique('Usual'), { type: 'string' }),
  ];
  const requested = (id: string) =>
    service.send('apiread', 'POST', `/json-forms/validate-form/${id}`, { data: 'a' });
  expectRefusal(await whileAlive(() => requested(hostile)), 'took longer than 250 ms');
  expect((await requested(usual)).json).toEqual({ isValid: true, errors: [] });
});

test('an input schema that doubles rejects a start, naming the workflow and the limit', async () => {
  const workflow = workflowOf('Doubling input', {}, { inputSchema: doubling(40) });
  const issues = await whileAlive(() => inputIssues({ workflow }, { a: 1 }));
  expect(issues).toMatchObject([{ code: 'schema_limit' }]);
  expect(issues[0]?.message).toContain(
    'workflow Doubling input: validation against it took longer than 250 ms',
  );
});

test('a job whose task holds data against a schema that doubles ends in error, and the next job runs', async () => {
  const check = task(
    'validateJsonSchema',
    { schema: doubling(40), data: 'a' },
    { valid: null, errors: null },
  );
  const [doublingName, usualName] = [unique('Doubling task'), unique('Usual task')];
  await service.store(
    workflowOf(
      doublingName,
      { a1: check },
      {
        transitions: { workflow_start: { a1: success }, a1: { workflow_end: success }, workflow_end: {} },
      },
    ),
  );
  await service.store(workflowOf(usualName, { a1: task('validateJsonSchema', { schema: {}, data: 'a' }) }));
  const { _id } = await service.start(doublingName);
  const usual = await service.start(usualName);
  await service.comes(usual._id, 'complete', 30);
  const job = await whileAlive(() => service.comes(_id, 'error', 30));
  expect(JSON.stringify(job.error)).toContain('took longer than 5 s');
});

test('a variable that doubles with every task ends its job in error', async () => {
  const join = task(
    'arrayConcat',
    { arr: '$var.job.x', arrayN: '$var.job.x' },
    { concatenatedArray: '$var.job.x' },
  );
  const chain = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`a${at.toString(16)}`, join]));
  const name = unique('Doubling list');
  await service.store(workflowOf(name, chain));
  const { _id } = await service.start(name, { x: ['a'.repeat(100_000)] });
  const job = await service.comes(_id, 'error', 60);
  expect(JSON.stringify(job.error)).toContain('would have more than');
});

test('a query with nested iterations over all elements ends its task in error', async () => {
  const query = '[][{[][{[][{[][{[].a}]}]}]}]';
  const obj = Array.from({ length: 200 }, (_, at) => ({ b: at }));
  const name = unique('Expensive query');
  await service.store(workflowOf(name, { a1: task('query', { query, obj }, { return_data: null }) }));
  const { _id } = await service.start(name);
  const job = await whileAlive(() => service.comes(_id, 'error', 30));
  expect(JSON.stringify(job.error)).toContain('too often');
});

test('an evaluation, and a text with places, name one large value no more often than a limit allows', () => {
  const list = Array.from({ length: 20_000 }, (_, at) => ({ at }));
  const evaluations = Array.from({ length: 2000 }, () => ({
    operand_1: { task: 'static', variable: list },
    operand_2: { task: 'static', variable: 1 },
    operator: '==',
    query: '[*at=5]',
  }));
  expect(refusalOf('evaluation', { evaluation_groups: [{ evaluations }] })).toContain('too often');
  const input = '<!list!>'.repeat(10_000);
  expect(refusalOf('makeData', { input, outputType: 'string', variables: { list } })).toContain(
    'would become a string of more than',
  );
});

test.each<[string, string]>([
  ['loops in loops', '{% for i in range(1700) %}{% for j in range(1700) %}{{ i }}{% endfor %}{% endfor %}'],
  ['a range without end', '{% for i in range(1000000000) %}{% endfor %}'],
  ['a text a thousand million times', "{{ 'a' * 1000000000 }}"],
  [
    'a value that doubles',
    "{% set n = namespace(a={'x':1}) %}{% for i in range(60) %}{% set n.a = {'a':n.a,'b':n.a} %}{% endfor %}{{ n.a }}",
  ],
  ['a hundred thousand signs', `{{${'1+'.repeat(400_000)}1}}`],
  [
    'pieces of pieces',
    "{% set b = 'a ' * 400000 %}{% for i in range(90) %}{% set x = b | split %}{% endfor %}",
  ],
])('a template with %s is rejected while others are served', async (_, template) => {
  const { status } = await whileAlive(() =>
    service.send('apiread', 'POST', '/configuration_manager/jinja2', { template, variables: {} }),
  );
  expect(status).toBe(400);
});

test('two large texts that have little in common are compared while others are served', async () => {
  const text = (lines: number, words: number) =>
    Array.from({ length: lines }, (_, at) => `w${(at * 7919) % words}`).join('\n');
  const sides = { pre: text(300_000, 101), post: text(290_000, 97) };
  const { status } = await whileAlive(() => service.send('apiread', 'POST', '/mop/diff', sides));
  expect(status).toBe(200);
});

test('a configuration of many lines, or of banners that nothing ends, becomes rules while others are served', async () => {
  for (const nativeConfig of ['interface a\n no b\n'.repeat(15_000), 'banner motd ^\n'.repeat(100_000)]) {
    const { status } = await whileAlive(() =>
      service.send('apiread', 'POST', '/configuration_manager/generate/config_spec', {
        deviceType: 'cisco-ios',
        nativeConfig,
      }),
    );
    expect([200, 400]).toContain(status);
  }
});
