import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Database, rows } from '#db/client.ts';
import type { TrendDay } from '#db/schemas/golden-config/compliance-report.ts';
import type { NewReport } from '#server/domains/golden-config/compliance/reports/new-report.ts';
import { storeReports } from '#server/domains/golden-config/compliance/reports/store-reports.service.ts';
import { getTrend, summarizeTrend } from '#server/domains/golden-config/compliance/reports/trend.service.ts';
import { gradeOf, scoreOf, shownScore } from '#server/domains/golden-config/rules/score.ts';
import { JsonText } from '#server/kernel/json-text.ts';
import { failedReport, newReport } from '../../../helpers/documents/reports.ts';
import { openTreeReports } from '../../../helpers/documents/tree-reports.ts';
import { undoing } from '../../../helpers/jobs/counted.ts';
import { lawRuns } from '../../../helpers/long.ts';

const { db, done, send, platform, treeWith, groupOf, callerWith } = await openTreeReports();
const { caller } = await callerWith('admin');
const { treeId } = await treeWith();
await done('POST', `/configs/${treeId}`, { version: 'v2', base: 'initial' });

const NODES = ['base', 'base/a', 'base/a/x', 'base/ab', 'base/b', 'other'];
const FIRST_DAY = Date.UTC(2026, 1, 1);
const HOUR_MS = 3_600_000;
const DAYS = 4;
const atHour = (hour: number) => new Date(FIRST_DAY + hour * HOUR_MS);

type Question = { version?: string; nodePath?: string; from: string; to: string };
type Stored = {
  id: string;
  version: string;
  path: string;
  device: string;
  ms: string;
  totals: string;
};

/** The trend by plain counting of all reports that a statement on `on` sees. */
async function countTrend(on: Database, { version, nodePath = '', from, to }: Question): Promise<TrendDay[]> {
  const stored = await rows<Stored>(
    on,
    sql`select id, version, node_path as path, device, (extract(epoch from ts) * 1000)::bigint::text as ms,
          json_build_object('errors', errors, 'warnings', warnings, 'infos', infos, 'passes', passes)::text as totals
        from compliance_report where tree_id = ${treeId} and status = 'complete'`,
  );
  const until = Date.parse(to) + (to.includes('T') ? 1 : 24 * HOUR_MS);
  const newest = new Map<string, Map<string, Stored>>();
  for (const one of stored) {
    const ms = Number(one.ms);
    const isBelow = nodePath === '' || one.path === nodePath || one.path.startsWith(`${nodePath}/`);
    if (!isBelow || (version && one.version !== version) || ms < Date.parse(from) || ms >= until) continue;
    const date = new Date(ms).toISOString().slice(0, 10);
    const devices = newest.get(date) ?? new Map<string, Stored>();
    newest.set(date, devices);
    const known = devices.get(one.device);
    const isNewer = !known || ms > Number(known.ms) || (ms === Number(known.ms) && one.id > known.id);
    if (isNewer) devices.set(one.device, one);
  }
  return [...newest.keys()].sort().map((date) => {
    const devices = [...(newest.get(date)?.values() ?? [])];
    return dayOf(
      date,
      devices.map(({ totals }) => scoreOf(JSON.parse(totals))),
    );
  });
}

function dayOf(date: string, scores: number[]): TrendDay {
  const grades = scores.map((score) => gradeOf(score));
  const graded = (grade: string) => grades.filter((one) => one === grade).length;
  const sum = [...new Set(scores)]
    .sort((a, b) => a - b)
    .reduce((total, score) => total + score * scores.filter((one) => one === score).length, 0);
  return {
    date,
    devices: scores.length,
    pass: graded('pass'),
    review: graded('review'),
    fail: graded('fail'),
    meanScore: shownScore(sum / scores.length),
  };
}

async function readTrend(on: Database, { from, to, ...part }: Question): Promise<TrendDay[]> {
  const answer: unknown = await getTrend(
    { db: on, principal: caller, platform },
    { treeId, ...part },
    { from, to },
  );
  if (!(answer instanceof JsonText)) throw new Error('the trend is JSON text from the database');
  return answer.parse();
}

