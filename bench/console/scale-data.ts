import { sql } from 'drizzle-orm';
import { openDatabase } from '#db/client.ts';
import { openEmbedded } from '#db/embedded.ts';
import { storeReports } from '#server/domains/golden-config/compliance/reports/store-reports.service.ts';
import { summarizeTrend } from '#server/domains/golden-config/compliance/reports/trend.service.ts';
import { createBatch } from '#server/domains/golden-config/compliance/runs/batches.service.ts';
import { fleetReport } from '../fleet-report.ts';

/** How much of each kind is stored. */
export type Scale = { jobs: number; devices: number; reports: number };

/** What the API made, which everything else is copied from or refers to. */
export type Seed = { treeId: string; host: string; admin: string };

const CHUNK = 50_000;
const DAY_MS = 86_400_000;

/** Stores the jobs, devices, backups and reports of a large installation in the database of a running service. */
export async function storeScale(dataDir: string, scale: Scale, seed: Seed): Promise<void> {
  const { connection, close: closeServer } = await openEmbedded({ dataDir, log: () => undefined });
  const { db, close } = openDatabase({ connection, max: 2, statementTimeoutMs: 0 });
  try {
    await storeDevices(db, scale, seed);
    await storeReportsOf(db, scale, seed);
    await storeJobs(db, scale, seed);
    for (const table of [
      'jobs',
      'job_counts',
      'gateway_hosts',
      'backups',
      'compliance_report',
      'compliance_latest',
    ]) {
      await db.execute(sql`vacuum analyze ${sql.identifier(table)}`);
    }
  } finally {
    await close();
    await closeServer();
  }
}

type Db = ReturnType<typeof openDatabase>['db'];

const hex = (n: ReturnType<typeof sql>) => sql`lpad(to_hex(${n}), 24, '0')`;

/** Copies one host and one backup of it: devices of four platforms at fifty sites, each backed up within the last days. */
async function storeDevices(db: Db, { devices }: Scale, { host }: Seed) {
  await db.execute(sql`
    insert into gateway_hosts (id, kind, secrets, doc)
    select ${hex(sql`n`)}, kind, secrets, doc || jsonb_build_object('_id', ${hex(sql`n`)}, 'id', ${hex(sql`n`)},
      'name', 'edge-' || n, 'host', '192.0.2.' || n % 254, 'ostype', (array['cisco-ios','cisco-nx','arista-eos','juniper-junos'])[1 + n % 4])
    from gateway_hosts, generate_series(1, ${devices}::bigint) n where gateway_hosts.id = ${host}`);
  await db.execute(sql`
    insert into backups (id, doc)
    select ${hex(sql`n`)}, doc || jsonb_build_object('_id', ${hex(sql`n`)}, 'id', ${hex(sql`n`)}, 'name', 'edge-' || n,
      'date', to_char(now() at time zone 'UTC' - n % 200 * interval '1 hour', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"'))
    from backups, generate_series(1, ${devices}::bigint) n where backups.name = 'first'`);
}

async function storeReportsOf(db: Db, { devices, reports }: Scale, { treeId }: Seed) {
  const runs = Math.max(1, Math.round(reports / devices));
  for (let run = 0; run < runs; run++) {
    const started = new Date(Date.now() - (runs - run) * 8 * DAY_MS);
    const { batchId } = await createBatch(db, { total: devices, treeIds: [treeId], request: {} }, started);
    await storeReports(
      db,
      Array.from({ length: devices }, (_, n) =>
        fleetReport({ treeId, batchId, started, run, n, nodePath: 'base', deviceName: `edge-${n + 1}` }),
      ),
    );
  }
  await summarizeTrend(db);
}

/** Jobs of 500 workflows, the newest of the present hour: nine in ten complete, the others failed, canceled, running. */
async function storeJobs(db: Db, { jobs }: Scale, { admin }: Seed) {
  await db.execute(
    sql`insert into job_plans (id, drawing) values ('bench', '{"tasks":{},"transitions":{}}')`,
  );
  for (let from = 1; from <= jobs; from += CHUNK) {
    await db.execute(sql`
      insert into jobs (id, doc, state, plan_id)
      select ${hex(sql`n`)}, jsonb_build_object('_id', ${hex(sql`n`)}, 'type', 'automation',
          'name', 'Upgrade ' || (array['edge','core','spine','leaf'])[1 + n % 4] || ' ' || n % 500, 'description', null,
          'status', case when n % 100 < 90 then 'complete' when n % 100 < 95 then 'error' when n % 100 < 98 then 'canceled' else 'paused' end,
          'created', to_char(started, 'YYYY-MM-DD"T"HH24:MI:SS".000Z"'), 'created_by', ${admin}::text,
          'last_updated', to_char(started, 'YYYY-MM-DD"T"HH24:MI:SS".000Z"'), 'last_updated_by', ${admin}::text,
          'decorators', '[]'::jsonb, 'tags', '[]'::jsonb, 'error', '[]'::jsonb, 'warnings', '[]'::jsonb, 'ancestors', '[]'::jsonb,
          'variables', jsonb_build_object('_id', n, 'initiator', 'admin'), 'watchers', '[]'::jsonb, 'parent', null, 'groups', '[]'::jsonb,
          'metrics', jsonb_build_object('start_time', floor(extract(epoch from started) * 1000),
            'end_time', case when n % 100 < 98 then floor(extract(epoch from started) * 1000) + 60000 end, 'user', null, 'progress', 1)),
        '{}'::jsonb, 'bench'
      from generate_series(${from}::bigint, ${Math.min(jobs, from + CHUNK - 1)}::bigint) n
        cross join lateral (select now() at time zone 'UTC' - (${jobs}::bigint - n) * interval '7 s' as started) as at`);
  }
}
