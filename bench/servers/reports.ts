import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openDatabase } from '#db/client.ts';
import { openEmbedded } from '#db/embedded.ts';
import { storeReports } from '#server/domains/golden-config/compliance/reports/store-reports.service.ts';
import { summarizeTrend } from '#server/domains/golden-config/compliance/reports/trend.service.ts';
import { createBatch } from '#server/domains/golden-config/compliance/runs/batches.service.ts';
import { fleetReport } from '../fleet-report.ts';
import { openPeerDatabase, printPort } from './peer.ts';

/**
 * The peer: the grade and the trend of a tree, each as one hand-written statement whose result is sent unchanged. It first
 * fills the tables in the same way as compliance runs.
 */
const { BENCH_DATA_DIR: dataDir = '', BENCH_TREE: treeId = '', BENCH_REPORTS: reports = '0' } = process.env;
const DEVICES = 5000;
const HOUR_MS = 3_600_000;
const BATCHES = Math.max(1, Math.round(Number(reports) / DEVICES));

const { connection } = await openEmbedded({ dataDir, log: () => undefined });
const { db, close } = openDatabase({ connection, max: 2 });
const filled = performance.now();
const first = Date.now() - BATCHES * HOUR_MS * 8;
for (let run = 0; run < BATCHES; run++) {
  const started = new Date(first + run * HOUR_MS * 8);
  const { batchId } = await createBatch(db, { total: DEVICES, treeIds: [treeId], request: {} }, started);
  await storeReports(
    db,
    Array.from({ length: DEVICES }, (_, n) =>
      fleetReport({
        treeId,
        batchId,
        started,
        run,
        n,
        nodePath: `base/site-${n % 50}`,
        deviceName: `edge-${n}`,
      }),
    ),
  );
}
const seconds = (performance.now() - filled) / 1000;
await summarizeTrend(db);
const summarized = (performance.now() - filled) / 1000 - seconds;
await close();
process.stderr.write(
  `stored ${BATCHES * DEVICES} reports in ${seconds.toFixed(1)} s, ${((BATCHES * DEVICES) / seconds).toFixed(0)} a second; then summarized the trend in ${summarized.toFixed(1)} s\n`,
);

const sql = await openPeerDatabase(4);
await sql`vacuum analyze compliance_report`;
await sql`vacuum analyze compliance_latest`;
await sql`vacuum analyze compliance_trend`;

const grade = () => sql<{ text: string }[]>`
  select json_agg(json_build_object('grade', g, 'total', coalesce(total, 0), 'devices', coalesce(devices, '[]'),
    'records', coalesce(records, '[]')) order by n)::text as text
  from unnest('{pass,review,fail}'::text[]) with ordinality as groups (g, n) left join (
    select grade, count(*) as total, json_agg(device order by score desc, device) as devices,
      json_agg(json_build_object('deviceName', device, 'reportId', report_id, 'nodePath', node_path,
        'timestamp', to_char(ts at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'score', round(score::numeric, 2), 'grade', grade) order by score desc, device) as records
    from (select *, case when score >= 90 then 'pass' when score >= 80 then 'review' else 'fail' end as grade
      from (select *, 100.0 * passes / nullif(2.0 * errors + warnings + 0.5 * infos + passes, 0) as score
        from (select distinct on (device) * from compliance_latest
          where tree_id = ${treeId} and version = 'initial' order by device, ts desc) as newest) as scored) as graded
    group by grade) as found on grade = g`;

const trend = () => sql<{ text: string }[]>`
  select json_agg(json_build_object('date', to_char(day, 'YYYY-MM-DD'), 'devices', devices, 'pass', pass,
    'review', devices - pass - fail, 'fail', fail, 'meanScore', floor(mean * 100 + 0.5) / 100) order by day)::text as text
  from (
    select day, count(*) as devices, count(*) filter (where score >= 90) as pass,
      count(*) filter (where score < 80) as fail, avg(score) as mean
    from generate_series(date_trunc('day', now() at time zone 'UTC') - interval '90 days', now() at time zone 'UTC', '1 day')
      as days (day) cross join lateral (
        select distinct on (device) score_default as score from compliance_report
        where tree_id = ${treeId} and version = 'initial' and status = 'complete'
          and ts >= day at time zone 'UTC' and ts < (day + interval '1 day') at time zone 'UTC'
        order by device, ts desc, id desc) as newest
    group by day) as counted`;

const server = createServer(async (request, response) => {
  const [row] = await (request.url === '/trend' ? trend() : grade());
  response.setHeader('Content-Type', 'application/json');
  response.end(row?.text);
});
server.listen(0, '127.0.0.1', () => printPort((server.address() as AddressInfo).port));
