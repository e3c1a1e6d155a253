import { createHmac } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { BackupError, type Header } from '#db/backup/format.ts';
import { readHeader, restoreBackup } from '#db/backup/restore.ts';
import { writeBackup } from '#db/backup/write.ts';
import { type Connection, openEmbedded } from '#db/embedded.ts';
import { addressOf } from '#db/migrate.ts';
import { startEngine } from '#server/durable/engine.ts';
import { type Config, RELEASE, readConfig } from '#server/kernel/config.ts';
import { openLog } from '#server/kernel/observability/log.ts';

const HELP = {
  backup: `npm run backup -- FILE

Writes all stored data to FILE, a new file that only its owner may read: one snapshot, also while the service
runs. Reads DATABASE_URL, else the embedded database in DATA_DIR. Secrets stay encrypted: keep SECRET_KEY, or
DATA_DIR/secret.key, as well, and not in the same place.

Exit status: 0 done, 1 failed (no file is left), 64 wrong arguments, 78 wrong configuration.
`,
  restore: `npm run restore -- FILE [--force]

Restores the backup in FILE into the database of DATABASE_URL, else into the embedded one in DATA_DIR: completely, or
not at all. Stop every process of the service first. A database with data is rejected, unless --force
allows to delete that data.

Exit status: 0 done, 1 failed (nothing has changed), 64 wrong arguments, 78 wrong configuration.
`,
};

/** The exit status EX_USAGE of sysexits.h. */
const EX_USAGE = 64;

export type BackupCommand = keyof typeof HELP;

type Print = (line: string) => void;

/**
 * Runs `npm run backup` or `npm run restore`.
 *
 * @param args the arguments after the command
 * @returns the exit status
 * @throws Error with a one-line message for the operator
 */
export async function runBackupCommand(
  command: BackupCommand,
  args: readonly string[],
  print: Print,
): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(HELP[command]);
    return 0;
  }
  const flags = args.filter((word) => word.startsWith('-'));
  const [named, ...more] = args.filter((word) => !word.startsWith('-'));
  const unknown = flags.filter((flag) => command === 'backup' || flag !== '--force');
  if (named === undefined || more.length > 0 || unknown.length > 0) {
    process.stderr.write(HELP[command]);
    return EX_USAGE;
  }
  const config = readConfig(process.env);
  const file = resolve(named);
  if (command === 'backup') await backUp(config, file, print);
  else await restore(config, file, flags.includes('--force'), print);
  return 0;
}

async function backUp(config: Config, file: string, print: Print): Promise<void> {
  const isFolder = await stat(dirname(file)).then((found) => found.isDirectory(), isAbsent);
  if (!isFolder) throw new BackupError(`There is no folder ${dirname(file)}: make it, or name another one`);
  // Opening an embedded database would create one.
  const { dataDir } = config;
  const has = (name: string) => stat(join(dataDir, name)).then(() => true, isAbsent);
  if (!config.databaseUrl && !(await has('postgres')) && !(await has('postgres.location'))) {
    throw new BackupError(
      `There is no embedded database in ${dataDir}: set DATA_DIR or DATABASE_URL as for the service`,
    );
  }
  const key = await findKey(config);
  await withDatabase(config, print, async ({ connection }) => {
    const keyFingerprint = key ? fingerprintOf(key) : null;
    await writeBackup({ connection, file, release: RELEASE, keyFingerprint, print });
    print(`backup written to ${file}`);
    print(
      `its secrets are encrypted with the key ${keyFingerprint ?? 'in use'}: keep SECRET_KEY, or DATA_DIR/secret.key, in another place`,
    );
  });
}

/** Returns false for the error of a file that does not exist. @throws every other error */
function isAbsent(error: NodeJS.ErrnoException): false {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return false;
  throw error;
}

async function restore(config: Config, file: string, force: boolean, print: Print): Promise<void> {
  const isFile = await stat(file).then((found) => !found.isDirectory(), isAbsent);
  if (!isFile) throw new BackupError(`There is no file ${file}`);
  const header = await readHeader(file);
  print(`backup of ${header.created}, made by Switchyard ${header.release}`);
  await withDatabase(config, print, async ({ connection, isShared }) => {
    if (isShared) {
      throw new BackupError(
        'The service is running on this DATA_DIR: stop every process of it, then restore',
      );
    }
    const makeEngineTables = async () => {
      const engine = await startEngine({ connection, log: openLog('silent'), workers: [] });
      await engine.stop();
    };
    await restoreBackup({ connection, file, force, makeEngineTables, print });
    print('restored');
    await warnOfMissingKey(config, header, print);
  });
}

async function warnOfMissingKey(config: Config, { keyFingerprint }: Header, print: Print): Promise<void> {
  if (keyFingerprint === null) return;
  const key = await findKey(config);
  if (key && fingerprintOf(key) === keyFingerprint) return;
  const found = key ? `SECRET_KEY or DATA_DIR/secret.key is ${fingerprintOf(key)}` : 'no key exists here';
  print(
    `warning: the secrets are encrypted with the key ${keyFingerprint}, and ${found}; the service starts only with that key`,
  );
}

type DatabaseTarget = {
  connection: Connection;
  /** Whether another process runs the embedded database. */
  isShared: boolean;
};

async function withDatabase(
  config: Config,
  print: Print,
  run: (found: DatabaseTarget) => Promise<void>,
): Promise<void> {
  if (config.databaseUrl) {
    print(`database at ${addressOf(config.databaseUrl)}`);
    await run({ connection: config.databaseUrl, isShared: false });
    return;
  }
  const { dataDir } = config;
  const log = openLog(config.logLevel);
  const embedded = await openEmbedded({ dataDir, log: (severity, message) => log[severity](message) });
  print(`embedded database in ${dataDir}`);
  try {
    await run({ connection: embedded.connection, isShared: !embedded.isOwner() });
  } finally {
    await embedded.close();
  }
}

/** Returns the master key, or undefined when none exists yet. Only a service that starts generates one. */
async function findKey({ secretKey, dataDir }: Config): Promise<Buffer | undefined> {
  const text = secretKey ?? (await readFile(join(dataDir, 'secret.key'), 'utf8').catch(() => undefined));
  return text === undefined ? undefined : Buffer.from(text.trim(), 'base64');
}

const fingerprintOf = (key: Buffer): string =>
  createHmac('sha256', key).update('switchyard:fingerprint of the key').digest('hex').slice(0, 16);
