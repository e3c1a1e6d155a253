import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { openDatabase } from '#db/client.ts';
import { openEmbedded } from '#db/embedded.ts';
import { listen } from '#db/listen.ts';
import { migrate } from '#db/migrate.ts';
import type { Config } from './config.ts';
import { startEngine } from './durable/engine.ts';
import { createAdmin } from './engines/access/seed.service.ts';
import { assertSameKey, readSecretKey } from './secret-key.ts';
import { seed } from './seeds.ts';
import { ACCESS_CHANGED, joinService } from './service.ts';
import { openVault } from './vault.ts';
import { workersOf } from './workers.ts';

/** Time that requests under way have to finish once the service is told to stop (operations.md). */
const GRACE_MS = 10_000;

export type Running = {
  url: string;
  /** Stop accepting, finish what runs, close the database and, when it is ours, stop it. */
  stop: () => Promise<void>;
};

/**
 * Start everything: key, database, migrations, seeds, service, port.
 *
 * @param tell prints a line on standard output, for the person or script that started us
 */
export async function startService(
  config: Config,
  log: Logger,
  tell: (line: string) => void,
): Promise<Running> {
  const closers: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    const dataDir = resolve(config.dataDir);
    const vault = openVault(await readSecretKey(dataDir, config.secretKey));
    const connection = await openConnection(config, dataDir, log, closers);
    await migrate(connection, { warn: (line) => log.warn(line) });
    const { db, close } = openDatabase({ connection });
    closers.push(close);
    await assertSameKey(db, vault);

    const service = joinService({ config, db, vault, log });
    await seed(db, service.platform);
    const admin = await createAdmin(db, config.adminPassword);
    closers.push(await listen(connection, ACCESS_CHANGED, service.accessChanged));
    const engine = await startEngine({
      connection,
      log,
      workers: workersOf(config, { db, now: service.platform.now, log }),
    });
    closers.push(engine.stop);

    const { server } = service;
    server.listen(config.port, config.host);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const url = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
    closers.push(() => closeServer(server));
    tell(`listening on ${url}`);
    if (admin.password) {
      // Printed first, stored then: a crash in between leaves no account whose password nobody has seen.
      tell(`first start: sign in as admin with the password ${admin.password} (shown this once)`);
      if (!(await admin.store())) tell('another process made the account admin first: its password counts');
    }
    log.info({ url }, 'ready');
    return { url, stop };
  } catch (error) {
    await stop().catch((cause: unknown) => log.error({ err: cause }, 'could not stop in order'));
    throw error;
  }
}

async function openConnection(
  config: Config,
  dataDir: string,
  log: Logger,
  closers: (() => Promise<void>)[],
) {
  if (config.databaseUrl) return config.databaseUrl;
  await mkdir(dataDir, { recursive: true });
  const embedded = await openEmbedded({ dataDir, log: (severity, message) => log[severity](message) });
  closers.push(embedded.close);
  return embedded.connection;
}

/** Stop accepting, let what runs finish, and cut what has not finished in time. */
async function closeServer(server: Server) {
  const closed = once(server, 'close');
  // A client that keeps its connection busy would never be idle: each answer from now on is its last.
  server.prependListener('request', (_, response) => response.setHeader('Connection', 'close'));
  server.close();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  await closed;
  clearTimeout(timer);
}
