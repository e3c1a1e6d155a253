import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import type { Job } from '#db/schemas/workflow/job.ts';
import { openVault } from '#server/kernel/secrets/vault.ts';
import { openJobs } from '../helpers/jobs/running-jobs.ts';
import { isLong } from '../helpers/long.ts';
import { until } from '../helpers/processes/processes.ts';
import { task, workflowOf } from '../helpers/workflows.ts';

const service = await openJobs();
const { call, db, done, send, store, start, comes, taskComes, items, key, logged } = service;

const MASK = '********';
let made = 0;
/** A secret that nothing else in the database can hold by chance. */
const secret = () => `Lantern-velvet-${(made++).toString().padStart(4, '0')}-7c1e`;

/** Every row of every table that holds a text, with its place; and every line of the log. */
async function placesOf(text: string): Promise<string[]> {
  const tables = await rows<{ name: string }>(
    db,
    sql`select format('%I.%I', table_schema, table_name) as name from information_schema.tables
        where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  expect(tables.length).toBeGreaterThan(40);
  const places: string[] = [];
  for (const { name } of tables) {
    const found = await rows<{ row: string }>(
      db,
      sql`select t::text as row from ${sql.raw(name)} t where strpos(t::text, ${text}) > 0`,
    );
    places.push(...found.map(({ row }) => `${name}: ${row.slice(0, 300)}`));
  }
  return [...places, ...logged.filter((line) => line.includes(text)).map((line) => `log: ${line}`)];
}

const view = (incoming: Record<string, unknown>, outgoing: Record<string, unknown> = {}) =>
  task('ViewData', { header: 'Look', message: '', body: '', ...incoming }, outgoing, {
    type: 'manual',
    view: '/workflow_engine/task/ViewData',
  });
const length = (str: string) =>
  task('stringLength', { str }, { length: '$var.job.length' }, { type: 'automatic', actor: 'Pronghorn' });

/** Every answer that shows a job. */
async function answersOf(id: string): Promise<string> {
  const paths = [
    `/jobs/${id}`,
    `/jobs?equals[_id]=${id}`,
    `/jobs?equals[_id]=${id}&include=variables`,
    `/jobs?equals[_id]=${id}&include=tasks,variables,error`,
    `/tasks?equals[job._id]=${id}`,
    `/jobs/${id}/tasks/a/manual`,
  ];
  const answers = await Promise.all(paths.map((path) => call('GET', path)));
  const others = [
    await send('admin', 'GET', '/audit?limit=100'),
    await send('admin', 'GET', `/search?q=${id}`),
  ];
  return [...answers, ...others].map(({ text }) => text).join('\n');
}

test('a password in a job’s variables is in clear in no table, answer, event, audit row or log line, and the job uses it', async () => {
  const password = secret();
  const nested = secret();
  await store({
    ...workflowOf('By name', {
      a: view({ body: '$var.job.password' }, { snmpCommunity: '$var.job.copied' }),
      b: length('$var.job.password'),
    }),
  });
  const begun = await start('By name', {
    password,
    site: 'Quayside',
    devices: [{ name: 'core', credentials: { 'api-key': nested } }],
  });
  expect(begun.variables).toMatchObject({
    password: MASK,
    site: 'Quayside',
    devices: [{ name: 'core', credentials: { 'api-key': MASK } }],
  });
  await taskComes(begun._id, 'a', 'running');
  const community = secret();
  await done('POST', `/jobs/${begun._id}/tasks/a/finish`, {
    taskData: { finish_state: 'success', variables: { snmpCommunity: community } },
  });
  const over = await comes(begun._id, 'complete');
  expect(over.variables).toMatchObject({ length: password.length });
  const answers = await answersOf(begun._id);
  expect(answers).toContain(begun._id);
  for (const one of [password, nested, community]) {
    expect(await placesOf(one)).toEqual([]);
    expect(answers).not.toContain(one);
  }
  expect(await placesOf(begun._id)).not.toEqual([]);
});

test.skipIf(!isLong)('a secret that a task put into a value over 1 MiB is masked there too', async () => {
  const password = secret();
  const padding = ' quay'.repeat(250_000);
  const joined = task(
    'stringConcat',
    { str: '$var.job.password', stringN: '$var.job.padding' },
    { combinedStrings: '$var.job.joined' },
  );
  await store(workflowOf('Joins', { a: joined }));
  const { _id } = await start('Joins', { password, padding });
  const { variables } = await comes(_id, 'complete');
  const { $largeData } = (variables?.joined ?? {}) as { $largeData?: string };
  const { text } = await call('GET', `/large-data/${$largeData}`);
  expect(text).not.toContain(password);
  expect(JSON.parse(text)).toBe(`${MASK}${padding}`);
});

test('a secret that a task returns to a job is sealed from then on, in errors as well', async () => {
  const token = secret();
  await store({
    ...workflowOf('Learns it', {
      a: view({}, { accessToken: '$var.job.plain' }),
      b: task('delay', { time: '$var.job.plain' }, { time_in_milliseconds: null }),
    }),
  });
  const { _id } = await start('Learns it', { site: 'Quayside' });
  await taskComes(_id, 'a', 'running');
  expect(await placesOf('Quayside')).not.toEqual([]);
  await done('POST', `/jobs/${_id}/tasks/a/finish`, {
    taskData: { finish_state: 'success', variables: { accessToken: token } },
  });
  const stopped = await comes(_id, 'error');
  expect(stopped.error).toMatchObject([{ task: 'b', message: expect.stringContaining(MASK) }, {}]);
  expect(await placesOf(token)).toEqual([]);
  expect(await answersOf(_id)).not.toContain(token);
});

test('a whole object under the name of a secret is masked; policies about secrets, booleans and empty values are shown', async () => {
  const value = secret();
  await store(workflowOf('Shapes', { a: view({}) }));
  const variables = {
    token: { kind: 'bearer-of-news', value },
    pin: { passcode: 1 },
    secretNumber: 73_519_246,
    passwordPolicy: { least: 12 },
    tokenLifetime: 60,
    usePassword: true,
    password: '',
    secret: null,
    communities: ['65000:1'],
  };
  const job = await start('Shapes', variables);
  expect(job.variables).toMatchObject({ ...variables, token: MASK, secretNumber: MASK });
  await taskComes(job._id, 'a', 'running');
  expect(await placesOf(value)).toEqual([]);
  expect(await placesOf('73519246')).toEqual([]);
});

test('the mask that a user sends back with a task means the secret that the task received', async () => {
  const password = secret();
  await store(
    workflowOf('Sent back', {
      a: view({ password: '$var.job.password' }, { password: '$var.job.again' }),
      b: length('$var.job.again'),
    }),
  );
  const { _id } = await start('Sent back', { password });
  await taskComes(_id, 'a', 'running');
  const finish = (variables: object) =>
    call('POST', `/jobs/${_id}/tasks/a/finish`, { taskData: { finish_state: 'success', variables } });
  const rejected = await finish({ apiToken: MASK });
  expect(rejected.status).toBe(400);
  expect(rejected.text).toContain('apiToken');
  expect((await finish({ password: MASK })).status).toBe(200);
  expect((await comes(_id, 'complete')).variables).toMatchObject({ length: password.length });
});

test('jobs without secrets stay as they are, for filters too', async () => {
  await store(workflowOf('Open', { a: view({}) }));
  const { _id } = await start('Open', { site: 'Harbour', usePassword: false });
  await taskComes(_id, 'a', 'running');
  expect(await done<Job[]>('GET', '/jobs?equals[variables.site]=Harbour')).toMatchObject([{ _id }]);
  expect(await items(`equals[job._id]=${_id}`)).not.toEqual([]);
});

test.skipIf(!isLong)(
  'form data of a trigger is sealed and masked, exported masked, and given to the job in clear',
  async () => {
    const password = secret();
    await store(workflowOf('Filled in', { a: length('$var.job.password') }));
    const automation = await done<{ _id: string }>('POST', '/automations', {
      name: 'Nightly',
      componentType: 'workflows',
      componentName: 'Filled in',
    });
    const given = {
      name: 'Every night',
      type: 'schedule',
      actionType: 'automations',
      actionId: automation._id,
      firstRunAt: Date.now() + 86_400_000,
      repeatUnit: 'day',
      repeatFrequency: 1,
      legacyWrapper: false,
      formData: { password, site: 'Quayside' },
    };
    const trigger = await done<{ _id: string; formData: object }>('POST', '/triggers', given);
    const masked = { password: MASK, site: 'Quayside' };
    expect(trigger.formData).toEqual(masked);
    expect(await placesOf(password)).toEqual([]);
    const run = async (id: string) => {
      const job = await done<Job>('POST', `/triggers/schedule/${id}/run`);
      return (await comes(job._id, 'complete')).variables;
    };
    expect(await run(trigger._id)).toMatchObject({ password: MASK, length: password.length });

    const updated = await done<{ formData: object }>('PATCH', `/triggers/${trigger._id}`, {
      formData: { ...masked, site: 'Harbour' },
    });
    expect(updated.formData).toEqual({ password: MASK, site: 'Harbour' });
    expect(await run(trigger._id)).toMatchObject({ site: 'Harbour', length: password.length });

    const shown = await Promise.all(
      [
        `/triggers/${trigger._id}`,
        '/triggers',
        `/triggers/${trigger._id}/export`,
        `/automations/${automation._id}/export`,
      ].map((path) => call('GET', path)),
    );
    for (const { status, text } of shown) {
      expect(status).toBe(200);
      expect(text).toContain(MASK);
      expect(text).not.toContain('sealed:');
      expect(text).not.toContain(password);
    }
    const cloned = await call('POST', '/automations/clone', { id: automation._id, name: 'Nightly too' });
    expect(cloned.text).not.toContain(password);
    const { data } = (await call('GET', '/triggers')).body as { data: { _id: string }[] };
    const copy = data.find(({ _id }) => _id !== trigger._id);
    await done('PATCH', `/triggers/${copy?._id}`, { enabled: true });
    expect(await run(String(copy?._id))).toMatchObject({ length: password.length });

    const imported = await call('PUT', '/triggers', {
      triggers: [{ ...given, name: 'Elsewhere', formData: masked }],
    });
    expect(imported.text).toContain('Secrets still to be set: formData.password');
    expect(await placesOf(password)).toEqual([]);
  },
);

test('a sealed text that was copied to another row does not open there, and one of the first version still does', () => {
  const vault = openVault(key);
  const sealed = vault.seal('word', ['jobs', 'one', 'state']);
  expect(sealed).toMatch(/^sealed:v2:/);
  expect(vault.open(sealed, ['jobs', 'one', 'state'])).toBe('word');
  expect(() => vault.open(sealed, ['jobs', 'other', 'state'])).toThrow();
  expect(() => vault.open(sealed, ['jobs', 'one', 'doc'])).toThrow();
  expect(() => vault.open(sealed.replace('v2', 'v1'), ['jobs', 'one', 'state'])).toThrow();
  const zeros = openVault(Buffer.alloc(32));
  expect(zeros.open(FIRST_VERSION, ['jobs', 'one', 'state'])).toBe('of the first version');
  expect(zeros.renew(FIRST_VERSION, ['jobs', 'one', 'state'])).toMatch(/^sealed:v2:/);
});

/** Sealed by the first version with a key of zeros. */
const FIRST_VERSION = 'sealed:v1:Vg26LfSKuwV5TzIfNA0y05xXxDuOXU8mG4MsXBZ8l9uHFX6l8RylMTZD0zUfajgw';

test('after a change of the key secrets open with the previous one, and are sealed with the new one when they are written', () => {
  const [before, after] = [Buffer.alloc(32, 3), Buffer.alloc(32, 4)];
  const place = ['profiles', 'one', 'password'] as const;
  const old = openVault(before).seal('word', place);
  const rotating = openVault(after, before);
  expect(rotating.open(old, place)).toBe('word');
  expect(() => openVault(after).open(old, place)).toThrow();
  const renewed = rotating.renew(old, place);
  expect(openVault(after).open(renewed, place)).toBe('word');
  expect(rotating.renew(renewed, place)).toBe(renewed);
  expect(openVault(after).renew(old, place)).toBe(old);
});

test('a job that was stored before secrets were known by name passes none on in clear to the job that handles its error', async () => {
  const token = secret();
  await store(workflowOf('Handles it', { a: view({}) }));
  await store({
    ...workflowOf('Is handled', { a: length('Quayside'), b: view({}) }),
    errorHandler: { type: 'workflow', name: 'Handles it' },
  });
  const { _id } = await start('Is handled');
  await taskComes(_id, 'b', 'running');
  const given = JSON.stringify({ accessToken: token });
  const error = JSON.stringify([{ task: 'a', message: `refused ${token}`, timestamp: 1 }]);
  await done('POST', '/jobs/pause', { jobIds: [_id] });
  await db.execute(
    sql`update jobs set state = jsonb_set(jsonb_set(state, '{tasks,b,status}', '"error"'), '{tasks,a,incoming}',
            ${given}::text::jsonb),
          doc = jsonb_set(doc, '{error}', ${error}::text::jsonb) where id = ${_id}`,
  );
  await done('POST', '/jobs/resume', { jobIds: [_id] });
  await comes(_id, 'error');
  const handler = await until('a job that handles the error', async () => {
    const [found] = await done<Job[]>('GET', `/jobs?equals[parent.job]=${_id}`);
    return found;
  });
  await taskComes(handler._id, 'a', 'running');
  const [row] = await rows<{ text: string }>(
    db,
    sql`select j::text as text from jobs j where id = ${handler._id}`,
  );
  expect(row?.text).toContain('Handles it');
  expect(row?.text).not.toContain(token);
});
