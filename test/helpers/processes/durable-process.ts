import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import type { Connection } from '#db/embedded.ts';
import { startEngine } from '#server/durable/engine.ts';
import { CHAIN, type ChainInput } from './chain.ts';

/** A process that does the work of kind `chain`: `node … <connection as JSON> <milliseconds a step>`. */
const [connection = '', pause = '0'] = process.argv.slice(2);
const log = pino({ level: 'warn' }, pino.destination(2));

const stumbled = new Map<string, number>();
const engine = await startEngine({
  connection: JSON.parse(connection) as Connection,
  log,
  workers: [
    {
      kind: CHAIN,
      atOnce: 20,
      urgent: true,
      run: async (work, input) => {
        const { steps, stumbles = 0 } = input as ChainInput;
        for (let at = 0; at < steps; at++) {
          await work.transact(async (tx) => {
            await tx.execute(
              sql`insert into chain (work, at, pid) values (${work.id}, ${at}, ${process.pid})`,
            );
          });
          const times = stumbled.get(work.id) ?? 0;
          if (times < stumbles) {
            stumbled.set(work.id, times + 1);
            throw new Error('write EPIPE');
          }
          await work.step(`pause ${at}`, () => sleep(Number(pause)));
        }
      },
    },
  ],
});
process.on('SIGTERM', () => void engine.stop().then(() => process.exit(0)));
process.stdout.write('ready\n');
