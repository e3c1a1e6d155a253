import { readFile } from 'node:fs/promises';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { inTransaction, rows } from '#db/client.ts';
import type { TrendDay } from '#db/schemas/golden-config/compliance-report.ts';
import { summarizeTrend } from '#server/domains/golden-config/compliance/reports/trend.service.ts';
import { openTreeReports } from '../../helpers/documents/tree-reports.ts';

const { db, done, treeWith } = await openTreeReports();

const file = new URL('../../../db/migrations/0038_compliance_trend.sql', import.meta.url);
const statements = (await readFile(file, 'utf8')).split('--> statement-breakpoint');

/** The database as it was before the migration, with the reports that it holds. */
const undo = `
  drop table compliance_trend, compliance_trend_change;
  drop function note_compliance_trend_change cascade;
  drop function compliance_trend_parts;
  drop function summarize_compliance_day;
  drop function summarize_compliance_trend`.split(';');

test('an upgrade summarizes the trend of reports that were stored before it', async () => {
  const on = (day: number) => new Date(Date.UTC(2026, 1, day, 12));
  const { treeId } = await treeWith(
    { deviceName: 'a', timestamp: on(3), totals: [9, 0, 0, 1] },
    { deviceName: 'b', timestamp: on(3) },
    { deviceName: 'a', timestamp: on(5) },
  );
  await inTransaction(db, async (tx) => {
    for (const statement of [...undo, ...statements]) await tx.execute(sql.raw(statement));
  });
  const trend = () =>
    done<TrendDay[]>('GET', `/compliance_reports/trend?treeId=${treeId}&from=2026-02-01&to=2026-02-28`);
  const expected = [
    { date: '2026-02-03', devices: 2, pass: 1, fail: 1 },
    { date: '2026-02-05', devices: 1, pass: 1, fail: 0 },
  ];
  expect(await trend()).toMatchObject(expected);
  await summarizeTrend(db);
  const summaries = await rows(
    db,
    sql`select day::text, sum_devices::int as devices from compliance_trend,
          lateral (select sum(n) as sum_devices from unnest(devices) n) as counted
        where tree_id = ${treeId} and version is null and node_path = '' order by day`,
  );
  expect([...summaries]).toEqual(expected.map(({ date, devices }) => ({ day: date, devices })));
  expect(await trend()).toMatchObject(expected);
});
