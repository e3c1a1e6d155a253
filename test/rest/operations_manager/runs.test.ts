import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { inTransaction, rows } from '#db/client.ts';
import type { Job } from '#db/schemas/workflow/job.ts';
import type { Trigger } from '#db/schemas/workflow/trigger.ts';
import { fireDue } from '#server/domains/workflow/jobs/control/schedules.service.ts';
import { startForTrigger } from '#server/domains/workflow/jobs/control/trigger-start.service.ts';
import { openOperations } from '../../helpers/operations.ts';
import { task, workflowOf } from '../../helpers/workflows.ts';

const service = await openOperations();
const { send, done, automation, trigger, platform, db } = service;
const log = { warn: () => {}, info: () => {}, error: () => {} };

const flow = workflowOf('Takes a list', {
  a: task('arrayLength', { arr: '$var.job.list' }, { length: null }),
});
const made = (await service.sendAt('admin', 'POST', '/automation-studio/automations', { automation: flow }))
  .json as { created: { _id: string } };
const action = await automation('Starts it', { componentId: made.created._id });
const draft = (
  await service.sendAt('admin', 'POST', '/automation-studio/automations', {
    automation: workflowOf('Unfinished', { a: task('conjure') }),
  })
).json as { created: { _id: string } };
const unfinished = await automation('Starts a draft', { componentId: draft.created._id });

const form = await service.store('jsonForm', 'List of things', {
  schema: {
    type: 'object',
    required: ['list'],
    properties: { list: { type: 'array' }, note: { type: 'string' } },
  },
  validationSchema: {},
});

const run = (id: string, formData: unknown = {}) => send('POST', `/triggers/manual/${id}/run`, { formData });
const issuesOf = (json: unknown) =>
  ((json as { issues?: { path: unknown[] }[] }).issues ?? []).map(({ path }) => path.join('.'));
const jobsOf = async (name: string) =>
  (await done<Job[]>('GET', `/jobs?equals[name]=${encodeURIComponent(name)}&limit=100`)).data;

test('a manual trigger starts its workflow; form data is one variable, or one a field', async () => {
  const wrapped = await trigger(action._id, { name: 'Wrapped', type: 'manual' });
  const answer = await run(wrapped._id, { list: [1], note: 'x' });
  expect(answer.status).toBe(200);
  const { message, data, metadata } = answer.json as { message: string; data: Job; metadata: object };
  expect({ message, metadata }).toEqual({ message: 'Successfully started job', metadata: {} });
  expect(data).toMatchObject({
    name: 'Takes a list',
    status: 'running',
    variables: { formData: { list: [1], note: 'x' } },
  });
  // Input that the workflow rejects does not stop the start: the job reports it.
  expect(data.validationErrors).toEqual([
    {
      keyword: 'required',
      instancePath: '',
      schemaPath: '#/required',
      message: "must have required property 'list'",
    },
  ]);
  const spread = await trigger(action._id, { name: 'Spread', type: 'manual', legacyWrapper: false });
  const other = (await run(spread._id, { list: [1] })).json as { data: Job };
  expect(other.data.variables).toMatchObject({ list: [1] });
  expect(other.data.validationErrors).toEqual([]);
  const stored = await done<Trigger>('GET', `/triggers/${spread._id}`);
  expect(stored.data.lastExecuted).toEqual(expect.any(Number));
});

test('form data is checked against the form, and every issue is reported', async () => {
  const asks = await trigger(action._id, {
    name: 'Asks',
    type: 'manual',
    formId: form.name,
    legacyWrapper: false,
  });
  const rejected = await run(asks._id, { note: 5 });
  expect([rejected.status, issuesOf(rejected.json).sort()]).toEqual([
    400,
    ['formData.list', 'formData.note'],
  ]);
  expect((await send('POST', `/triggers/manual/${asks._id}/run`, {})).status).toBe(400);
  expect((await send('POST', `/triggers/manual/${asks._id}/run`, { formData: {}, mood: 1 })).status).toBe(
    400,
  );
  expect((await run(asks._id, { list: [] })).status).toBe(200);
});

test('an automation that cannot run is reported by its status: unknown, of another type, disabled, a draft', async () => {
  const route = await trigger(action._id, { name: 'By route', type: 'endpoint', routeName: 'count-things' });
  const off = await trigger(action._id, { name: 'Off', type: 'manual', enabled: false });
  const broken = await trigger(unfinished._id, { name: 'Broken', type: 'manual' });
  expect((await run('65f000000000000000000000')).status).toBe(404);
  expect((await run(route._id)).status).toBe(422);
  expect((await run(off._id)).status).toBe(409);
  const rejected = await run(broken._id);
  expect([rejected.status, issuesOf(rejected.json)]).toEqual([409, ['tasks.a']]);
  expect(
    (await send('POST', `/triggers/manual/${off._id}/run`, { formData: {} }, { as: 'apiread' })).status,
  ).toBe(403);
});

test('a route accepts any object, which its schema may reject', async () => {
  await trigger(action._id, {
    name: 'Strict',
    type: 'endpoint',
    routeName: 'strict-things',
    schema: { type: 'object', required: ['list'] },
    legacyWrapper: false,
  });
  const call = (route: string, body?: unknown) => send('POST', `/triggers/endpoint/${route}`, body);
  expect((await call('count-things')).json).toMatchObject({
    message: 'Successfully started job',
    data: { variables: { formData: {} } },
  });
  expect((await call('strict-things', { list: [2] })).json).toMatchObject({
    data: { variables: { list: [2] } },
  });
  expect((await call('strict-things', {})).status).toBe(400);
  expect((await call('no-such-route', {})).status).toBe(404);
});

