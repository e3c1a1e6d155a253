import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { openDatabase } from '#db/client.ts';
import { listen } from '#db/connections/listen.ts';
import { callPublishedListeners } from '#db/connections/publish.ts';
import { createAdmin } from '#server/domains/identity/index.ts';
import { hasHosts } from '#server/domains/network/index.ts';
import { openDispatch, pruneDeliveries } from '#server/domains/notifications/index.ts';
import { startEvents } from '#server/domains/workflow/index.ts';
import type { Config } from '#server/kernel/config.ts';
import type { Feed } from '#server/kernel/event-feed.ts';
import { openVault } from '#server/kernel/secrets/vault.ts';
import { inOrder, type Running } from '#server/kernel/timing/lifecycle.ts';
import { prepareDatabase } from './bootstrap.ts';
import { EVENTS_CHANNEL } from './compose.ts';
import { composeService } from './open-service.ts';
import { assertSameKey } from './secret-key.ts';
import { seed } from './seeds.ts';
import { followTls, readTls } from './tls.ts';
import { startExecutor } from './work/thread-host.ts';

/** How long requests may take to finish when the service stops; the whole stop may take 10 s (docs/operations.md). */
const GRACE_MS = 5000;

/**
 * Starts the service: key, database, migrations, seeds, HTTP server, port.
 *
 * @param print prints a line on standard output, for the operator or script that started the process
 * @param stopping aborts the wait for a database that cannot be reached
 */
export async function startService(
  config: Config,
  log: Logger,
  print: (line: string) => void,
  stopping?: AbortSignal,
): Promise<Running & { url: string }> {
  return inOrder(log, async (closers) => {
    const tls = config.tls && (await readTls(config.tls));
    const prepared = await prepareDatabase(config, log, closers, stopping);
    const { connection, key, previousKey } = prepared;
    const vault = openVault(key, previousKey);
    const { db, close } = openDatabase({ connection, pooler: config.poolerUrl });
    closers.push(close);
    await assertSameKey(db, vault);
    // The executor starts concurrently.
    const executor = startExecutor({ config, ...prepared }, log);
    closers.push(() => executor.then(({ stop }) => stop()));

    // Loaded only where it is set: an installation without it pays nothing.
    const telemetry =
      config.telemetry &&
      (await import('#server/kernel/observability/otlp/export.ts')).openExport(config.telemetry, log);
    if (telemetry) closers.push(telemetry.close);
    const service = composeService({ config, db, vault, log, ...(tls && { tls }) });
    closers.push(service.platform.secrets.close);
    closers.push(service.platform.cli.close, service.platform.packages.close);
    closers.push(service.platform.audit.flush);
    telemetry?.metrics(service.platform.metrics.text);
    await seed(db, service.platform);
    // The first command after a start would wait for the thread of the sessions, on a busy machine for longer than clients
    // wait (decision 0198). It starts concurrently, and only where there are devices.
    const sessions = (await hasHosts({ db }, 'cli')) ? service.platform.cli.prepare() : undefined;
    const admin = await createAdmin(db, config.adminPassword);
    const { channels } = service;
    closers.push(
      await listen(connection, {
        ...channels,
        // Another process has numbered new events: this one also checks for work that they start.
        [EVENTS_CHANNEL]: () => {
          channels[EVENTS_CHANNEL]();
          callPublishedListeners(db);
        },
      }),
    );
    await Promise.all([executor, sessions]);
    const { durable, access } = service.platform;
    const admins = async () => (await access.rules()).admins;
    const others = await openDispatch({ db, durable, admins });
    const forget = () => pruneDeliveries(db);
    closers.push(await startEvents({ db, log, kept: config.events.kept, durable, others, forget }));

    const { server } = service;
    server.listen(config.port, config.host);
    await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error;
      throw new Error(
        `Another process listens on port ${config.port} of ${config.host}: end it, or set another PORT`,
        { cause: error },
      );
    });
    const { port } = server.address() as AddressInfo;
    if (config.tls && tls && 'setSecureContext' in server)
      closers.push(followTls(config.tls, tls, server, log));
    const url = `${tls ? 'https' : 'http'}://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
    closers.push(() => closeServer(server));
    closers.push(() => drain(server, service.platform.events, config.drainMs));
    // Work is released while requests finish, so both together take only as long as the slower one.
    closers.push(async () => void executor.then(({ stop }) => stop()));
    print(`listening on ${url}`);
    if (admin.password) {
      // Printed before it is stored: a crash in between leaves no account whose password nobody has seen.
      print(`first start: sign in as admin with the password ${admin.password} (shown only once)`);
      if (!(await admin.store()))
        print('another process created the account admin first: the password of that process applies');
    }
    log.info({ url }, 'ready');
    return { url };
  });
}

/**
 * Makes the readiness answer 503, and continues to answer requests for `ms`: a balancer notices before the port closes. Streams never
 * end by themselves: their readers are disconnected and reconnect to another process.
 */
async function drain(server: Server | HttpsServer, events: Pick<Feed, 'close'>, ms: number) {
  events.close();
  endConnections(server);
  await sleep(ms);
}

/** Stops accepting connections, lets running requests finish, and closes those that have not finished in time. */
async function closeServer(server: Server | HttpsServer) {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  await closed;
  clearTimeout(timer);
}

/** A busy keep-alive connection would never become idle: each response from now on closes its connection. */
function endConnections(server: Server | HttpsServer) {
  server.prependListener('request', (_, response) => response.setHeader('Connection', 'close'));
}