const QUESTIONS: readonly Question[] = [
  { from: '2026-02-01', to: '2026-02-04' },
  { from: '2026-02-01', to: '2026-02-04', version: 'initial' },
  { from: '2026-02-02', to: '2026-02-03', version: 'v2', nodePath: 'base/a' },
  { from: '2026-02-01', to: '2026-02-04', nodePath: '/base/' },
  { from: '2026-02-01', to: '2026-02-04', nodePath: 'base/ab' },
  { from: '2026-02-01T11:00:00.000Z', to: '2026-02-03T13:00:00.000Z' },
  { from: '2026-02-02T06:00:00.000Z', to: '2026-02-02T18:00:00.000Z', nodePath: 'base/a' },
];

async function expectCounted(on: Database): Promise<void> {
  for (const question of QUESTIONS) {
    const counted = await countTrend(on, {
      ...question,
      nodePath: question.nodePath?.replace(/^\/|\/$/g, '') ?? '',
    });
    expect({ question, trend: await readTrend(on, question) }).toEqual({ question, trend: counted });
  }
}

const report: fc.Arbitrary<NewReport> = fc
  .record({
    hour: fc.nat(DAYS * 24 - 1),
    device: fc.nat(4),
    node: fc.nat(NODES.length - 1),
    version: fc.constantFrom('initial', 'v2'),
    totals: fc.tuple(fc.nat(2), fc.nat(2), fc.nat(2), fc.nat(9)),
    fails: fc.nat(7).map((n) => n === 0),
  })
  .map(({ hour, device, node, version, totals, fails }) => {
    const given = {
      treeId,
      version,
      nodePath: NODES[node] ?? 'base',
      deviceName: `edge-${device}`,
      timestamp: atHour(hour),
    };
    return fails ? failedReport(given) : newReport({ ...given, totals });
  });

type Step =
  | { do: 'store'; reports: NewReport[] }
  | { do: 'delete' | 'move' | 'fail'; modulo: number }
  | { do: 'truncate' }
  | { do: 'summarize'; day: number | null };

