import { readFile } from 'node:fs/promises';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import type { Job } from '#db/schemas/workflow/job.ts';
import { openJobs } from '../../../helpers/jobs/running-jobs.ts';
import { kill, openProcesses } from '../../../helpers/processes/started.ts';
import { loop, revert, runs, success, task, variable, workflowOf } from '../../../helpers/workflows.ts';

const service = await openJobs({ works: false });
const { call, db, done, store, start, comes, taskComes, items, vault } = service;
const processes = openProcesses('jobs-process');
const startProcess = () => processes.start(JSON.stringify(service.connection), service.key.toString('hex'));
let worker: Awaited<ReturnType<typeof startProcess>>;
beforeAll(async () => {
  worker = await startProcess();
});
afterAll(processes.end);

const MIGRATION = await readFile(
  new URL('../../../../db/migrations/0041_masked_jobs.sql', import.meta.url),
  'utf8',
);
const PASSWORD = 'Lantern-velvet-7c1e';
const PIN = 'Harbour-quartz-93';
const MASK = '********';

const encrypted = (...pointers: string[]) => pointers.map((pointer) => ({ type: 'encryption', pointer }));
const passwordSealed = { decorators: encrypted('/variables/password') };
const view = (incoming: Record<string, unknown> = {}, pointers: string[] = [], outgoing = {}) => {
  const made = task('ViewData', { header: 'Look', message: '', ...incoming }, outgoing, {
    type: 'manual',
    view: '/workflow_engine/task/ViewData',
  });
  return { ...made, variables: { ...made.variables, decorators: encrypted(...pointers) } };
};
const length = (str: string) =>
  task('stringLength', { str }, { length: '$var.job.length' }, { type: 'automatic', actor: 'Pronghorn' });
const finish = (id: string, at: string, variables = {}, finish_state = 'success') =>
  done('POST', `/jobs/${id}/tasks/${at}/finish`, { taskData: { finish_state, variables } });

