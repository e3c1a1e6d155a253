import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type SQL, sql } from 'drizzle-orm';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { scheduleRetention, workOnRetention } from '#server/domains/operations/retention/work.service.ts';
import { makeFolder } from '../helpers/folder.ts';
import { issuePathsOf, rejectionOf, rolesThatMay } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const { retention, audit } = await service.as('admin');
const directory = await makeFolder();
const work = { db: service.db, directory, log: pino({ level: 'silent' }), now: () => new Date() };
const OLD = '2020-01-01T00:00:00.000Z';

const countOf = async (table: string) => {
  const [row] = await rows<{ n: number }>(
    service.db,
    sql`select count(*)::int as n from ${sql.identifier(table)}`,
  );
  return row?.n ?? 0;
};

test('everything is kept until an admin sets days; wrong settings are named', async () => {
  expect(await retention.getSettings({})).toEqual({});
  expect(await retention.preview({})).toEqual({ counts: {} });
  expect(
    await issuePathsOf(retention.replaceSettings({ audit: { days: 0 }, jobs: { days: 1, states: [] } })),
  ).toEqual(['jobs.states', 'audit.days']);
  expect(await issuePathsOf(retention.replaceSettings({ events: {}, jobs: { states: ['error'] } }))).toEqual([
    'jobs',
    'events',
  ]);
  expect((await rejectionOf(retention.getRun({ id: 'none' }))).code).toBe('NOT_FOUND');
});

test('a run archives and deletes expired documents in steps, and keeps the newest backup of each device', async () => {
  await rows(
    service.db,
    sql`insert into gateway_calls (id, doc)
        select 'call-' || n, jsonb_build_object('_id', 'call-' || n, 'started', ${OLD}::text, 'host', 'h', 'user', 'u')
        from generate_series(1, 1200) n`,
  );
  await rows(
    service.db,
    sql`insert into gateway_calls (id, doc) values ('call-new', jsonb_build_object('_id', 'call-new', 'started', ${new Date().toISOString()}::text))`,
  );
  await rows(
    service.db,
    sql`insert into backups (id, doc) select 'backup-' || n, jsonb_build_object('_id', 'backup-' || n, 'name', 'r1', 'sha256', 'x',
          'date', '2020-01-0' || n || 'T00:00:00.000Z') from generate_series(1, 3) n`,
  );
  const settings = {
    history: { days: 30 },
    backups: { days: 30 },
    jobs: { days: 30 },
    reports: { days: 30 },
    events: { days: 30 },
  };
  expect(await retention.preview({ settings })).toMatchObject({
    counts: { history: 1200, backups: 2, jobs: 0 },
  });
  await retention.replaceSettings(settings);
  const { runId } = await retention.run({});
  expect((await rejectionOf(retention.run({}))).code).toBe('CONFLICT');

  // Several processes work at once; each document is archived once.
  await Promise.all([workOnRetention(work), workOnRetention(work)]);
  await workOnRetention(work);
  const run = await retention.getRun({ id: runId });
  expect(run).toMatchObject({
    status: 'complete',
    trigger: 'manual',
    deleted: { history: 1200, backups: 2 },
  });
  expect(await countOf('gateway_calls')).toBe(1);
  expect(await countOf('backups')).toBe(1);
  const files = (await readdir(join(directory, runId))).sort();
  expect(files).toHaveLength(run.steps);
  const lines = await Promise.all(files.map((name) => readFile(join(directory, runId, name), 'utf8')));
  const ids = lines.flatMap((text) =>
    text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { _id: string })._id),
  );
  expect(new Set(ids).size).toBe(1202);
  const { results } = await audit.listEntries({
    queryOptions: { equals: 'retention.work', equalsField: 'operation' },
  });
  expect(results[0]).toMatchObject({ outcome: 'ok', account: expect.stringMatching(/^admin-/) });
});

