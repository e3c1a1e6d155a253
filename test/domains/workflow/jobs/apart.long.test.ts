import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import type { Job } from '#db/schemas/workflow/job.ts';
import { wholeJob } from '#db/tables/workflow/jobs.ts';
import type { JobDocument, TaskState } from '#server/domains/workflow/jobs/reducer/document.ts';
import {
  fillSeparateValues,
  type SeparateValues,
} from '#server/domains/workflow/jobs/store/separate-values.ts';
import { compressed } from '#server/domains/workflow/jobs/store/serialize-job.ts';
import { openJobs } from '../../../helpers/jobs/running-jobs.ts';
import { lawRuns } from '../../../helpers/long.ts';
import { loop, revert, runs, success, task, variable, view, workflowOf } from '../../../helpers/workflows.ts';

const { db, done, store, start, job, comes, taskComes, items } = await openJobs();

const TEXT = 'interface GigabitEthernet0/0/0\n'.repeat(1000);
const LIST = Array.from({ length: 2000 }, (_, at) => ({ name: `Gi0/${at}`, mtu: 9000 }));
const finish = (id: string, at: string, variables = {}, finish_state = 'success') =>
  done('POST', `/jobs/${id}/tasks/${at}/finish`, { taskData: { finish_state, variables } });

/** The characters in the row of a job, the ids of its large values, and the ids and versions of the rows that hold them. */
async function storedOf(id: string) {
  const [row] = await rows<{ length: number }>(
    db,
    sql`select length(doc::text) + length(state::text) as length from jobs where id = ${id}`,
  );
  const apart = await rows<{ id: string }>(
    db,
    sql`select unnest(apart) as id from jobs where id = ${id} order by id`,
  );
  const values = await rows<{ id: string; version: string }>(
    db,
    sql`select id, xmin::text as version from job_values where job_id = ${id} order by id`,
  );
  return { length: row?.length ?? 0, apart: apart.map((one) => one.id), values };
}

test('a step writes only the large values that it changed, and a value in several places is stored once', async () => {
  await store(
    workflowOf('Carries', {
      a: view({ body: '$var.job.text' }),
      b: view({ body: '$var.job.list' }),
      c: variable('note', 'short'),
      d: variable('text', `${TEXT}again`),
      e: view(),
    }),
  );
  const { _id } = await start('Carries', { text: TEXT, list: LIST, site: 'Quayside' });
  await taskComes(_id, 'a', 'running');
  const before = await storedOf(_id);
  expect(before.values).toHaveLength(2);
  expect(before.values.map(({ id }) => id)).toEqual(before.apart);
  expect(before.length).toBeLessThan(10_000);
  await finish(_id, 'a');
  await taskComes(_id, 'b', 'running');
  expect(await storedOf(_id)).toMatchObject({ values: before.values });
  await finish(_id, 'b');
  await taskComes(_id, 'e', 'running');
  const after = await storedOf(_id);
  // The first text is still an incoming value of its task.
  expect(after.values).toHaveLength(3);
  expect(after.values).toEqual(expect.arrayContaining(before.values));
  expect(after.values.map(({ id }) => id)).toEqual(after.apart);
});

test('readers see a job with large values as one document: the job, lists, filters and tasks', async () => {
  await store(workflowOf('Whole', { a: view({ body: '$var.job.text' }), b: view() }));
  const imitated = { $largeData: randomUUID(), size: 20_000 };
  const variables = { text: `${TEXT}the end`, list: LIST, site: 'Quayside', imitated };
  const { _id } = await start('Whole', { ...variables, larger: { ...imitated, text: TEXT } });
  await taskComes(_id, 'a', 'running');
  const listed = async (query: string) => done<Partial<Job>[]>('GET', `/jobs?equals[name]=Whole${query}`);
  for (const phase of ['running', 'complete'] as const) {
    const one = await job(_id);
    expect(one.variables).toMatchObject({ ...variables, larger: { ...imitated, text: TEXT } });
    expect(one.tasks.a?.variables?.incoming).toMatchObject({ body: variables.text });
    expect(await listed('')).toEqual([{ ...one, tasks: undefined }]);
    expect(await listed('&include=variables.text')).toEqual([{ _id, variables: { text: variables.text } }]);
    expect((await listed('&include=name'))[0]).not.toHaveProperty('variables');
    expect(await listed('&contains[variables.text]=the%20end')).toHaveLength(1);
    expect(await listed('&contains[variables.text]=the%20start')).toHaveLength(0);
    const [item] = await items(`equals[job._id]=${_id}&equals[job.task]=a`);
    expect(item?.variables?.incoming).toMatchObject({ body: variables.text });
    if (phase === 'complete') continue;
    await finish(_id, 'a', { found: LIST });
    await taskComes(_id, 'b', 'running');
    expect((await items(`equals[job._id]=${_id}&equals[job.task]=a`))[0]?.variables?.outgoing).toEqual({
      found: LIST,
    });
    await finish(_id, 'b');
    await comes(_id, 'complete');
  }
  await rows(db, sql`delete from jobs where id = ${_id}`);
  expect(await rows(db, sql`select from job_values where job_id = ${_id}`)).toEqual([]);
});

