import type { Logger } from 'pino';
import type { Durable, Worker } from '#server/durable/port.ts';
import {
  COMPLIANCE,
  enqueueNextChunk,
  failBatch,
  finishBatch,
  readChunk,
} from '../runs/batch-work.service.ts';
import { type ChunkDependencies, checkChunk } from './chunk.service.ts';

/** Number of chunks that one process works on in parallel: while some read and store, others keep the threads busy. */
const AT_ONCE = 6;

type ChunkWorkerDependencies = ChunkDependencies & {
  durable: Durable;
  now: () => Date;
  log: Pick<Logger, 'error'>;
};

/**
 * Returns the worker for compliance runs. A chunk is one step: repeating it stores nothing twice, so the reports themselves
 * are the only record of its progress.
 *
 * @param workers maximum number of parallel work items in this process, of all kinds; 0 disables the worker
 */
export const complianceWorker = (
  { db, platform, durable, now, log }: ChunkWorkerDependencies,
  workers: number,
): Worker => ({
  kind: COMPLIANCE,
  atOnce: Math.min(workers, AT_ONCE),
  urgent: false,
  putAside: async (tx, { input, reason }) => {
    const { batchId } = readChunk(input);
    await failBatch(tx, batchId, now());
    log.error({ batchId, reason }, 'a chunk of a compliance batch failed');
  },
  run: async (work, input) => {
    const chunk = readChunk(input);
    const { batchId } = chunk;
    try {
      await work.step('check', () => checkChunk({ db, platform }, chunk));
    } catch (error) {
      // For work that was cancelled, or taken over by another process, this records nothing: it throws instead.
      await work.transact((tx) => failBatch(tx, batchId, now()));
      log.error({ err: error, batchId }, 'a chunk of a compliance batch failed');
      return;
    }
    await work.transact(async (tx) => {
      await enqueueNextChunk(tx, durable, chunk);
      await finishBatch(tx, batchId, now());
    });
  },
});
