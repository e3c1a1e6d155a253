import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction, rows } from '#db/client.ts';
import { insertMany } from '#db/collection.ts';
import { sql } from '#db/statement.ts';
import { projects } from '#db/tables/assets/assets.ts';
import { idsOnPage } from '#server/domains/workflow/jobs/reads/job-counts.service.ts';
import { countJobs, listJobs } from '#server/domains/workflow/jobs/reads/jobs.service.ts';
import type { Caller } from '#server/kernel/principal.ts';
import { openVault } from '#server/kernel/secrets/vault.ts';
import { lawRuns } from '../../../helpers/long.ts';
import { openTestDatabase } from '../../../helpers/postgres.ts';

const vault = openVault(randomBytes(32));
let database: Awaited<ReturnType<typeof openTestDatabase>>;
beforeAll(async () => {
  database = await openTestDatabase();
  await rows(database.db, sql`insert into job_plans (id, drawing) values ('plan', '{}')`);
  await insertMany(
    database.db,
    projects,
    READERS.map((read, iid) => ({
      id: `p${iid}`,
      doc: { _id: `p${iid}`, iid, name: `p${iid}`, accessControl: { read } } as never,
    })),
  );
});
afterAll(() => database.close());

const READERS = [['account:anna'], ['group:g1', 'account:ben'], ['account:ben']];
const CALLERS = [
  { id: 'root', roles: ['admin'], groups: [] },
  { id: 'anna', roles: ['apiread'], groups: ['g1'] },
  { id: 'carl', roles: ['apiread'], groups: [] },
] as unknown as Caller[];
const NAMES = ['Edge up', 'Edge down', 'Core'];
const STATES = ['complete', 'running', 'error'];
const PEOPLE = ['anna', 'ben', null];
const GROUPS = [[], ['g1'], ['g2']];

type Stored = {
  name: number;
  status: number;
  by: number;
  groups: number;
  project: number;
  start: number;
  changed: number;
};
type Listed = Stored & { id: string };

const job: fc.Arbitrary<Stored> = fc.record({
  name: fc.nat(2),
  status: fc.nat(2),
  by: fc.nat(2),
  groups: fc.nat(2),
  project: fc.nat(3),
  // twenty hours, so that some have many jobs and some have none; two can start in the same moment
  start: fc.nat(200).map((n) => n * 360_000),
  changed: fc.nat(300).map((n) => n * 20_000),
});

const EPOCH = Date.parse('2026-03-01T00:00:00.000Z');
const changedAt = ({ changed }: Stored) => new Date(EPOCH + changed).toISOString();
const docOf = (one: Listed) => ({
  _id: one.id,
  type: 'automation',
  name: NAMES[one.name],
  status: STATES[one.status],
  created_by: PEOPLE[one.by],
  last_updated: changedAt(one),
  decorators: [],
  metrics: { start_time: EPOCH + one.start, end_time: null },
  groups: GROUPS[one.groups],
});

const sees = ({ id, roles, groups }: Caller, one: Stored) => {
  if (roles.includes('admin')) return true;
  const keys = [`account:${id}`, ...groups.map((group) => `group:${group}`)];
  const read = GROUPS[one.groups] ?? [];
  const readers = READERS[one.project];
  return (
    (read.length === 0 || read.some((group) => (groups as readonly string[]).includes(group))) &&
    (!readers || readers.some((key) => keys.includes(key)))
  );
};

const text = (a: string, b: string) => (a < b ? -1 : Number(a > b));
const SORTS = {
  'metrics.start_time': (a: Listed, b: Listed) => a.start - b.start,
  last_updated: (a: Listed, b: Listed) => text(changedAt(a), changedAt(b)),
  name: (a: Listed, b: Listed) => text(NAMES[a.name] ?? '', NAMES[b.name] ?? ''),
};

const filters = fc.record(
  {
    name: fc.nat(2),
    part: fc.constantFrom('edge', 'up', 'nowhere'),
    status: fc.nat(2),
    by: fc.nat(1),
    after: fc.nat(300),
    before: fc.nat(300),
  },
  { requiredKeys: [] },
);
const page = fc.record({
  sort: fc.constantFrom(...(Object.keys(SORTS) as (keyof typeof SORTS)[])),
  order: fc.constantFrom(1 as const, -1 as const),
  skip: fc.nat(30),
  limit: fc.integer({ min: 1, max: 9 }),
});
type Filters = typeof filters extends fc.Arbitrary<infer T> ? T : never;

const meets = (one: Listed, { name, part, status, by, after, before }: Filters) =>
  (name === undefined || one.name === name) &&
  (part === undefined || NAMES[one.name]?.toLowerCase().includes(part)) &&
  (status === undefined || one.status === status) &&
  (by === undefined || one.by === by) &&
  (after === undefined || one.changed > after * 20_000) &&
  (before === undefined || one.changed <= before * 20_000);

