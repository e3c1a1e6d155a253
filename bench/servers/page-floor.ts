import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { openPeerDatabase, printPort } from './peer.ts';

/**
 * The least that a page can cost: Hono answers it from memory, or with the bytes that one statement of the driver returns.
 * There are no accounts, schemas, filters or totals.
 */
const sql = await openPeerDatabase();
const app = new Hono();

const PAGE = `
  select string_agg(doc::text, E',\\n') from
    (select doc from backups order by date desc nulls last, id offset $1::int limit $2::int) page`;
const read = async (start: number, limit: number): Promise<Buffer> => {
  const [row] = (await sql.unsafe(PAGE, [start, limit], { prepare: true }).raw()) as unknown as [Buffer][];
  if (!row) throw new TypeError('the statement yields no row');
  return Buffer.concat([Buffer.from('{"total":100000,"list":['), row[0], Buffer.from(']}')]);
};
const answer = (bytes: Buffer) =>
  new Response(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length) as Uint8Array<ArrayBuffer>, {
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': String(bytes.length) },
  });

app.post('/configuration_manager/backups', async (c) => {
  const { options } = await c.req.json();
  return answer(await read(options.start, options.limit));
});
const kept = await read(0, 25);
app.post('/memory', async (c) => {
  await c.req.json();
  return answer(kept);
});

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => printPort(port));
