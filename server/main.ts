import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import { USUAL_OPTIMISATION } from '#server/app/optimisation.cjs';
import { type Config, ConfigError, RELEASE, readConfig } from '#server/kernel/config.ts';
import { logProcessErrors, openLog } from '#server/kernel/observability/log.ts';
import type { Running } from '#server/kernel/timing/lifecycle.ts';

/** The exit status EX_CONFIG of sysexits.h: the configuration is invalid (docs/operations.md). */
const EX_CONFIG = 78;

/** The exit status EX_USAGE of sysexits.h. */
const EX_USAGE = 64;

/** Time after the drain when the process exits even if parts still run, in milliseconds: within the 10 s of docs/operations.md. */
const LAST_MS = 9500;

const HELP = `switchyard ${RELEASE}: an open network automation platform

  npm start            serve and do durable work, with an embedded PostgreSQL unless DATABASE_URL is set
  npm run worker       an additional process on the same database that only does durable work
  npm run backup       write all stored data to a file: npm run backup -- --help
  npm run restore      restore it: npm run restore -- --help
  npm run adapter      add, check, list and remove adapter packages: npm run adapter -- --help

It listens on http://127.0.0.1:3000 unless HOST and PORT set another address. The first start creates the account admin and
prints its password once, unless ADMIN_PASSWORD is set. Ctrl-C or SIGTERM ends a process after its current work.

HOST, PORT, DATABASE_URL, DATA_DIR, ADMIN_PASSWORD, SECRET_KEY, LOG_LEVEL and more are read from the environment;
docs/operations.md describes each of them.
`;

const print = (line: string) => process.stdout.write(`${line}\n`);
// Where a line cannot be written, as on a full disk, the work continues without it.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

/** Writes one line for the operator. For a failed statement it is the cause: the statement itself may hold secrets. */
async function printError(error: unknown) {
  const isStatement = error instanceof Error && 'query' in error && error.cause instanceof Error;
  const cause = isStatement ? error.cause : error;
  const message = cause instanceof Error ? cause.message : String(cause);
  const lacking = (await import('#db/client.ts')).exhaustion(error);
  const line = lacking
    ? `The database ${lacking} (${message}): make room for this process, then start it again (docs/high-availability.md)`
    : message;
  process.stderr.write(`switchyard: ${line}\n`);
}

/** Starts the selected mode, and loads only the modules that it needs. */
async function start(
  config: Config,
  log: Logger,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<Running> {
  if (process.argv[2] === 'worker')
    return (await import('#server/app/work/start-worker.ts')).startWorker(config, log, print, signal);
  return (await import('#server/app/start.ts')).startService(config, log, print, signal);
}

async function main() {
  const [command, ...args] = process.argv.slice(2);
  if (command === 'backup' || command === 'restore') {
    process.exit(
      await (await import('#server/app/backup-command.ts')).runBackupCommand(command, args, print),
    );
  }
  if (command === 'adapter') {
    process.exit(await (await import('#server/app/adapter-command.ts')).runAdapterCommand(args, print));
  }
  if (process.argv.includes('--help')) {
    process.stdout.write(HELP);
    return;
  }
  const [unknown] = command === 'worker' ? args : [command];
  if (unknown !== undefined) {
    process.stderr.write(`switchyard: there is no command ${unknown}\n\n${HELP}`);
    process.exit(EX_USAGE);
  }
  const config = readConfig(process.env);
  const log = openLog(config.logLevel);
  let stopping = false;
  let started = false;
  const waiting = new AbortController();
  let stop = async () => {};
  const shutDown = (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    waiting.abort();
    setTimeout(() => {
      log.error('a part did not stop in time: this process ends without it');
      process.exit(0);
    }, config.drainMs + LAST_MS).unref();
    starting
      // After a shutdown request, a failed start counts as no failure, unless the configuration is invalid.
      .catch((error: unknown) => {
        if (!started && !(error instanceof ConfigError)) return;
        throw error;
      })
      .then(() => stop())
      .then(
        () => process.exit(0),
        async (error: unknown) => {
          await printError(error);
          process.exit(1);
        },
      );
  };
  process.on('SIGTERM', shutDown);
  process.on('SIGINT', shutDown);
  // A terminal that closes ends its process. Elsewhere it means to load a renewed certificate (tls.ts), as `systemctl reload` does:
  // without a certificate there is nothing to do, and Node would end the process.
  process.on('SIGHUP', (signal) => {
    if (process.stderr.isTTY) shutDown(signal);
  });
  logProcessErrors(log);
  const starting = start(config, log, print, waiting.signal).then((running) => {
    started = true;
    stop = running.stop;
    // The start is over: functions that serve thousands of requests are optimised as usual.
    for (const flag of USUAL_OPTIMISATION) setFlagsFromString(flag);
  });
  await starting.catch((error: unknown) => {
    if (!stopping) throw error;
  });
}

main().catch(async (error: unknown) => {
  await printError(error);
  process.exit(error instanceof ConfigError ? EX_CONFIG : 1);
});