const moment = (n: number | undefined) =>
  n === undefined ? {} : { last_updated: new Date(EPOCH + n * 20_000).toISOString() };
const requested = ({ name, part, status, by, after, before }: Filters) => ({
  equals: {
    ...(name !== undefined && { name: NAMES[name] }),
    ...(status !== undefined && { status: STATES[status] }),
    ...(by !== undefined && { created_by: PEOPLE[by] }),
  },
  ...(part !== undefined && { contains: { name: part } }),
  gt: moment(after),
  lte: moment(before),
});

const store = (all: readonly Listed[]) =>
  rows(
    database.db,
    sql`insert into jobs (id, doc, state, plan_id, project_id)
        select one ->> '_id', one - 'project', '{}', 'plan', one ->> 'project'
        from jsonb_array_elements(${JSON.stringify(
          all.map((one) => ({ ...docOf(one), project: READERS[one.project] ? `p${one.project}` : null })),
        )}::text::jsonb) as given (one)`,
  );

test('for any query, a page of jobs and its total equal those of a plain scan', async () => {
  const { db } = database;
  const jobs = fc.array(job, { minLength: 1, maxLength: 60 });
  const steps = fc.array(fc.record({ at: fc.nat(59), to: fc.nat(2) }), { maxLength: 20 });
  const questions = fc.array(fc.tuple(filters, page), { minLength: 12, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(jobs, steps, fc.nat(4), questions, async (stored, changes, gone, all) => {
      await rows(db, sql`delete from jobs`);
      let listed: Listed[] = stored.map((one, n) => ({ ...one, id: n.toString(16).padStart(24, '0') }));
      await store(listed);
      for (const { at, to } of changes) {
        const one = listed[at % listed.length];
        if (!one) continue;
        one.status = to;
        await rows(
          db,
          sql`update jobs set doc = ${JSON.stringify(docOf(one))}::text::jsonb where id = ${one.id}`,
        );
        if (to === 0) await rows(db, sql`select add_up_job_counts()`);
      }
      await rows(db, sql`delete from jobs where id like ${`%${gone}`}`);
      listed = listed.filter(({ id }) => !id.endsWith(String(gone)));
      await rows(db, sql`select add_up_job_counts()`);
      for (const [filter, { sort, order, skip, limit }] of all) {
        for (const principal of CALLERS) {
          const seen = listed.filter((one) => sees(principal, one));
          const found = seen
            .filter((one) => meets(one, filter))
            .sort((a, b) => order * SORTS[sort](a, b) || text(a.id, b.id));
          const query = { ...requested(filter), sort, order, skip, limit };
          const answer = JSON.parse(
            String(
              ((await listJobs({ db, principal, platform: { vault } }, query)) as unknown as { text: string })
                .text,
            ),
          );
          expect({
            query,
            who: principal.id,
            ids: answer.data.map(({ _id }: { _id: string }) => _id),
            total: answer.metadata.total,
          }).toEqual({
            query,
            who: principal.id,
            ids: found.slice(skip, skip + limit).map(({ id }) => id),
            total: found.length,
          });
          const { total, counts } = await countJobs({ db, principal }, requested(filter));
          expect({ total, done: counts.complete ?? 0 }).toEqual({
            total: found.length,
            done: found.filter(({ status }) => status === 0).length,
          });
          const inOrder = seen.sort((a, b) => order * (a.start - b.start) || text(a.id, b.id));
          expect(await idsOnPage({ db, principal }, { skip, limit, order })).toEqual(
            inOrder.slice(skip, skip + limit).map(({ id }) => id),
          );
        }
      }
    }),
    lawRuns(25),
  );
});

test('a step of a job that changes no state writes its row and no index', async () => {
  await rows(database.db, sql`truncate jobs cascade`);
  const one = { id: 'f'.repeat(24), name: 0, status: 1, by: 0, groups: 0, project: 3, start: 0, changed: 0 };
  await store([one]);
  await inTransaction(database.db, async (tx) => {
    const written = async () => {
      const [row] = await rows<{ all: string; hot: string }>(
        tx,
        sql`select pg_stat_get_xact_tuples_updated('jobs'::regclass)::text as all,
            pg_stat_get_xact_tuples_hot_updated('jobs'::regclass)::text as hot`,
      );
      return { all: Number(row?.all), hot: Number(row?.hot) };
    };
    const step = (changed: number, status: number) =>
      rows(
        tx,
        sql`update jobs set doc = ${JSON.stringify(docOf({ ...one, changed, status }))}::text::jsonb where id = ${one.id}`,
      );
    // Of the whole session, including counts that are not published yet.
    const { all, hot } = await written();
    await step(1, 1);
    await step(2, 1);
    expect(await written()).toEqual({ all: all + 2, hot: hot + 2 });
    await step(2, 2);
    expect(await written()).toEqual({ all: all + 3, hot: hot + 2 });
  });
});
