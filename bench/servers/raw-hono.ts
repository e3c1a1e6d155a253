import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { RELEASE } from '#server/config.ts';
import { reportCpu } from './report.ts';

/** The peer: the same answers from Hono alone, without accounts, schemas, limits or logs. */
const app = new Hono();
app.get('/version', (c) => c.text(RELEASE));

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => reportCpu(port));
