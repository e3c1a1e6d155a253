import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { composeService } from '#server/app/open-service.ts';
import { readConfig } from '#server/kernel/config.ts';
import { createPerson, signIn } from '../../helpers/people.ts';
import { databaseUrlOf } from '../../helpers/postgres.ts';
import { openDeafProxy } from '../../helpers/processes/deaf-proxy.ts';
import { openSilentProxy } from '../../helpers/processes/silent-proxy.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();
const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

let clock = 0;
/** A process of the service on another way to the database. */
async function openProcess(connection: Parameters<typeof openDatabase>[0]['connection']) {
  const opened = openDatabase({ connection });
  const process = composeService({
    config: readConfig({}),
    db: opened.db,
    vault: service.vault,
    log: pino({ level: 'silent' }),
    now: () => new Date(Date.now() + clock),
  });
  process.server.listen(0, '127.0.0.1');
  await once(process.server, 'listening');
  closing.push(
    opened.close,
    () => process.server.close(),
    () => process.server.closeAllConnections(),
  );
  const { port } = process.server.address() as AddressInfo;
  const get = async (path: string, token: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    return { status: answer.status, text: await answer.text() };
  };
  return { get, forget: process.accessChanged };
}
const tokenOf = async (role: 'apiread' | 'apiwrite') => signIn(service, await createPerson(service, [role]));

test('whoever read the metrics reads them while the database is away, and nobody else does', async () => {
  const way = await openDeafProxy(service.connection);
  closing.push(way.close);
  const { get, forget } = await openProcess(way.connection);
  const [reader, late, other] = [
    await tokenOf('apiread'),
    await tokenOf('apiread'),
    await tokenOf('apiwrite'),
  ];
  expect((await get('/prometheus_metrics', reader)).text).toMatch(/^database_up 1$/m);
  expect((await get('/prometheus_metrics', other)).status).toBe(403);
  way.away();
  // The cache of callers, which serves every endpoint, holds for a second.
  clock = 2000;
  const away = await get('/prometheus_metrics', reader);
  expect(away).toMatchObject({ status: 200, text: expect.stringMatching(/^database_up 0$/m) });
  expect(away.text).toMatch(/^process_resident_memory_bytes \d+$/m);
  expect((await get('/prometheus_metrics', other)).status).toBe(403);
  // What this process has not verified before stays unknown, and other endpoints need the database.
  expect((await get('/prometheus_metrics', late)).status).toBe(503);
  expect((await get('/whoami', reader)).status).toBe(503);
  clock = 61 * 60_000;
  expect((await get('/prometheus_metrics', reader)).status).toBe(503);
  clock = 2000;
  forget();
  expect((await get('/prometheus_metrics', reader)).status).toBe(503);
  way.back();
  expect((await get('/prometheus_metrics', reader)).text).toMatch(/^database_up 1$/m);
});

test('the metrics come in time while the database is silent', async () => {
  const near = Number(new URL(await databaseUrlOf(service.connection)).port);
  const way = await openSilentProxy(near);
  closing.push(way.close);
  const url = new URL(await databaseUrlOf(service.connection));
  url.port = String(way.port);
  const { get } = await openProcess(url.href);
  const reader = await tokenOf('apiread');
  expect((await get('/prometheus_metrics', reader)).status).toBe(200);
  way.silence({ all: true });
  clock += 2000;
  const begun = performance.now();
  expect((await get('/prometheus_metrics', reader)).text).toMatch(/^database_up 0$/m);
  // Prometheus waits for ten seconds.
  expect(performance.now() - begun).toBeLessThan(8000);
});
