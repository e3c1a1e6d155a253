import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import {
  inventoryDocument,
  inventoryIntegration,
  inventoryTask,
  openInventory,
} from '../../../helpers/integrations/inventory-system.ts';
import { until } from '../../../helpers/processes/processes.ts';
import { kill, openProcesses } from '../../../helpers/processes/started.ts';
import { openService } from '../../../helpers/service.ts';
import { workflowOf } from '../../../helpers/workflows.ts';

process.env.ALLOW_PRIVATE_TARGETS = '1';
const service = await openService();
const { db, send } = service;
const started = openProcesses('jobs-process');

/** Answers are held back while processes die. */
let isHeld = true;
const held: (() => void)[] = [];
const inventory = await openInventory((_, response) => {
  const answer = () =>
    void response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"done":true}');
  if (isHeld) held.push(answer);
  else answer();
  return true;
});

/** Calls of each of the three classes. */
const CALLS = 334;
const CLASSES = {
  read: inventoryTask('dcim_devices_retrieve', { id: '$var.job.device' }),
  keyed: inventoryTask('dcim_devices_update', { id: '$var.job.device', requestBodyPayload: {} }),
  unsafe: inventoryTask('dcim_devices_create', { requestBodyPayload: '$var.job.payload' }),
};
type Class = keyof typeof CLASSES;

const post = async (path: string, body: unknown) => {
  const answer = await send('admin', 'POST', path, body);
  expect(answer.status, answer.text).toBe(200);
};

beforeAll(async () => {
  await post('/integration-models', { model: inventoryDocument() });
  await post(
    '/integrations',
    inventoryIntegration(inventory.port, { maxConcurrent: 64, timeouts: { request: 120_000 } }),
  );
  for (const [name, one] of Object.entries(CLASSES)) {
    const automation = workflowOf(`Crash ${name}`, { a1: one });
    await post('/automation-studio/automations', { automation });
  }
});
afterAll(started.end);

const twoProcesses = () =>
  started.running(2, JSON.stringify(service.connection), service.key.toString('hex'));

const outcomes = (name: Class) =>
  rows<{ status: string; error: string | null; n: number }>(
    db,
    sql`select status, doc #>> '{error,0,message}' as error, count(*)::int as n
        from jobs where name = ${`Crash ${name}`} group by 1, 2 order by 1`,
  );

const ended = async () =>
  (
    await rows<{ n: number }>(
      db,
      sql`select count(*)::int as n from jobs where status in ('complete', 'error')`,
    )
  )[0]?.n ?? 0;

test('after kill -9 during calls reads and repeatable writes are made again, and others end in error', async () => {
  const processes = await twoProcesses();
  for (let device = 1; device <= CALLS; device += 1) {
    for (const name of Object.keys(CLASSES)) {
      const variables = { device, payload: { name: `edge-${device}` } };
      await post('/operations-manager/jobs/start', { workflow: `Crash ${name}`, options: { variables } });
    }
  }
  const most = Math.min(CALLS * 3, 40);
  await until('calls are under way', async () => (inventory.seen.length >= most ? true : undefined));
  for (const doomed of processes) await kill(doomed);
  isHeld = false;
  for (const answer of held.splice(0)) answer();
  const before = performance.now();
  let [next] = await twoProcesses();
  // One of the two processes is killed while the other continues its work.
  for (const share of [0.25, 0.5]) {
    await until(
      'a part of the jobs has ended',
      async () => ((await ended()) >= CALLS * 3 * share ? true : undefined),
      120,
    );
    if (next) await kill(next);
    [next] = await twoProcesses();
  }
  await until(
    'every job has ended',
    async () => {
      const open = await rows(db, sql`select from jobs where status not in ('complete', 'error')`);
      return open.length === 0 ? true : undefined;
    },
    120,
  );
  const seconds = (performance.now() - before) / 1000;
  expect(await outcomes('read')).toEqual([{ status: 'complete', error: null, n: CALLS }]);
  expect(await outcomes('keyed')).toEqual([{ status: 'complete', error: null, n: CALLS }]);
  const unsafe = await outcomes('unsafe');
  const interrupted = unsafe.find(({ error }) => error === 'interrupted, outcome unknown')?.n ?? 0;
  const done = unsafe.find(({ status }) => status === 'complete')?.n ?? 0;
  expect(interrupted).toBeGreaterThan(0);
  expect(interrupted + done).toBe(CALLS);
  const creates = inventory.seen.filter(({ method }) => method === 'POST').map(({ body }) => body);
  expect(CALLS * 3).toBeGreaterThanOrEqual(1000);
  expect(new Set(creates).size).toBe(creates.length);
  const repeated = inventory.seen.length - creates.length - CALLS * 2;
  expect(repeated).toBeGreaterThan(0);
  console.log(
    `adapter calls: ${CALLS * 3}, processes killed 4, repeated ${repeated}, interrupted ${interrupted}, unsafe repeated 0, over after ${seconds.toFixed(1)} s`,
  );
}, 240_000);