test('a count keeps the newest documents, in the chosen states, and the archive of a job is complete', async () => {
  await rows(
    service.db,
    sql`insert into job_plans (id, drawing) values ('plan', '{"tasks":{"a1":{"name":"of the plan"}},"transitions":{}}')`,
  );
  // Jobs 1 to 60: every third one failed, and the last ones are the newest.
  await rows(
    service.db,
    sql`insert into jobs (id, doc, state, plan_id)
        select 'job-' || n, jsonb_build_object('_id', 'job-' || n, 'name', 'w', 'type', 'automation', 'groups', '[]'::jsonb,
            'status', case when n % 3 = 0 then 'error' else 'complete' end, 'last_updated', ${OLD}::text,
            'metrics', jsonb_build_object('start_time', n * 1000, 'end_time', n * 1000 + 500)), '{"step":1}', 'plan'
        from generate_series(1, 60) n`,
  );
  await rows(
    service.db,
    sql`insert into job_values (id, job_id, value) values ('value', 'job-1', '"large"'), ('apart', 'job-1', '"apart"')`,
  );
  await rows(
    service.db,
    sql`update jobs set apart = '{apart}', doc = doc || '{"variables":
        {"x": {"$largeData": "apart", "size": 7}, "y": {"$largeData": "value", "size": 7}, "z": 1}}' where id = 'job-1'`,
  );
  await rows(
    service.db,
    sql`insert into events (source, topic, subjects, kind, time, payload)
        select 's', 't', '{}', 'jobs', now() + n * interval '1 hour', '{}' from generate_series(1, 5) n`,
  );
  await rows(
    service.db,
    sql`insert into compliance_finding (sha256, issues, specs) values ('found', '[]', '["of a finding"]')`,
  );
  await rows(
    service.db,
    sql`insert into compliance_report (id, batch_id, tree_id, version, node_path, device, ts, status, device_type,
            inherited_spec_ids, variables, parse_warnings, evaluated, errors, warnings, infos, passes, finding)
        select 'report-' || n, 'b' || n, 'tree', 'initial', '/', 'r1', ${OLD}::timestamptz + n * interval '1 hour',
            'complete', 'cisco-ios', '{}', '{}', '[]', 1, 0, 0, 0, 1, 'found' from generate_series(1, 4) n`,
  );
  const settings = {
    jobs: { count: 10, states: ['complete' as const] },
    reports: { count: 3, days: 3650 },
    events: { count: 5 },
  };
  // Where both are set, a document that exceeds either is deleted; fewer documents than the count are all kept.
  const { counts } = await retention.preview({ settings });
  expect(counts).toMatchObject({ jobs: 30, reports: 1 });
  expect(await retention.preview({ settings: { jobs: { count: 61 } } })).toEqual({ counts: { jobs: 0 } });
  await retention.replaceSettings(settings);
  const { runId } = await retention.run({});
  await workOnRetention(work);
  expect(await retention.getRun({ id: runId })).toMatchObject({
    status: 'complete',
    deleted: { jobs: 30, reports: 1 },
  });
  const left = await rows<{ id: string }>(
    service.db,
    sql`select id from jobs where status = 'complete' order by end_time`,
  );
  expect(left.map(({ id }) => id)).toEqual(
    [46, 47, 49, 50, 52, 53, 55, 56, 58, 59].map((number) => `job-${number}`),
  );
  expect(await countOf('jobs')).toBe(30);
  const [future] = await rows<{ n: number }>(
    service.db,
    sql`select count(*)::int as n from events where topic = 't'`,
  );
  expect(future?.n).toBe(5);
  const folder = join(directory, runId);
  const first = async (name: string) =>
    JSON.parse((await readFile(join(folder, name), 'utf8')).split('\n')[0] ?? '');
  expect(await first('jobs-000000.jsonl')).toMatchObject({
    job: { _id: 'job-1', variables: { x: 'apart', y: { $largeData: 'value' }, z: 1 } },
    state: { step: 1 },
    workflow: { tasks: { a1: { name: 'of the plan' } } },
    values: { value: 'large', apart: 'apart' },
  });
  expect(await first('reports-000001.jsonl')).toMatchObject({
    id: 'report-1',
    findings: { specs: ['of a finding'] },
  });
  await retention.replaceSettings({ history: { days: 30 } });
});

test('a later step reads neither what the steps before it have read nor kinds that are done', async () => {
  await rows(
    service.db,
    sql`insert into jobs (id, doc, state, plan_id)
        select 'late-' || n, jsonb_build_object('_id', 'late-' || n, 'name', 'w', 'type', 'automation', 'groups', '[]'::jsonb,
            'status', 'canceled', 'last_updated', ${OLD}::text,
            'metrics', jsonb_build_object('start_time', n * 1000, 'end_time', n * 1000 + 500)), '{}', 'plan'
        from generate_series(1, 80) n`,
  );
  const settings = { jobs: { days: 1, states: ['canceled' as const] }, history: { days: 30 } };
  await retention.replaceSettings(settings);
  const { runId } = await retention.run({});
  const ending = new AbortController();
  // Ends after one step.
  const stopping = {
    ...work,
    get directory() {
      ending.abort();
      return directory;
    },
  };
  await workOnRetention(stopping, ending.signal);
  expect(await retention.getRun({ id: runId })).toMatchObject({
    steps: 1,
    deleted: { jobs: 50 },
    position: '1970-01-01T00:00:50.500Z',
  });
  // Older than the position: it waits for the next run.
  await rows(
    service.db,
    sql`insert into jobs (id, doc, state, plan_id) select 'early', doc || '{"_id":"early","metrics":{"start_time":1,"end_time":2}}', state,
        plan_id from jobs where id = 'late-80'`,
  );
  await workOnRetention(work);
  expect(await retention.getRun({ id: runId })).toMatchObject({ status: 'complete', deleted: { jobs: 80 } });
  const left = await rows<{ id: string }>(service.db, sql`select id from jobs where status = 'canceled'`);
  expect(left).toEqual([{ id: 'early' }]);
  await retention.replaceSettings({ history: { days: 30 } });
});

