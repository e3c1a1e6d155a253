import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { openDatabase } from '#db/client.ts';
import { openEmbedded } from '#db/embedded.ts';
import { migrate } from '#db/migrate.ts';
import { listJobs } from '#server/domains/workflow/jobs/reads/jobs.service.ts';
import type { Caller } from '#server/kernel/principal.ts';
import { openVault } from '#server/kernel/secrets/vault.ts';
import { verdict } from './peers.ts';

/**
 * Measures pages of a list of 1,000,000 jobs with their exact totals, for an admin and for a user in a group, without HTTP.
 * BENCH_LISTED stores fewer, for a quick try.
 */
const LISTED = Number(process.env.BENCH_LISTED ?? 1_000_000);
const CHUNK = 50_000;
const ROUNDS = 9;
const BAR_MS = 50;

const folder = await mkdtemp(join(tmpdir(), 'switchyard-bench-'));
const { connection, close } = await openEmbedded({ dataDir: folder, log: () => {} });
await migrate(connection);
const { db, close: closeDatabase } = openDatabase({ connection, max: 2, statementTimeoutMs: 0 });
const platform = { vault: openVault(randomBytes(32)) };

/** Stores jobs of 500 workflows by 20 accounts: most complete, some failed, canceled, running; a tenth for one group. */
const store = (from: number, to: number) =>
  db.execute(sql`
    insert into jobs (id, doc, state, plan_id)
    select lpad(to_hex(n), 24, '0'), jsonb_build_object(
        '_id', lpad(to_hex(n), 24, '0'), 'type', 'automation', 'name', 'Upgrade ' || (array['edge','core','spine','leaf'])[1 + n % 4] || ' ' || n % 500,
        'description', null, 'status', case when n % 100 < 90 then 'complete' when n % 100 < 95 then 'error' when n % 100 < 98 then 'canceled' else 'running' end,
        'created', to_char(timestamp '2026-01-01' + n * interval '20 s', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"'),
        'created_by', 'account' || n % 20, 'last_updated', to_char(timestamp '2026-01-01' + n * interval '20 s' + n % 977 * interval '1 min', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"'),
        'last_updated_by', 'account' || n % 20, 'decorators', '[]'::jsonb, 'tags', '[]'::jsonb, 'error', '[]'::jsonb, 'warnings', '[]'::jsonb,
        'ancestors', '[]'::jsonb, 'variables', jsonb_build_object('_id', n, 'initiator', 'bench'), 'watchers', '[]'::jsonb, 'parent', null,
        'metrics', jsonb_build_object('start_time', 1767225600000 + n * 20000::bigint, 'end_time', case when n % 100 < 90 then 1767225660000 + n * 20000::bigint end, 'user', null, 'progress', 1),
        'groups', case when n % 10 = 0 then '["65f000000000000000000001"]'::jsonb else '[]'::jsonb end),
      '{}'::jsonb, 'plan'
    from generate_series(${from}::bigint, ${to}::bigint) n`);

const questions: [label: string, query: Record<string, unknown>][] = [
  ['first page', {}],
  ['oldest first', { sort: 'metrics.start_time', order: 1 }],
  ['latest change first', { sort: 'last_updated', order: -1 }],
  ['by name', { sort: 'name', order: 1 }],
  ['equals[status]=running', { equals: { status: 'running' } }],
  ['equals[status]=complete, 9 of 10', { equals: { status: 'complete' } }],
  ['contains[name], a quarter', { contains: { name: 'edge' } }],
  ['contains[name], few', { contains: { name: 'core 117' } }],
  ['contains[name], none', { contains: { name: 'nowhere' } }],
  ['starts-with[name], all', { 'starts-with': { name: 'Upgrade' } }],
  ['starts-with[name], few', { 'starts-with': { name: 'Upgrade leaf 47' } }],
  ['equals[name], one workflow', { equals: { name: 'Upgrade spine 250' } }],
  ['equals[name] and status', { equals: { name: 'Upgrade spine 250', status: 'complete' } }],
  ['equals[created_by], a 20th', { equals: { created_by: 'account7' } }],
  ['equals[created_by] and status', { equals: { created_by: 'account12', status: 'error' } }],
  ['equals[created_by] and no status', { equals: { created_by: 'account12', status: 'paused' } }],
  ['last_updated after', { gt: { last_updated: '2026-08-01T00:00:00.000Z' } }],
  [`skip ${LISTED / 10}`, { skip: LISTED / 10 }],
  [`skip ${LISTED / 2}`, { skip: LISTED / 2 }],
];
// Other fields of a caller do not affect what it may read.
const admin = { id: 'admin', roles: ['admin'], groups: [] } as unknown as Caller;
const plain = { id: 'plain', roles: ['apiread'], groups: ['65f000000000000000000002'] } as unknown as Caller;

try {
  await db.execute(sql`insert into job_plans (id, drawing) values ('plan', '{}')`);
  const began = performance.now();
  for (let at = 1; at <= LISTED; at += CHUNK) await store(at, Math.min(LISTED, at + CHUNK - 1));
  await db.execute(sql`vacuum analyze jobs`);
  await db.execute(sql`vacuum analyze job_counts`);
  process.stdout.write(`${LISTED} jobs stored in ${Math.round((performance.now() - began) / 1000)} s\n`);
  let worst = 0;
  for (const [who, principal] of [
    ['admin', admin],
    ['somebody in another group', plain],
  ] as const) {
    process.stdout.write(`\n${who.padEnd(36)}    first     best   median (ms)    total\n`);
    for (const [label, query] of questions) {
      const times: number[] = [];
      let total: unknown;
      for (let round = 0; round <= ROUNDS; round++) {
        const startedAt = performance.now();
        const page = await listJobs({ db, principal, platform }, { limit: 25, ...query });
        times.push(performance.now() - startedAt);
        total = /"total":(\d+)/.exec(String((page as { text?: string }).text ?? ''))?.[1];
      }
      const [first = 0, ...others] = times;
      others.sort((a, b) => a - b);
      const [best = 0] = others;
      worst = Math.max(worst, best);
      const shown = (ms: number) => ms.toFixed(1).padStart(8);
      const note = best <= BAR_MS ? '' : '  over the bar';
      process.stdout.write(
        `${label.padEnd(36)} ${shown(first)} ${shown(best)} ${shown(others[4] ?? 0)} ${String(total).padStart(15)}${note}\n`,
      );
    }
  }
  verdict('slowest list of jobs at its best, ms', worst, worst <= BAR_MS, `≤ ${BAR_MS}`);
} finally {
  await closeDatabase();
  await close();
  await rm(folder, { recursive: true, force: true });
}
