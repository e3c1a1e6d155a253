import Fastify from 'fastify';
import { openPeerDatabase, printPort } from './peer.ts';

/** The peer: a hand-written page and total. It also fills the table before the measurement. */
const sql = await openPeerDatabase();
const count = Number(process.env.BENCH_DOCUMENTS ?? 0);
await sql`
  insert into backups (id, doc)
  select id, jsonb_build_object('id', id, '_id', id, 'name', 'edge-' || n, 'provider', 'bench', 'type', 'native',
    'date', to_char(timestamp '2026-01-01' + n * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'description', 'made by the bench', 'notes', repeat(md5(n::text), 55), 'sha256', md5(n::text), 'size', 15000,
    'gbac', '{"read":[],"write":[]}'::jsonb)
  from (select n, lpad(to_hex(n), 24, '0') as id from generate_series(1, ${count}) n) made`;
await sql`vacuum analyze backups`;

const app = Fastify();
type ListBody = { Body: { options: { start: number; limit: number } } };
app.post<ListBody>('/configuration_manager/backups', async ({ body: { options } }) => {
  const [list, [counted]] = await Promise.all([
    sql`select doc from backups order by date desc nulls last, id offset ${options.start} limit ${options.limit}`,
    sql`select count(*)::int as total from backups`,
  ]);
  return { total: counted?.total, list: list.map(({ doc }) => doc) };
});

await app.listen({ port: 0, host: '127.0.0.1' });
const address = app.server.address();
printPort(typeof address === 'object' && address ? address.port : 0);
