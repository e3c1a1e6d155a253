import type { Logger } from 'pino';
import type { Database } from '#db/client.ts';
import type { Config } from './config.ts';
import type { Worker } from './durable/port.ts';
import { complianceWorker } from './engines/compliance/chunk-worker.service.ts';

type Parts = { db: Database; now: () => Date; log: Logger };

/** Every kind of durable work, and how much of each this process does at once; with WORKERS=0 it only serves. */
export const workersOf = ({ workers }: Pick<Config, 'workers'>, parts: Parts): Worker[] => [
  complianceWorker(parts, workers),
];
