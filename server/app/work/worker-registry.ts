import type { Logger } from 'pino';
import type { Database } from '#db/client.ts';
import { gitWorker } from '#server/domains/git/runs/worker.service.ts';
import { campaignWorker } from '#server/domains/golden-config/campaigns/campaign-worker.service.ts';
import { complianceWorker } from '#server/domains/golden-config/compliance/grading/chunk-worker.service.ts';
import { backupWorker } from '#server/domains/golden-config/fleet/backup-worker.service.ts';
import { inventoryWorker } from '#server/domains/network/sources/run-worker.service.ts';
import { notificationWorker } from '#server/domains/notifications/deliveries/worker.service.ts';
import { eventTriggerWorker } from '#server/domains/workflow/events/starting.service.ts';
import { startForTrigger } from '#server/domains/workflow/jobs/control/trigger-start.service.ts';
import { jobWorkers } from '#server/domains/workflow/jobs/execution/job-worker.service.ts';
import type { RunOf } from '#server/domains/workflow/jobs/execution/task-executor.ts';
import { runOf } from '#server/domains/workflow/tasks/runs.ts';
import type { Worker } from '#server/durable/port.ts';
import type { Config } from '#server/kernel/config.ts';
import type { WorkPlatform } from '#server/kernel/platform.ts';

type WorkerDependencies = {
  db: Database;
  now: () => Date;
  log: Logger;
  platform: WorkPlatform;
  /** Runs tasks; absent: the implementation in runs.ts. */
  runs?: RunOf;
};

/** Returns every kind of durable work with its concurrency in this process; with WORKERS=0 the process only serves. */
export const workersOf = (
  { workers }: Pick<Config, 'workers'>,
  { runs = runOf, ...parts }: WorkerDependencies,
): Worker[] => [
  complianceWorker({ ...parts, durable: parts.platform.durable }, workers),
  backupWorker(parts, workers),
  campaignWorker(parts, workers),
  inventoryWorker(parts, workers),
  ...jobWorkers({ ...parts, runOf: runs }, workers),
  eventTriggerWorker(
    {
      log: parts.log,
      admins: async () => (await parts.platform.access.rules()).admins,
      start: (tx, trigger, given) => startForTrigger({ db: tx, platform: parts.platform }, trigger, given),
    },
    workers,
  ),
  gitWorker({ db: parts.db, platform: parts.platform, log: parts.log }, workers),
  notificationWorker(
    {
      db: parts.db,
      log: parts.log,
      platform: parts.platform,
      durable: parts.platform.durable,
      vault: parts.platform.vault,
      admins: async () => (await parts.platform.access.rules()).admins,
    },
    workers,
  ),
];
