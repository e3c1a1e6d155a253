import type { Logger } from 'pino';
import type { Database } from '#db/client.ts';
import type { Config } from './config.ts';
import type { Worker } from './durable/port.ts';
import { complianceWorker } from './engines/compliance/chunk-worker.service.ts';
import { eventTriggerWorker } from './engines/events/starting.service.ts';
import type { RunOf } from './engines/jobs/how.ts';
import { jobWorker } from './engines/jobs/job-worker.service.ts';
import { startForTrigger } from './engines/jobs/trigger-start.service.ts';
import { runOf } from './engines/workflows/tasks/runs.ts';
import type { WorkPlatform } from './platform.ts';

type Parts = {
  db: Database;
  now: () => Date;
  log: Logger;
  platform: WorkPlatform;
  /** How tasks are run; absent: as runs.ts says. */
  runs?: RunOf;
};

/** Every kind of durable work, and how much of each this process does at once; with WORKERS=0 it only serves. */
export const workersOf = (
  { workers }: Pick<Config, 'workers'>,
  { runs = runOf, ...parts }: Parts,
): Worker[] => [
  complianceWorker({ ...parts, durable: parts.platform.durable }, workers),
  jobWorker({ ...parts, runOf: runs }, workers),
  eventTriggerWorker(
    {
      log: parts.log,
      admins: async () => (await parts.platform.access.rules()).admins,
      start: (tx, trigger, given) => startForTrigger({ db: tx, platform: parts.platform }, trigger, given),
    },
    workers,
  ),
];
