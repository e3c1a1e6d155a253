import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { openDatabase, rows } from '#db/client.ts';
import { newId } from '#db/ids.ts';
import { findingOf } from '#server/domains/golden-config/compliance/reports/finding.service.ts';
import type { NewReport } from '#server/domains/golden-config/compliance/reports/new-report.ts';
import { storeReports } from '#server/domains/golden-config/compliance/reports/store-reports.service.ts';
import { createBatch } from '#server/domains/golden-config/compliance/runs/batches.service.ts';
import { makePartitions } from '#server/domains/golden-config/compliance/runs/partitions.service.ts';
import { failedReport, newReport } from '../../../helpers/documents/reports.ts';
import { openTestDatabase } from '../../../helpers/postgres.ts';

const { db, connection } = await openTestDatabase();

const count = async (statement: ReturnType<typeof sql>) => {
  const [row] = await rows<{ n: number }>(db, sql`select count(*)::int as n ${statement}`);
  return row?.n;
};
const latestOf = async (treeId: string) =>
  rows<{ device: string; reportId: string; errors: number }>(
    db,
    sql`select device, report_id as "reportId", errors from compliance_latest where tree_id = ${treeId} order by device`,
  );
const batchOf = (treeId: string, total = 1) =>
  createBatch(db, { total, treeIds: [treeId], request: {} }, new Date());
const statusOf = async (batchId: string) => {
  const [row] = await rows(db, sql`select done, errors from compliance_batch where id = ${batchId}`);
  return row;
};
const devices = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `edge-${String(from + n).padStart(5, '0')}`);

test('storing the same reports again stores nothing, and counts nothing twice', async () => {
  const treeId = newId();
  const { batchId } = await batchOf(treeId, 4);
  const reports = [
    ...devices(0, 3).map((deviceName) => newReport({ treeId, batchId, deviceName, totals: [1, 0, 0, 1] })),
    failedReport({ treeId, batchId, deviceName: 'gone' }),
  ];
  expect(await storeReports(db, reports)).toBe(4);
  expect(await storeReports(db, reports)).toBe(0);
  expect(await count(sql`from compliance_report where tree_id = ${treeId}`)).toBe(4);
  expect(await statusOf(batchId)).toEqual({ done: 4, errors: 1 });
  expect((await latestOf(treeId)).map(({ device }) => device)).toEqual(devices(0, 3));
});

test('a device has one report a batch at each place: a chunk that runs again after a crash stores the rest only', async () => {
  const treeId = newId();
  const { batchId, started } = await batchOf(treeId, 3);
  const first = newReport({ treeId, batchId, deviceName: 'edge-0', totals: [1, 0, 0, 1] });
  await storeReports(db, [first]);
  const again = devices(0, 3).map((_, n) =>
    newReport({ treeId, batchId, deviceName: `edge-${n}`, timestamp: new Date(Date.now() + 60_000) }),
  );
  expect(await storeReports(db, again)).toBe(2);
  const latest = await latestOf(treeId);
  expect(latest[0]).toEqual({ device: 'edge-0', reportId: first.id, errors: 1 });
  expect(await statusOf(batchId)).toEqual({ done: 3, errors: 0 });
  expect(
    await count(
      sql`from compliance_report where batch_id = ${batchId} and ts = ${started.toISOString()}::timestamptz`,
    ),
  ).toBe(3);
  // at another node, or in another batch, it is another report
  expect(
    await storeReports(db, [newReport({ treeId, batchId, deviceName: 'edge-0', nodePath: 'base/x' })]),
  ).toBe(1);
  const other = await batchOf(treeId);
  expect(await storeReports(db, [newReport({ treeId, batchId: other.batchId, deviceName: 'edge-0' })])).toBe(
    1,
  );
});

test('the newest report is the newest by moment, then by id, in whatever order they are stored', async () => {
  const treeId = newId();
  const at = (seconds: number, errors: number) =>
    newReport({
      treeId,
      timestamp: new Date(monthsAgo(1).getTime() + seconds * 1000),
      totals: [errors, 0, 0, 1],
    });
  const [older, newer, same] = [at(1, 1), at(2, 2), at(2, 3)];
  for (const one of [newer, older]) await storeReports(db, [one]);
  expect(await latestOf(treeId)).toMatchObject([{ reportId: newer.id, errors: 2 }]);
  await storeReports(db, [older, same]);
  expect(await latestOf(treeId)).toMatchObject([{ reportId: same.id, errors: 3 }]);
  await storeReports(db, [failedReport({ treeId })]);
  expect(await latestOf(treeId)).toMatchObject([{ reportId: same.id, errors: 3 }]);
});

test('the same findings are stored once, and may be named by their hash', async () => {
  const treeId = newId();
  const before = (await count(sql`from compliance_finding`)) ?? 0;
  const specs = [{ specId: treeId, nodePath: 'base', errors: 2, warnings: 0, infos: 0, passes: 1 }];
  const many = devices(0, 30).map((deviceName) =>
    newReport({ treeId, deviceName, totals: [2, 0, 0, 1], findings: findingOf([], specs) }),
  );
  await storeReports(db, many);
  expect(await count(sql`from compliance_finding`)).toBe(before + 1);
  const [row] = await rows<{ finding: string }>(
    db,
    sql`select distinct finding from compliance_report where tree_id = ${treeId}`,
  );
  const again = newReport({ treeId, deviceName: 'again', findings: { sha256: row?.finding ?? '' } });
  await storeReports(db, [again]);
  expect(
    await count(sql`from compliance_report where tree_id = ${treeId} and finding = ${row?.finding}`),
  ).toBe(31);
});

