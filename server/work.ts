import type { Logger } from 'pino';
import { openDatabase } from '#db/client.ts';
import { listen } from '#db/listen.ts';
import type { Config } from './config.ts';
import { startEngine } from './durable/engine.ts';
import { syncDue } from './engines/adapters/sync.service.ts';
import { openSchedules } from './engines/jobs/schedules.service.ts';
import type { Foundation } from './foundation.ts';
import { inOrder, type Running } from './in-order.ts';
import { joinPlatform } from './join.ts';
import { openVault } from './vault.ts';
import { workersOf } from './workers.ts';

/** Begin to do durable work in this thread. One a thread: the library beneath keeps its state there. */
export const startWork = (config: Config, { connection, key }: Foundation, log: Logger): Promise<Running> =>
  inOrder(log, async (closers) => {
    const { db, close } = openDatabase({ connection });
    closers.push(close);
    const { platform, heard } = joinPlatform({ config, db, vault: openVault(key), log });
    closers.push(platform.cli.close, await listen(connection, heard));
    const workers = workersOf(config, { db, now: platform.now, log, platform });
    closers.push((await startEngine({ connection, log, workers })).stop);
    if (config.workers > 0) {
      closers.push(
        openSchedules({ db, platform, log }),
        everyMinute(() => syncDue({ db, platform }), log),
      );
    }
    return {};
  });

const MINUTE_MS = 60_000;

/** Looks every minute whether there is something to do; one look at a time. @returns ends it */
function everyMinute(look: () => Promise<void>, log: Logger): () => Promise<void> {
  let looking = false;
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    look()
      .catch((err: unknown) => log.error({ err }, 'regular work failed'))
      .finally(() => {
        looking = false;
      });
  }, MINUTE_MS);
  return async () => clearInterval(timer);
}
