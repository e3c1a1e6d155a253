import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { openDatabase } from '#db/client.ts';
import type { Connection } from '#db/embedded.ts';
import { composePlatform } from '#server/app/compose.ts';
import { workersOf } from '#server/app/work/worker-registry.ts';
import { startEngine } from '#server/durable/engine.ts';
import { readConfig } from '#server/kernel/config.ts';
import { openVault } from '#server/kernel/secrets/vault.ts';
import { tracingRuns } from '../jobs/tracing-runs.ts';

/** A process that runs jobs and serves nobody: `node … <connection as JSON> [key in hexadecimal]`. */
const connection = JSON.parse(process.argv[2] ?? '') as Connection;
const key = process.argv[3] ? Buffer.from(process.argv[3], 'hex') : randomBytes(32);
const log = pino({ level: 'fatal' }, pino.destination(2));
const { db, close } = openDatabase({ connection, max: 8 });
const { WORKERS = '6', ALLOW_PRIVATE_TARGETS = '' } = process.env;
const config = readConfig({ WORKERS, ...(ALLOW_PRIVATE_TARGETS && { ALLOW_PRIVATE_TARGETS }) });
const { platform } = composePlatform({ config, db, vault: openVault(key), log });
const workers = workersOf(config, { db, now: platform.now, log, platform, runs: tracingRuns });

const engine = await startEngine({ connection, log, workers });
process.on('SIGTERM', () => {
  void engine
    .stop()
    .then(close)
    .then(() => process.exit(0));
});
process.stdout.write('ready\n');
