import type { Logger } from 'pino';
import { openDatabase } from '#db/client.ts';
import { measureDatabase } from '#server/domains/health/figures.service.ts';
import type { Config } from '#server/kernel/config.ts';
import { openMetrics } from '#server/kernel/observability/metrics.ts';
import { openVault } from '#server/kernel/secrets/vault.ts';
import { inOrder, type Running } from '#server/kernel/timing/lifecycle.ts';
import { prepareDatabase } from '../bootstrap.ts';
import { assertSameKey } from '../secret-key.ts';
import { openProbes } from './probe-server.ts';
import { startExecutor } from './thread-host.ts';

/**
 * Starts a process that only does durable work, on a database that other processes serve (docs/operations.md, `npm run
 * worker`).
 *
 * @param print prints `worker ready` once the worker runs
 * @param stopping aborts the wait for a database that cannot be reached
 */
export async function startWorker(
  config: Config,
  log: Logger,
  print: (line: string) => void,
  stopping?: AbortSignal,
): Promise<Running> {
  return inOrder(log, async (closers) => {
    const foundation = await prepareDatabase(config, log, closers, stopping);
    const { db, close } = openDatabase({ connection: foundation.connection, max: 1 });
    closers.push(close);
    await assertSameKey(db, openVault(foundation.key, foundation.previousKey));
    if (config.telemetry) {
      const { openExport } = await import('#server/kernel/observability/otlp/export.ts');
      const telemetry = openExport(config.telemetry, log);
      telemetry.metrics(openMetrics(() => measureDatabase(db)).text);
      closers.push(telemetry.close);
    }
    let isStopping = false;
    const probes = config.hasPort
      ? await openProbes({ config, db, log, isStopping: () => isStopping })
      : null;
    if (probes) closers.push(probes.close);
    closers.push((await startExecutor({ config, ...foundation }, log)).stop);
    closers.push(async () => {
      isStopping = true;
    });
    print('worker ready');
    if (probes) print(`probes at ${probes.url}/health/ready`);
    return {};
  });
}
