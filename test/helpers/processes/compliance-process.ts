import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { openDatabase } from '#db/client.ts';
import type { Connection } from '#db/embedded.ts';
import { composePlatform } from '#server/app/compose.ts';
import { complianceWorker } from '#server/domains/golden-config/compliance/grading/chunk-worker.service.ts';
import { startEngine } from '#server/durable/engine.ts';
import { readConfig } from '#server/kernel/config.ts';
import { openVault } from '#server/kernel/secrets/vault.ts';

/** A process that does the platform's durable work and serves nobody: `node … <connection as JSON>`. */
const connection = JSON.parse(process.argv[2] ?? '') as Connection;
const log = pino({ level: 'warn' }, pino.destination(2));
const { db, close } = openDatabase({ connection, max: 6 });
const { platform } = composePlatform({ config: readConfig({}), db, vault: openVault(randomBytes(32)), log });
const { durable, now } = platform;
const workers = [complianceWorker({ db, platform, now, log, durable }, 4)];

const engine = await startEngine({ connection, log, workers });
process.on(
  'SIGTERM',
  () =>
    void engine
      .stop()
      .then(close)
      .then(() => process.exit(0)),
);
process.stdout.write('ready\n');