test('values keep their latest content through reverts, loops and child jobs, and earlier iterations keep theirs', async () => {
  await store(workflowOf('Grows', { a: variable('made', TEXT) }));
  await store(
    workflowOf(
      'Changes',
      {
        a: variable('text', `${TEXT}again`),
        b: view(),
        c: variable('text', 'small'),
        d: task('childJob', runs('Grows').variables?.incoming, { job_details: '$var.job.child' }),
        e: task('forEach', { data_array: [`${TEXT}1`, `${TEXT}2`] }, { current_item: '$var.job.item' }),
        f: variable('copy', '$var.job.item'),
        '10': view({ body: '$var.job.child' }),
      },
      {
        transitions: {
          workflow_start: { a: success },
          a: { b: success },
          b: { c: success, a: revert('failure') },
          c: { d: success },
          d: { e: success },
          e: { f: loop, '10': success },
          '10': { workflow_end: success },
        },
      },
    ),
  );
  const { _id } = await start('Changes', { text: TEXT });
  await taskComes(_id, 'b', 'running');
  expect((await job(_id)).variables).toMatchObject({ text: `${TEXT}again` });
  await finish(_id, 'b', {}, 'failure');
  const passes = (at: string) =>
    items(`equals[job._id]=${_id}&equals[job.task]=${at}&sort=metrics.start_time&order=1`);
  await expect.poll(async () => (await passes('a')).length).toBe(2);
  for (const { variables } of await passes('a'))
    expect(variables?.incoming).toMatchObject({ value: `${TEXT}again` });
  await taskComes(_id, 'b', 'running');
  await finish(_id, 'b');
  const waits = await taskComes(_id, '10', 'running');
  expect(waits.variables).toMatchObject({ text: 'small', child: { made: TEXT }, copy: `${TEXT}2` });
  expect(waits.tasks['10']?.variables?.incoming).toMatchObject({ body: { made: TEXT } });
  expect((await passes('f')).map(({ variables }) => variables?.incoming?.value)).toEqual([
    `${TEXT}1`,
    `${TEXT}2`,
  ]);
  const { values, apart } = await storedOf(_id);
  expect(values.map(({ id }) => id)).toEqual(apart);
  await finish(_id, '10');
  await comes(_id, 'complete');
});

test('large values of a job that receives a secret are not stored in clear from then on', async () => {
  const secret = 'Lantern-velvet-7c1e';
  const hidden = `${TEXT}${secret}`;
  await store(
    workflowOf('Learns', {
      a: view({ body: '$var.job.text' }),
      b: variable('password', '$var.job.text'),
      c: view(),
    }),
  );
  const { _id } = await start('Learns', { text: hidden });
  await taskComes(_id, 'a', 'running');
  const inClear = async () =>
    rows(
      db,
      sql`select from job_values where job_id = ${_id} and value::text like ${`%${secret}%`}
          union all select from job_tasks where job_id = ${_id} and kept::text like ${`%${secret}%`}
          union all select from jobs where id = ${_id} and (doc::text || state::text) like ${`%${secret}%`}`,
    );
  expect(await inClear()).toHaveLength(1);
  await finish(_id, 'a');
  const waits = await taskComes(_id, 'c', 'running');
  expect(await inClear()).toEqual([]);
  expect(waits.variables).toMatchObject({ password: '********' });
  await finish(_id, 'c');
  await comes(_id, 'complete');
});

