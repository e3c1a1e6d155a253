import { constants, existsSync } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import { openDatabase } from '#db/client.ts';
import { type Connection, openEmbedded } from '#db/embedded.ts';
import { migrate } from '#db/migrate.ts';
import { checkPooler } from '#db/server-check.ts';
import type { Config } from '#server/kernel/config.ts';
import { readSecretKey } from './secret-key.ts';

/** The parts that every process opens first: a migrated database, and the key that seals the secrets in it. */
export type Bootstrapped = { connection: Connection; key: Buffer; previousKey: Buffer | undefined };

/**
 * Reads the key, opens the database and migrates its tables.
 *
 * @param closers receives the functions that close what was opened
 * @param stopping aborts the wait for a database that cannot be reached
 * @throws ConfigError
 */
export async function prepareDatabase(
  config: Config,
  log: Logger,
  closers: (() => Promise<void>)[],
  stopping?: AbortSignal,
): Promise<Bootstrapped> {
  const { dataDir } = config;
  if (config.secretKey === undefined || !config.databaseUrl) await makeDataDir(dataDir);
  const key = await readSecretKey(dataDir, config.secretKey);
  const connection = await openConnection(config, dataDir, log, closers);
  await migrate(connection, {
    warn: (line) => log.warn(line),
    // Written to the terminal whatever the log level is.
    waiting: (line) => process.stderr.write(`switchyard: ${line}\n`),
    signal: stopping,
  });
  if (config.poolerUrl !== undefined) await assertPooler(connection, config.poolerUrl);
  const { secretKeyPrevious } = config;
  const previousKey = secretKeyPrevious ? Buffer.from(secretKeyPrevious, 'base64') : undefined;
  return { connection, key, previousKey };
}

/** @throws Error with one line when the sessions behind the pooler are not as the service needs them */
async function assertPooler(connection: Connection, pooler: string): Promise<void> {
  const { db, close } = openDatabase({ connection, pooler, max: 1 });
  await checkPooler(db).finally(close);
}

/** @throws Error with one line that names the folder and the reason: a disk that is read-only, or one that is not ours */
async function makeDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true });
    await access(dataDir, constants.W_OK);
  } catch (cause) {
    // Of a read-only disk, Node reports a missing folder: the nearest one that exists has the reason.
    let parent = dataDir;
    while (!existsSync(parent)) parent = dirname(parent);
    const reason = await access(parent, constants.W_OK).then(
      () => cause as NodeJS.ErrnoException,
      (error: NodeJS.ErrnoException) => error,
    );
    const why = reason.code === 'EROFS' ? 'the file system is read-only' : reason.message;
    throw new Error(`DATA_DIR cannot be written: ${dataDir}: ${why}`, { cause });
  }
}

async function openConnection(
  config: Config,
  dataDir: string,
  log: Logger,
  closers: (() => Promise<void>)[],
): Promise<Connection> {
  if (config.databaseUrl) return config.databaseUrl;
  const embedded = await openEmbedded({ dataDir, log: (severity, message) => log[severity](message) });
  closers.push(embedded.close);
  return embedded.connection;
}
