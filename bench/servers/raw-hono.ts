import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { newId } from '#db/ids.ts';
import { RELEASE } from '#server/kernel/config.ts';
import { openPeerDatabase, printPort } from './peer.ts';

/** The peer: the same responses from Hono alone, without accounts, schemas, limits, metrics or logs. */
const sql = await openPeerDatabase();
const app = new Hono();

app.get('/version', (c) => c.text(RELEASE));

app.post('/configuration_manager/backups', async (c) => {
  const { options } = await c.req.json();
  const found = await sql`
    select doc::text as doc, (select count(*) from backups) as total
    from backups order by date desc nulls last, id offset ${options.start} limit ${options.limit}`;
  const list = found.map(({ doc }) => JSON.parse(doc));
  return c.json({ total: Number(found[0]?.total ?? 0), list });
});

app.post('/tags/create', async (c) => {
  const { data } = await c.req.json();
  const id = newId(Date.now());
  const [stored] = await sql`
    insert into tags (id, doc) values (${id}, ${sql.json({ _id: id, ...data })}) returning doc`;
  return c.json(stored?.doc);
});

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => printPort(port));