test('triggers of an automation without a workflow answer 422, which the document declares for each of them', async () => {
  const empty = await automation('Starts nothing', { componentId: null });
  await trigger(empty._id, { name: 'Empty', type: 'endpoint', routeName: 'empty' });
  const manual = await trigger(empty._id, { name: 'Empty by hand', type: 'manual' });
  const message = expect.stringContaining('Automation Starts nothing starts the workflow');
  const answers = [await send('POST', '/triggers/endpoint/empty', {}), await run(manual._id)];
  for (const answer of answers)
    expect(answer).toMatchObject({ status: 422, json: { code: 'UNPROCESSABLE_CONTENT', message } });
});

test('a trigger starts once for each dedup id, also with concurrent requests', async () => {
  const made = await trigger(action._id, {
    name: 'On event',
    type: 'eventSystem',
    source: 'x',
    topic: 'y',
    legacyWrapper: false,
  });
  const { data } = await done<Trigger>('GET', `/triggers/${made._id}`);
  const fire = (dedupId: string) =>
    inTransaction(db, (tx) =>
      startForTrigger({ db: tx, platform }, data, { data: { list: [], marker: dedupId }, dedupId }),
    );
  const fired = await Promise.all([fire('e-1'), fire('e-1'), fire('e-2'), fire('e-1')]);
  expect(fired.filter((one) => 'job' in one)).toHaveLength(2);
  const mine = (await jobsOf('Takes a list')).filter(({ variables }) => variables?.marker !== undefined);
  expect(mine.map(({ variables }) => variables?.marker).sort()).toEqual(['e-1', 'e-2']);
  expect(mine[0]).toMatchObject({
    created_by: null,
    variables: { initiator: `trigger On event (${made._id})` },
  });
});

test('a due schedule fires once, however many processes look, and knows when it is due next', async () => {
  const due = Date.now() - 2000;
  const made = await trigger(action._id, {
    name: 'Soon',
    type: 'schedule',
    firstRunAt: Date.now() + 3_600_000,
    repeatUnit: 'day',
    formData: { marker: 'due' },
    legacyWrapper: false,
  });
  await db.execute(
    sql`update triggers set doc = doc || jsonb_build_object('nextRunAt', ${due}::bigint, 'firstRunAt', ${due}::bigint) where id = ${made._id}`,
  );
  const looks = [
    fireDue({ db, platform, log }),
    fireDue({ db, platform, log }),
    fireDue({ db, platform, log }),
  ];
  await Promise.all(looks);
  const mine = (await jobsOf('Takes a list')).filter(({ variables }) => variables?.marker === 'due');
  expect(mine).toHaveLength(1);
  const { data } = await done<{ nextRunAt: number; lastExecuted: number }>('GET', `/triggers/${made._id}`);
  expect(data.nextRunAt).toBe(due + 86_400_000);
  expect(data.lastExecuted).toBeGreaterThan(due);
  const now = await send('POST', `/triggers/schedule/${made._id}/run`);
  expect(now.json).toMatchObject({ data: { variables: { marker: 'due' } } });
  expect((await done<{ nextRunAt: number }>('GET', `/triggers/${made._id}`)).data.nextRunAt).toBe(
    due + 86_400_000,
  );
  expect(await rows(db, sql`select from trigger_firings where trigger_id = ${made._id}`)).toHaveLength(1);
});

test('while the clock jumps an hour forward and back, each due time starts once', async () => {
  const MINUTE = 60_000;
  const first = Math.ceil(Date.now() / MINUTE + 60) * MINUTE;
  const made = await trigger(action._id, {
    name: 'Every ten minutes',
    type: 'schedule',
    firstRunAt: first,
    repeatUnit: 'minute',
    repeatFrequency: 10,
    processMissedRuns: 'all',
    legacyWrapper: false,
  });
  const started = async () =>
    (
      await rows<{ minute: string }>(
        db,
        sql`select ((dedup_id::bigint - ${first}::bigint) / ${MINUTE}::int)::text as minute from trigger_firings
            where trigger_id = ${made._id} order by dedup_id::bigint`,
      )
    ).map(({ minute }) => Number(minute));
  /** Two processes look at this time, in minutes after the first due time. */
  const lookAt = async (minute: number) => {
    const now = () => new Date(first + minute * MINUTE + 1000);
    const moved = Object.assign(Object.create(platform), { now });
    await Promise.all([1, 2].map(() => fireDue({ db, platform: moved, log })));
  };
  for (const minute of [0, 5, 10]) await lookAt(minute);
  expect(await started()).toEqual([0, 10]);
  // An hour forward: what would have been due meanwhile is started now.
  await lookAt(72);
  expect(await started()).toEqual([0, 10, 20, 30, 40, 50, 60, 70]);
  // Back again: nothing of it is started a second time.
  for (const minute of [12, 20, 30, 70]) await lookAt(minute);
  expect(await started()).toEqual([0, 10, 20, 30, 40, 50, 60, 70]);
  // An hour back, and on.
  for (const minute of [15, 75, 80, 90]) await lookAt(minute);
  expect(await started()).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
});
