import { pino } from 'pino';
import { openDatabase } from '#db/client.ts';
import type { Connection } from '#db/embedded.ts';
import { startEngine } from '#server/durable/engine.ts';
import { workersOf } from '#server/workers.ts';

/** A process that does the platform's durable work and serves nobody: `node … <connection as JSON>`. */
const connection = JSON.parse(process.argv[2] ?? '') as Connection;
const log = pino({ level: 'warn' }, pino.destination(2));
const { db, close } = openDatabase({ connection, max: 6 });
const workers = workersOf({ workers: 4 }, { db, now: () => new Date(), log });

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