test('a job that an earlier version stored whole continues, and its next step stores the large values apart', async () => {
  await store(
    workflowOf('Older', { a: view({ body: '$var.job.text' }), b: view({ body: '$var.job.list' }) }),
  );
  const { _id } = await start('Older', { text: TEXT, list: LIST });
  const { tasks } = await taskComes(_id, 'a', 'running');
  const incoming = JSON.stringify(tasks.a?.variables?.incoming);
  await db.execute(sql`update jobs set doc = ${wholeJob(sql`jobs`)}, apart = null,
    state = jsonb_set(state, '{tasks,a,incoming}', ${incoming}::text::jsonb) where id = ${_id}`);
  await db.execute(sql`delete from job_values where job_id = ${_id}`);
  expect((await storedOf(_id)).length).toBeGreaterThan(2 * TEXT.length);
  await finish(_id, 'a');
  const waits = await taskComes(_id, 'b', 'running');
  expect(waits.variables).toMatchObject({ text: TEXT, list: LIST });
  expect(waits.tasks.a?.variables?.incoming).toMatchObject({ body: TEXT });
  expect(waits.tasks.b?.variables?.incoming).toMatchObject({ body: LIST });
  expect((await storedOf(_id)).length).toBeLessThan(10_000);
});

const value = fc.oneof(
  fc.constantFrom('', 'short', null, 7, { a: 1 }, { $largeData: 'unknown', size: 3 }),
  fc.integer({ min: 0, max: 3 }).map((n) => String(n).repeat(20_000)),
  fc.integer({ min: 0, max: 3 }).map((n) => Array.from({ length: 3000 }, () => `value ${n}`)),
);
const change = fc.record({
  variable: fc.tuple(fc.constantFrom('x', 'y', '__proto__'), fc.option(value)),
  task: fc.constantFrom('a', 'b'),
  incoming: fc.option(fc.dictionary(fc.constantFrom('p', 'q'), value), { nil: undefined }),
  outgoing: fc.option(fc.dictionary(fc.constantFrom('p', 'q'), value), { nil: undefined }),
  /** Whether the task receives the variable itself, as one object. */
  isPassed: fc.boolean(),
  isPast: fc.boolean(),
  /** Whether the next step reads the job from its rows, as another process would. */
  isRead: fc.boolean(),
});

test('after any changes, the rows of a job hold exactly its document, and nothing that has left it', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
      const values = new Map<string, string>();
      let document = {
        head: { _id: 'j', variables: {}, error: [] },
        state: { tasks: {}, ready: [] },
      } as unknown as JobDocument;
      let known: SeparateValues = new Map();
      for (const { variable: set, task: at, incoming, outgoing, isPassed, isPast, isRead } of changes) {
        const [name, content] = set;
        const variables = Object.entries(document.head.variables).filter(([one]) => one !== name);
        if (content !== null) variables.push([name, content]);
        const received = isPassed ? { ...incoming, passed: content } : incoming;
        const state: TaskState = {
          status: 'running',
          iterations: ['1'],
          passes: 1,
          attempt: 1,
          ...(received && { incoming: received }),
          ...(outgoing && { outgoing }),
        };
        document = {
          head: { ...document.head, variables: Object.fromEntries(variables) },
          state: { ...document.state, tasks: { ...document.state.tasks, [at]: state } },
        };
        const iterations = [{ iteration: '1', task: at, state, past: isPast }];
        const written = compressed({ ...document, iterations }, { seed: randomUUID(), vault: null, known });
        const before = new Set([...known.values()].map(({ $largeData }) => values.get($largeData)));
        for (const { id, text } of written.added) {
          const isText = text.startsWith('"');
          // An equal text is the same value, also after it was read; an equal object is not.
          if (isText) expect(before).not.toContain(text);
          values.set(id, text);
        }
        for (const id of written.removed) expect(values.delete(id)).toBe(true);
        expect(written.values).toEqual([]);
        expect(written.iterations).toEqual(iterations);
        expect(written.head.length + written.state.length).toBeLessThan(8000);
        const read = fillSeparateValues(
          {
            head: JSON.parse(written.head) as JobDocument['head'],
            state: JSON.parse(written.state) as JobDocument['state'],
          },
          Object.fromEntries([...values].map(([id, text]) => [id, JSON.parse(text) as unknown])),
        );
        expect(read.document).toEqual(JSON.parse(JSON.stringify(document)));
        expect([...read.apart.values()].map((mark) => mark.$largeData).sort()).toEqual(
          [...values.keys()].sort(),
        );
        known = isRead ? read.apart : written.apart;
        if (isRead) document = read.document;
      }
    }),
    lawRuns(400),
  );
});