test('two processes that store the same devices concurrently neither deadlock nor lose anything', async () => {
  const treeId = newId();
  const other = openDatabase({ connection, max: 3 });
  const names = devices(0, 2500);
  const batches = await Promise.all([batchOf(treeId, 2500), batchOf(treeId, 2500), batchOf(treeId, 2500)]);
  const reportsOf = (batchId: string, errors: number): NewReport[] =>
    names.map((deviceName, n) =>
      newReport({ treeId, batchId, deviceName, totals: [(n % 7) + errors, 0, 0, 5] }),
    );
  const [one, two, three] = batches.map(({ batchId }, n) => reportsOf(batchId, n));
  if (!one || !two || !three) throw new Error('three batches');
  // the third is stored by both, each with ids of its own, one of them backwards
  const stored = await Promise.all([
    storeReports(db, one),
    storeReports(other.db, two.toReversed()),
    storeReports(db, three),
    storeReports(
      other.db,
      three.toReversed().map((report) => ({ ...report, id: newId() })),
    ),
  ]);
  await other.close();
  expect(stored[0]).toBe(2500);
  expect(stored[1]).toBe(2500);
  expect((stored[2] ?? 0) + (stored[3] ?? 0)).toBe(2500);
  for (const { batchId } of batches) expect(await statusOf(batchId)).toEqual({ done: 2500, errors: 0 });
  // in any order, the newest report of each device is stored
  expect(
    await count(sql`from compliance_latest l where tree_id = ${treeId} and exists (
      select from compliance_report r where r.tree_id = l.tree_id and r.device = l.device
        and (r.ts, r.id) > (l.ts, l.report_id))`),
  ).toBe(0);
  expect(await count(sql`from compliance_latest where tree_id = ${treeId}`)).toBe(2500);
});

test('any text is returned unchanged, and any moment can be stored', async () => {
  const treeId = newId();
  const odd = 'a"b\\c,{}\n\tünï \u{1F600} %_ null';
  const moments = ['0001-01-01T00:00:00.000Z', '1970-01-01T00:00:00.001Z', '9999-12-31T23:59:59.999Z'];
  await storeReports(
    db,
    moments.map((moment) =>
      newReport({ treeId, deviceName: odd, nodePath: `base/${odd}`, timestamp: new Date(moment) }),
    ),
  );
  const found = await rows<{ device: string; path: string; ms: string }>(
    db,
    sql`select device, node_path as path, (extract(epoch from ts) * 1000)::bigint::text as ms
      from compliance_report where tree_id = ${treeId} order by ts`,
  );
  expect(found.map(({ ms }) => new Date(Number(ms)).toISOString())).toEqual(moments);
  expect(found[0]).toMatchObject({ device: odd, path: `base/${odd}` });
  expect(await latestOf(treeId)).toHaveLength(1);
});

const partitionOf = async (id: string) => {
  const [row] = await rows<{ name: string }>(
    db,
    sql`select tableoid::regclass::text as name from compliance_report where id = ${id}`,
  );
  return row?.name;
};
const monthOf = (moment: Date) => `compliance_report_${moment.toISOString().slice(0, 7).replace('-', '')}`;
const monthsAgo = (months: number) => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 15, 12));
};

test('a month’s partition is made when its first report comes in, and the next month’s with it', async () => {
  const report = newReport({ timestamp: monthsAgo(5) });
  await storeReports(db, [report]);
  expect(await partitionOf(report.id)).toBe(monthOf(monthsAgo(5)));
  expect(await count(sql`from pg_class where relname = ${monthOf(monthsAgo(4))}`)).toBe(1);
  expect(await count(sql`from pg_class where relname = ${monthOf(monthsAgo(-1))}`)).toBe(1);
});

test('where a partition cannot be made the default one takes the reports', async () => {
  const early = monthsAgo(20);
  const insert = (id: string) =>
    rows(
      db,
      sql`insert into compliance_report (id, tree_id, version, node_path, device, ts, status, device_type,
          inherited_spec_ids, variables, parse_warnings, evaluated, errors, warnings, infos, passes)
        values (${id}, 't', 'v', 'base', 'd', ${early.toISOString()}::timestamptz, 'complete', 'x', '{}', '[]', '[]',
          0, 0, 0, 0, 0)`,
    );
  await insert(newId());
  await makePartitions(db, [early]);
  const report = newReport({ timestamp: early });
  expect(await storeReports(db, [report])).toBe(1);
  expect(await partitionOf(report.id)).toBe('compliance_report_default');
});

test('many concurrent writers that need a new partition all store their reports', async () => {
  const early = monthsAgo(14);
  const make = () =>
    rows(db, sql`select make_compliance_report_partition(${early.toISOString()}::timestamptz) as made`);
  const reports = Array.from({ length: 8 }, () => newReport({ timestamp: early, treeId: newId() }));
  await Promise.all(reports.flatMap((report) => [make(), storeReports(db, [report])]));
  expect(await count(sql`from compliance_report where ts = ${early.toISOString()}::timestamptz`)).toBe(8);
  expect(
    await count(sql`from pg_inherits where inhparent = 'compliance_report'::regclass
    and inhrelid::regclass::text = ${monthOf(early)}`),
  ).toBeLessThanOrEqual(1);
});
