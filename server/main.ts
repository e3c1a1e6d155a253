import type { Logger } from 'pino';
import { type Config, ConfigError, RELEASE, readConfig } from './config.ts';
import type { Running } from './in-order.ts';
import { openLog, tellTroubles } from './log.ts';

/** EX_CONFIG of sysexits.h: what the operator wrote is wrong (operations.md). */
const EX_CONFIG = 78;

const HELP = `switchyard ${RELEASE}: an open network automation platform

  npm start            serve and do durable work, with an embedded PostgreSQL unless DATABASE_URL names one
  npm run worker       a further process on the same database that only does durable work

HOST, PORT, DATABASE_URL, DATA_DIR, ADMIN_PASSWORD, SECRET_KEY, LOG_LEVEL and more are read from the environment;
docs/operations.md tells what each does.
`;

const tell = (line: string) => process.stdout.write(`${line}\n`);

/** One line for the operator. A failed statement is told by its cause: the statement itself may hold secrets. */
function complain(error: unknown) {
  const told = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  process.stderr.write(`switchyard: ${told instanceof Error ? told.message : String(told)}\n`);
}

/** Who serves does not load what does the work, nor the other way round; who is refused for its configuration, neither. */
async function start(
  config: Config,
  log: Logger,
  tell: (line: string) => void,
  lost: (error: unknown) => void,
): Promise<Running> {
  if (process.argv.includes('worker'))
    return (await import('./start-worker.ts')).startWorker(config, log, tell);
  return (await import('./start.ts')).startService(config, log, tell, lost);
}

async function main() {
  if (process.argv.includes('--help')) {
    process.stdout.write(HELP);
    return;
  }
  const config = readConfig(process.env);
  const log = openLog(config.logLevel);
  let stopping = false;
  let stop = async () => {};
  const shutDown = (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    starting
      .then(() => stop())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          complain(error);
          process.exit(1);
        },
      );
  };
  process.on('SIGTERM', shutDown);
  process.on('SIGINT', shutDown);
  tellTroubles(log);
  const lost = (error: unknown) => {
    if (stopping) return;
    complain(error);
    process.exit(1);
  };
  const starting = start(config, log, tell, lost).then((running) => {
    stop = running.stop;
  });
  await starting;
}

main().catch((error: unknown) => {
  complain(error);
  process.exit(error instanceof ConfigError ? EX_CONFIG : 1);
});