test('jobs with many child jobs share a step only up to a number of rows', async () => {
  const insert = (id: SQL, parent: SQL, end: SQL, count: number) =>
    rows(
      service.db,
      sql`insert into jobs (id, doc, state, plan_id)
          select ${id}, jsonb_strip_nulls(jsonb_build_object('_id', ${id}, 'name', 'w', 'type', 'automation', 'groups', '[]'::jsonb,
              'status', 'complete', 'last_updated', ${OLD}::text, 'parent', ${parent},
              'metrics', jsonb_build_object('start_time', 1, 'end_time', ${end}))), '{}', 'plan'
          from generate_series(1, ${count}::int) n`,
    );
  await insert(sql`'parent-' || n`, sql`null::jsonb`, sql`100 + n`, 3);
  await insert(
    sql`'child-' || n`,
    sql`jsonb_build_object('job', 'parent-' || (1 + n % 3))`,
    sql`100`,
    3 * 600,
  );
  const before = await countOf('jobs');
  // Keeps the ten newest of the jobs that ended well, which are newer than these.
  await retention.replaceSettings({ jobs: { count: 10, states: ['complete'] } });
  const { runId } = await retention.run({});
  await workOnRetention(work);
  expect(await retention.getRun({ id: runId })).toMatchObject({
    status: 'complete',
    steps: 2,
    deleted: { jobs: 3 },
  });
  expect(await countOf('jobs')).toBe(before - 3 * 601);
  const lines = async (step: number) =>
    (await readFile(join(directory, runId, `jobs-00000${step}.jsonl`), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { job: { _id: string }; children: unknown[] })
      .map(({ job, children }) => [job._id, children.length]);
  expect([await lines(0), await lines(1)]).toEqual([
    [
      ['parent-1', 600],
      ['parent-2', 600],
    ],
    [['parent-3', 600]],
  ]);
  await retention.replaceSettings({ history: { days: 30 } });
});

test('a step whose archive cannot be written deletes nothing; after five failures the run ends in error', async () => {
  await rows(
    service.db,
    sql`insert into gateway_calls (id, doc) values ('old', jsonb_build_object('_id', 'old', 'started', ${OLD}::text))`,
  );
  const { runId } = await retention.run({});
  // A folder below a file cannot be made.
  const file = join(directory, 'a-file');
  await writeFile(file, '');
  const broken = { ...work, directory: join(file, 'archive') };
  for (let at = 0; at < 5; at += 1) await workOnRetention(broken);
  expect(await retention.getRun({ id: runId })).toMatchObject({ status: 'error', failures: 5, deleted: {} });
  expect(await countOf('gateway_calls')).toBe(2);
});

test('a run a day begins by itself, for the account that set the days', async () => {
  await Promise.all([scheduleRetention(work), scheduleRetention(work)]);
  await workOnRetention(work);
  await scheduleRetention(work);
  const { results } = await retention.listRuns({});
  expect(results.filter(({ trigger }) => trigger === 'schedule')).toHaveLength(1);
  expect(results[0]).toMatchObject({ status: 'complete', account: expect.stringMatching(/^admin-/) });
  const later = { ...work, now: () => new Date(Date.now() + 25 * 3_600_000) };
  await scheduleRetention(later);
  expect((await retention.listRuns({})).results.filter(({ trigger }) => trigger === 'schedule')).toHaveLength(
    2,
  );
});

test('only an admin sets, previews and runs', async () => {
  expect(await rolesThatMay(service, (as) => as.retention.getSettings({}))).toEqual(['admin']);
  expect(await rolesThatMay(service, (as) => as.retention.preview({}))).toEqual(['admin']);
});
