import { parentPort, workerData } from 'node:worker_threads';
import type { Config } from '#server/kernel/config.ts';
import { logProcessErrors, openLog } from '#server/kernel/observability/log.ts';
import { type FigureMemory, useFigureMemory } from '#server/kernel/observability/shared-figures.ts';
import type { Bootstrapped } from '../bootstrap.ts';
import { startWork } from './worker.ts';

/** The options that the thread receives at its start. */
export type WorkerThreadOptions = { config: Config; figures: FigureMemory } & Bootstrapped;

/** The message that the thread sends once it is running; any message to the thread stops it. */
export type WorkerThreadMessage = 'ready';

if (!parentPort) throw new Error('must run in a thread');
const port = parentPort;
const { config, connection, key, previousKey, figures }: WorkerThreadOptions = workerData;
useFigureMemory(figures);
const log = openLog(config.logLevel);
logProcessErrors(log);
// A Buffer arrives as a plain Uint8Array.
const keys = { key: Buffer.from(key), previousKey: previousKey && Buffer.from(previousKey) };
const executor = await startWork(config, { connection, ...keys }, log);
port.once('message', () => {
  executor.stop().then(
    () => port.close(),
    (error: unknown) => {
      log.error({ err: error }, 'the worker thread did not stop cleanly');
      port.close();
    },
  );
});
port.postMessage('ready' satisfies WorkerThreadMessage);