const modulo = fc.integer({ min: 2, max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('store' as const),
      reports: fc.array(report, { minLength: 1, maxLength: 12 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('delete' as const, 'move' as const, 'fail' as const),
      modulo,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('truncate' as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('summarize' as const), day: fc.option(fc.nat(DAYS)) }),
  },
);

async function take(on: Database, one: Step): Promise<void> {
  if (one.do === 'store') await storeReports(on, one.reports);
  else if (one.do === 'truncate') await rows(on, sql`truncate compliance_report`);
  else if (one.do === 'summarize') {
    const day =
      one.day === null
        ? null
        : atHour(one.day * 24)
            .toISOString()
            .slice(0, 10);
    if (day === null) await rows(on, sql`select summarize_compliance_trend()`);
    else await rows(on, sql`select summarize_compliance_day(${treeId}, ${day}::date)`);
  } else {
    const where = sql`where tree_id = ${treeId} and hashtext(id) % ${String(one.modulo)}::int = 0`;
    if (one.do === 'delete') await rows(on, sql`delete from compliance_report ${where}`);
    else if (one.do === 'fail') await rows(on, sql`update compliance_report set status = 'error' ${where}`);
    else
      await rows(
        on,
        sql`update compliance_report set ts = ts + interval '7 hours', device = 'moved' ${where}`,
      );
  }
}

test('the trend equals plain counting after each step of any history, in its transaction and after it', async () => {
  const transaction = fc.record({
    steps: fc.array(step, { minLength: 1, maxLength: 5 }),
    commits: fc.nat(3).map((n) => n > 0),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(transaction, { minLength: 1, maxLength: 5 }), async (all) => {
      await rows(db, sql`truncate compliance_report`);
      for (const { steps, commits } of all) {
        await undoing(db, commits, async (tx) => {
          for (const one of steps) await take(tx, one);
          await expectCounted(tx);
        });
        await expectCounted(db);
      }
    }),
    lawRuns(20),
  );
}, 600_000);

test('the trend equals plain counting in every snapshot while reports are written, deleted and summarized', async () => {
  await rows(db, sql`truncate compliance_report`);
  let isWriting = true;
  const reading = (async () => {
    while (isWriting) {
      await db.transaction((tx) => expectCounted(tx), { isolationLevel: 'repeatable read' });
    }
  })();
  const summarizing = [0, 1].map(async () => {
    while (isWriting) await summarizeTrend(db);
  });
  const reports = fc.sample(report, { numRuns: 600, seed: 7 });
  await Promise.all(
    [0, 1].map(async (writer) => {
      for (let round = 0; round < 30; round++) {
        await undoing(db, round % 5 !== 0, async (tx) => {
          await storeReports(tx, reports.slice((writer * 30 + round) * 10, (writer * 30 + round) * 10 + 10));
          const mine = sql`device = ${`edge-${writer}`} and hashtext(id) % 3 = ${String(round % 3)}::int`;
          await rows(tx, sql`delete from compliance_report where tree_id = ${treeId} and ${mine}`);
        });
      }
    }),
  ).finally(() => {
    isWriting = false;
  });
  await Promise.all([reading, ...summarizing]);
  await summarizeTrend(db);
  await expectCounted(db);
});

const changes = async (tree: string) =>
  rows(db, sql`select day from compliance_trend_change where tree_id = ${tree}`);

test('a summarized day is read from its summary until one of its reports is stored late, moved or deleted', async () => {
  const at = { timestamp: atHour(12) };
  const trend = { from: '2026-02-01', to: '2026-02-01' };
  const tree = await treeWith({ deviceName: 'a', ...at }, { deviceName: 'b', ...at, totals: [1, 0, 0, 0] });
  const read = () =>
    done<TrendDay[]>(
      'GET',
      `/compliance_reports/trend?treeId=${tree.treeId}&from=${trend.from}&to=${trend.to}`,
    );
  await summarizeTrend(db);
  expect(await changes(tree.treeId)).toHaveLength(0);
  expect(await read()).toMatchObject([{ devices: 2, pass: 1, fail: 1, meanScore: 50 }]);
  // Only a summary can include devices that have no report.
  await rows(db, sql`update compliance_trend set devices = '{1,7}' where tree_id = ${tree.treeId}`);
  expect(await read()).toMatchObject([{ devices: 8, pass: 7, fail: 1 }]);

  await storeReports(db, [newReport({ treeId: tree.treeId, deviceName: 'c', timestamp: atHour(1) })]);
  expect(await read()).toMatchObject([{ devices: 3, pass: 2, fail: 1 }]);
  await summarizeTrend(db);
  expect(await changes(tree.treeId)).toHaveLength(0);
  await rows(db, sql`delete from compliance_report where tree_id = ${tree.treeId} and device <> 'c'`);
  expect(await read()).toMatchObject([{ devices: 1, pass: 1, fail: 0 }]);
  await summarizeTrend(db);
  await rows(db, sql`update compliance_report set ts = ts + interval '1 day' where tree_id = ${tree.treeId}`);
  expect(await read()).toEqual([]);
  await summarizeTrend(db);
  expect(await changes(tree.treeId)).toHaveLength(0);
  await rows(db, sql`update compliance_report set ts = ts - interval '1 day' where tree_id = ${tree.treeId}`);
  expect(await read()).toMatchObject([{ devices: 1, pass: 1, fail: 0 }]);
  await summarizeTrend(db);
  await rows(db, sql`delete from compliance_report where tree_id = ${tree.treeId}`);
  expect(await read()).toEqual([]);
});

test('the trend of a tree is 404 for callers who may not read the tree, and for all callers after its deletion', async () => {
  const { treeId: closed } = await treeWith({ deviceName: 'a' });
  await summarizeTrend(db);
  const group = await groupOf(['apiread', 'apiwrite']);
  await done('PUT', `/configs/${closed}`, { options: { gbac: { read: [group], write: [group] } } });
  const statusOf = async (as: 'admin' | 'apiread' | readonly ['apiread', 'apiwrite']) =>
    (await send('GET', `/compliance_reports/trend?treeId=${closed}`, undefined, { as })).status;
  expect(await statusOf(['apiread', 'apiwrite'])).toBe(200);
  expect(await statusOf('apiread')).toBe(404);
  await done('DELETE', `/configs/${closed}`);
  expect(await statusOf('admin')).toBe(404);
});

test('a trend without a range begins with a whole day', async () => {
  const now = new Date();
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  const daysBefore = (days: number) => new Date(midnight - days * 24 * HOUR_MS);
  const { treeId: tree } = await treeWith(
    { deviceName: 'a', timestamp: daysBefore(90) },
    { deviceName: 'b', timestamp: new Date(daysBefore(90).getTime() - 1) },
  );
  const trend = await done<TrendDay[]>('GET', `/compliance_reports/trend?treeId=${tree}`);
  expect(trend).toMatchObject([{ date: daysBefore(90).toISOString().slice(0, 10), devices: 1 }]);
});
