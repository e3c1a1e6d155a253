import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openPeerDatabase, printPort } from './peer.ts';

/**
 * Stores the workflows for the benchmark of lists: two thirds are global, the others are in a hundred projects, half of
 * which the account may read. Then it listens: each request changes one workflow.
 */
const { BENCH_WORKFLOWS: count = '0', BENCH_ACCOUNT: account = '' } = process.env;
const sql = await openPeerDatabase(1);
await sql`
  insert into projects (id, doc)
  select id, jsonb_build_object('_id', id, 'iid', n, 'name', 'Project ' || n, 'accessControl',
    jsonb_build_object('read', case when n <= 50 then jsonb_build_array('account:' || ${account}::text) else '[]' end))
  from (select n, lpad(to_hex(n), 24, '0') as id from generate_series(1, 100) n) as made`;
const started = performance.now();
// Indexes built afterwards take a fraction of the time of updating them for a million rows one by one.
const indexes = await sql<{ name: string; made: string }[]>`
  select indexname as name, indexdef as made from pg_indexes where tablename = 'workflows' and indexname <> 'workflows_pkey'`;
for (const { name } of indexes) await sql`drop index ${sql(name)}`;
await sql`
  insert into workflows (id, project_id, doc)
  select id, project, jsonb_build_object('_id', id, 'type', case when n % 2 = 0 then 'automation' else 'mop' end,
    'name', coalesce('@' || project || ': ', '') || verb || ' ' || place || ' ' || left(md5(n::text), 8) || '-' || n,
    'description', 'made by the bench for ' || left(md5('d' || n), 8), 'last_updated', to_char(timestamp '2024-01-01'
      + (n::bigint * 7919 % 1000003) * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'transitions', '{}'::jsonb, 'tasks', jsonb_build_object(
      'workflow_start', jsonb_build_object('name', 'workflow_start', 'summary', repeat(md5(n::text), 7)),
      'workflow_end', jsonb_build_object('name', 'workflow_end', 'summary', repeat(md5('e' || n), 12))))
  from (
    select n, md5('w' || n)::uuid::text as id,
      case when n % 3 = 0 then lpad(to_hex(1 + n / 3 % 100), 24, '0') end as project,
      (array['Upgrade','Backup','Audit','Replace'])[1 + n % 4] as verb,
      (array['edge','core','leaf','spine','wan'])[1 + n % 5] as place
    from generate_series(1, ${Number(count)}::int) n
  ) as made`;
await sql`set maintenance_work_mem = '256MB'`;
for (const { made } of indexes) await sql.unsafe(made);
process.stderr.write(`stored ${count} workflows in ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
await sql`vacuum analyze workflows`;
await sql`vacuum analyze projects`;

const server = createServer(async (_, response) => {
  await sql`update workflows set doc = doc || '{"font_size": 12}' where name = (select min(name) from workflows)`;
  response.end();
});
server.listen(0, '127.0.0.1', () => printPort((server.address() as AddressInfo).port));
