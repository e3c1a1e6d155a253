import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { z } from 'zod';
import { newId } from '#db/ids.ts';
import { openPeerDatabase, printPort } from './peer.ts';

/**
 * The least that a request can cost: Hono answers a page from memory, or with the bytes that one statement of the driver returns,
 * or after Zod has parsed the body; or it stores what Zod has parsed. There are no accounts, filters, totals, limits or logs.
 */
const sql = await openPeerDatabase();
const app = new Hono();

const Search = z.strictObject({
  options: z.strictObject({
    start: z.int().min(0),
    limit: z.int().min(1).max(1000),
    filter: z.strictObject({ name: z.string() }),
  }),
});
const NewTag = z.strictObject({
  data: z.strictObject({ name: z.string().min(1).max(255), description: z.string().nullish() }),
});

const PAGE = `
  select coalesce(string_agg(doc::text, E',\\n'), '') from
    (select doc from backups order by date desc nulls last, id offset $1::int limit $2::int) page`;
const STORE = 'insert into tags (id, doc) values ($1, $2::text::jsonb) returning doc::text';
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
app.post('/parsed', async (c) => {
  const { options } = Search.parse(await c.req.json());
  return answer(await read(options.start, options.limit));
});
app.post('/tags/create', async (c) => {
  const { data } = NewTag.parse(await c.req.json());
  const id = newId(Date.now());
  const [row] = (await sql
    .unsafe(STORE, [id, JSON.stringify({ _id: id, ...data })], { prepare: true })
    .raw()) as unknown as [Buffer][];
  if (!row) throw new TypeError('the statement yields no row');
  return answer(row[0]);
});
const kept = await read(0, 25);
app.post('/memory', async (c) => {
  await c.req.json();
  return answer(kept);
});

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => printPort(port));
