import type { Logger } from 'pino';
import { openDatabase } from '#db/client.ts';
import type { Config } from '#server/kernel/config.ts';
import { openVault } from '#server/kernel/secrets/vault.ts';
import { inOrder, type Running } from '#server/kernel/timing/lifecycle.ts';
import { prepareDatabase } from '../bootstrap.ts';
import { assertSameKey } from '../secret-key.ts';
import { startExecutor } from './thread-host.ts';

/**
 * Start a process that only does durable work, on the database that others serve from (docs/operations.md, `npm run
 * worker`).
 *
 * @param tell prints `worker ready` once it works
 * @param stopping ends the wait for a database that cannot be reached
 */
export async function startWorker(
  config: Config,
  log: Logger,
  tell: (line: string) => void,
  stopping?: AbortSignal,
): Promise<Running> {
  return inOrder(log, async (closers) => {
    const foundation = await prepareDatabase(config, log, closers, stopping);
    const { db, close } = openDatabase({ connection: foundation.connection, max: 1 });
    await assertSameKey(db, openVault(foundation.key, foundation.previousKey)).finally(close);
    closers.push((await startExecutor({ config, ...foundation }, log)).stop);
    tell('worker ready');
    return {};
  });
}
