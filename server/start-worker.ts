import type { Logger } from 'pino';
import { openDatabase } from '#db/client.ts';
import type { Config } from './config.ts';
import { layFoundation } from './foundation.ts';
import { inOrder, type Running } from './in-order.ts';
import { assertSameKey } from './secret-key.ts';
import { openVault } from './vault.ts';
import { startWork } from './work.ts';

/**
 * Start a process that only does durable work, on the database that others serve from (operations.md, `npm run worker`).
 *
 * @param tell prints `worker ready` once it works
 */
export async function startWorker(
  config: Config,
  log: Logger,
  tell: (line: string) => void,
): Promise<Running> {
  return inOrder(log, async (closers) => {
    const foundation = await layFoundation(config, log, closers);
    const { db, close } = openDatabase({ connection: foundation.connection, max: 1 });
    await assertSameKey(db, openVault(foundation.key)).finally(close);
    closers.push((await startWork(config, foundation, log)).stop);
    tell('worker ready');
    return {};
  });
}