/** Every row of every table, as text. */
async function stored(): Promise<string> {
  const tables = await rows<{ name: string }>(
    db,
    sql`select format('%I.%I', table_schema, table_name) as name from information_schema.tables
        where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  expect(tables.length).toBeGreaterThan(40);
  const texts: string[] = [];
  for (const { name } of tables) {
    const found = await rows<{ text: string }>(
      db,
      sql`select row_to_json(t)::text as text from ${sql.raw(name)} t`,
    );
    texts.push(...found.map(({ text }) => `${name}: ${text}`));
  }
  return texts.join('\n');
}

/** Returns where these texts occur in the database or in the log, with the text around them. */
async function placesOf(...secrets: string[]): Promise<string[]> {
  const all = `${await stored()}\n${service.logged.join('\n')}`;
  return secrets.flatMap((secret) =>
    all.split('\n').flatMap((line) => {
      const at = line.indexOf(secret);
      return at < 0 ? [] : [`${line.slice(0, 40)} … ${line.slice(Math.max(0, at - 60), at + 60)}`];
    }),
  );
}

test('a value that is marked as encrypted is nowhere in the database in clear, and tasks use it as it is, also after a crash', async () => {
  await store({
    ...workflowOf('Unlock', {
      a: view({ body: '$var.job.password' }, ['/variables/incoming/body', '/variables/outgoing/pin'], {
        pin: '$var.job.copy',
      }),
      b: length('$var.job.password'),
    }),
    ...passwordSealed,
  });
  const begun = await start('Unlock', { password: PASSWORD, site: 'Quayside' });
  expect(begun.variables).toMatchObject({ password: MASK, site: 'Quayside', _id: begun._id });
  const waiting = await taskComes(begun._id, 'a', 'running');
  expect(waiting.tasks.a?.variables?.incoming).toMatchObject({ body: MASK, header: 'Look' });
  // A dump that sees nothing would find nothing either.
  expect(await placesOf(begun._id)).not.toEqual([]);
  expect(await placesOf(PASSWORD, 'Quayside')).toEqual([]);

  await kill(worker);
  await finish(begun._id, 'a', { pin: PIN });
  expect(await placesOf(PASSWORD, PIN)).toEqual([]);
  worker = await startProcess();
  const over = await comes(begun._id, 'complete');
  expect(over.variables).toMatchObject({ password: MASK, copy: PIN, length: PASSWORD.length });
  const [shown] = await items(`equals[job._id]=${begun._id}&equals[name]=stringLength`);
  expect(shown?.variables).toMatchObject({
    incoming: { str: MASK },
    outgoing: { length: PASSWORD.length },
  });
  expect(await placesOf(PASSWORD, PIN)).toEqual([]);
});

test('seals the values of earlier iterations, errors and repeated attempts too', async () => {
  await store({
    ...workflowOf('Often', {
      a: task('forEach', { data_array: ['one', 'two'] }, { current_item: null }),
      b: variable('seen', '$var.job.password'),
      c: view({ body: '$var.job.password' }),
      d: task('delay', { time: '$var.job.seen' }, { time_in_milliseconds: null }),
    }),
    ...passwordSealed,
    transitions: {
      workflow_start: { a: success },
      a: { b: loop, c: success },
      c: { d: success, a: revert('failure') },
      d: { workflow_end: success },
    },
  });
  const { _id } = await start('Often', { password: PASSWORD });
  await taskComes(_id, 'c', 'running');
  await finish(_id, 'c', { pin: PIN }, 'failure');
  const passes = () => items(`equals[job._id]=${_id}&equals[name]=ViewData&sort=metrics.start_time&order=1`);
  await expect.poll(async () => (await passes()).length).toBe(2);
  await taskComes(_id, 'c', 'running');
  await finish(_id, 'c');
  const stopped = await comes(_id, 'error');
  expect(stopped.error).toMatchObject([
    { task: 'd', message: expect.stringContaining('a number of seconds') },
    {},
  ]);
  expect((await passes())[0]?.variables).toMatchObject({
    incoming: { body: MASK },
    outgoing: { pin: PIN },
  });
  expect((await passes())[1]?.variables).toMatchObject({ incoming: { body: MASK }, outgoing: {} });
  expect(await items(`equals[job._id]=${_id}&equals[name]=newVariable`)).toMatchObject(
    Array.from({ length: 4 }, () => ({ variables: { incoming: { value: MASK } } })),
  );
  expect(await placesOf(PASSWORD, PIN)).toEqual([]);
  await done('POST', `/jobs/${_id}/tasks/d/retry`, { variables: { time: 0 } });
  await comes(_id, 'complete');
  expect(await placesOf(PASSWORD, PIN)).toEqual([]);
});

test('a value over 1 MiB, which is stored separately, is sealed there', async () => {
  await store({ ...workflowOf('Long', { a: view(), b: length('$var.job.password') }), ...passwordSealed });
  const long = PASSWORD.repeat(60_000);
  const { _id } = await start('Long', { password: long });
  await taskComes(_id, 'a', 'running');
  expect(await rows(db, sql`select from job_values where job_id = ${_id}`)).toHaveLength(1);
  expect(await placesOf(PASSWORD)).toEqual([]);
  await finish(_id, 'a');
  expect((await comes(_id, 'complete')).variables).toMatchObject({ length: long.length });
  expect(await placesOf(PASSWORD)).toEqual([]);
});

test('values that such a job passes to a child job are sealed, and so are values that such a child returns', async () => {
  await store(workflowOf('Takes it', { a: view(), b: length('$var.job.given') }));
  await store({
    ...workflowOf('Hands it on', { a: runs('Takes it', { given: { task: 'job', value: 'handed' } }) }),
    decorators: encrypted('/variables/handed'),
  });
  await store(
    workflowOf('Asks above', {
      a: runs('Hands it on', { handed: { task: 'job', value: 'word' } }),
      b: view(),
    }),
  );
  const above = await start('Asks above', { word: 'nothing' });
  const [child] = await childrenOf(above._id, 1);
  const [grandchild] = await childrenOf(String(child?._id), 1);
  await taskComes(String(grandchild?._id), 'a', 'running');
  expect(await isSealedAtRest(above._id)).toBe(false);
  expect(await isSealedAtRest(String(grandchild?._id))).toBe(true);
  await finish(String(grandchild?._id), 'a', { pin: PIN });
  const waits = await taskComes(above._id, 'b', 'running');
  expect(waits.tasks.a?.variables?.outgoing).toMatchObject({ job_details: { handed: 'nothing' } });
  expect(await isSealedAtRest(above._id)).toBe(true);
  expect(await placesOf(PIN)).toEqual([]);
});

test('a list shows such jobs masked for any query, and neither finds nor sorts jobs by sealed values', async () => {
  await store({ ...workflowOf('Listed', { a: view() }), ...passwordSealed });
  const { _id } = await start('Listed', { password: PASSWORD, site: 'Quayside' });
  await taskComes(_id, 'a', 'running');
  const list = async (query: string) =>
    (await done<Partial<Job>[]>('GET', `/jobs?equals[name]=Listed${query}`)) as Record<string, unknown>[];
  const variables = { password: MASK, site: 'Quayside', _id };
  expect(await list('')).toMatchObject([{ variables, decorators: passwordSealed.decorators, error: [] }]);
  expect(await list('&include=variables')).toEqual([{ _id, variables: expect.objectContaining(variables) }]);
  expect(await list('&include=variables.password,name')).toEqual([
    { _id, name: 'Listed', variables: { password: MASK } },
  ]);
  const [bare] = await list('&exclude=decorators,variables.site');
  expect(bare).toMatchObject({ variables: { password: MASK, _id } });
  expect([Object.keys(bare ?? {})]).not.toContainEqual(expect.arrayContaining(['decorators']));
  expect(Object.keys((bare?.variables ?? {}) as object)).not.toContain('site');
  expect(await list('&include=tasks,variables')).toMatchObject([{ variables, tasks: { a: {} } }]);
  expect(JSON.stringify(await list(''))).not.toContain('sealed');
  expect(await list(`&equals[variables.password]=${PASSWORD}`)).toEqual([]);
  expect(await list(`&contains[variables.site]=Quay`)).toEqual([]);
  expect(await list(`&sort=variables.password&order=-1`)).toHaveLength(1);
  expect(await list(`&contains[variables.initiator]=admin`)).toHaveLength(1);
  expect((await call('GET', '/jobs?contains[sealed]=v1')).status).toBe(400);
});

test('a job that was stored before its values were sealed continues, and is sealed from then on', async () => {
  await store({ ...workflowOf('Older', { a: view(), b: length('$var.job.password') }), ...passwordSealed });
  const { _id } = await start('Older', { password: PASSWORD });
  await taskComes(_id, 'a', 'running');
  await rows(
    db,
    sql`update jobs set doc = (doc - 'sealed') || (${await opened(_id, sql`doc ->> 'sealed'`, 'doc')}::text::jsonb - 'texts'),
    state = ${await opened(_id, sql`state #>> '{}'`, 'state')}::text::jsonb where id = ${_id}`,
  );
  expect(await placesOf(PASSWORD)).not.toEqual([]);
  expect((await done<Job>('GET', `/jobs/${_id}`)).variables).toMatchObject({ password: MASK });
  // The migration marks such jobs once: lists look for no secret in what is stored.
  const [, marking = ''] = MIGRATION.split('--> statement-breakpoint');
  await db.execute(sql.raw(marking));
  const [listed] = await done<Job[]>('GET', '/jobs?equals[name]=Older');
  expect(listed?.variables).toMatchObject({ password: MASK });
  expect(listed).not.toHaveProperty('plainSecrets');
  await finish(_id, 'a');
  expect((await comes(_id, 'complete')).variables).toMatchObject({ length: PASSWORD.length });
  expect(await placesOf(PASSWORD)).toEqual([]);
});

test('a job without such values is stored unchanged, even when its values look sealed', async () => {
  await store(workflowOf('Plain', { a: view() }));
  const odd = { sealed: 'sealed:v1:AAAA', $sealed: 'sealed:v1:AAAA' };
  const { _id } = await start('Plain', odd);
  await taskComes(_id, 'a', 'running');
  expect(await isSealedAtRest(_id)).toBe(false);
  expect(await done('GET', '/jobs?equals[name]=Plain')).toMatchObject([{ variables: odd }]);
});

const opened = async (id: string, column: ReturnType<typeof sql>, place: string) => {
  const [row] = await rows<{ text: string }>(db, sql`select ${column} as text from jobs where id = ${id}`);
  return vault.open(row?.text ?? '', ['jobs', id, place]);
};
const isSealedAtRest = async (id: string) => {
  const [row] = await rows<{ doc: boolean; state: boolean }>(
    db,
    sql`select doc ? 'sealed' as doc, jsonb_typeof(state) = 'string' as state from jobs where id = ${id}`,
  );
  expect(row?.doc).toBe(row?.state);
  return row?.doc;
};
async function childrenOf(id: string, count: number): Promise<Job[]> {
  const children = () => done<Job[]>('GET', `/jobs?equals[parent.job]=${id}`);
  await expect.poll(async () => (await children()).length).toBe(count);
  return children();
}
