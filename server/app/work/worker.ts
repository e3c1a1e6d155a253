import type { Logger } from 'pino';
import { type Database, openDatabase } from '#db/client.ts';
import { listen } from '#db/connections/listen.ts';
import { callPublishedListeners } from '#db/connections/publish.ts';
import { scheduledGitRuns } from '#server/domains/git/runs/scheduled-runs.service.ts';
import { summarizeTrend } from '#server/domains/golden-config/compliance/reports/trend.service.ts';
import { removeOldBackups } from '#server/domains/golden-config/fleet/backup-policy.service.ts';
import { scheduledBackups } from '#server/domains/golden-config/fleet/backup-schedules.service.ts';
import { syncDue } from '#server/domains/network/adapters/sync.service.ts';
import { scheduledSyncs } from '#server/domains/network/sources/runs.service.ts';
import { scheduleRetention, workOnRetention } from '#server/domains/operations/retention/work.service.ts';
import { startSequencer } from '#server/domains/workflow/events/sequencer.service.ts';
import { dueTriggers, forgetFirings } from '#server/domains/workflow/jobs/control/schedules.service.ts';
import { startEngine } from '#server/durable/engine.ts';
import type { Config } from '#server/kernel/config.ts';
import type { WorkPlatform } from '#server/kernel/platform.ts';
import { dueWork } from '#server/kernel/schedules/scheduler.ts';
import { openVault, type Vault } from '#server/kernel/secrets/vault.ts';
import { runAtIntervals } from '#server/kernel/timing/interval-task.ts';
import { inOrder, type Running } from '#server/kernel/timing/lifecycle.ts';
import type { Bootstrapped } from '../bootstrap.ts';
import { composePlatform } from '../compose.ts';
import { resealSecrets } from './reseal.ts';
import { backUpWhenDue, backupScheduleOf, forgetSchedule } from './scheduled-backups.ts';
import { workersOf } from './worker-registry.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** How often a process looks for a retention run. */
const RETENTION_MS = 10_000;

/** Every kind of scheduled work besides triggers (docs/schedules.md). */
const SCHEDULED = [scheduledBackups, scheduledGitRuns, scheduledSyncs];

type WorkParts = { db: Database; platform: WorkPlatform; now: () => Date; log: Logger };

/** Starts durable work in this thread. Once per thread: the library keeps global state. */
export const startWork = (
  config: Config,
  { connection, key, previousKey }: Bootstrapped,
  log: Logger,
): Promise<Running> =>
  inOrder(log, async (closers) => {
    const { db, close } = openDatabase({ connection, pooler: config.poolerUrl });
    closers.push(close);
    if (config.telemetry) {
      const { openExport } = await import('#server/kernel/observability/otlp/export.ts');
      closers.push(openExport(config.telemetry, log).close);
    }
    const vault = openVault(key, previousKey);
    const { platform, channels } = composePlatform({ config, db, vault, log });
    closers.push(platform.secrets.close);
    closers.push(platform.cli.close, platform.packages.close, await listen(connection, channels));
    const parts = { db, platform, now: platform.now, log };
    const workers = workersOf(config, parts);
    // Events of the steps of this thread are put in order at once; the serving thread would find them up to a second later.
    closers.push(startSequencer({ db, log }));
    const committed = () => callPublishedListeners(db);
    const concerns =
      config.workers > 0
        ? [...SCHEDULED.map((kindOf) => dueWork(parts, kindOf(platform))), dueTriggers(parts)]
        : [];
    closers.push((await startEngine({ connection, log, workers, committed, concerns })).stop);
    if (config.workers > 0) closers.push(...startRegularWork(config, parts, previousKey && vault));
    return {};
  });

/**
 * Starts what a process with workers does regularly.
 *
 * @param resealing seals stored secrets with the current key; absent: there is no previous one
 * @returns functions that end each of them, in the order in which they were started
 */
function startRegularWork(
  config: Config,
  { db, platform, now, log }: WorkParts,
  resealing: Vault | undefined,
): (() => Promise<void>)[] {
  const every = (
    ms: number,
    run: (ending: AbortSignal) => Promise<unknown>,
    failure: string,
    level: 'error' | 'warn' = 'error',
  ) => runAtIntervals(ms, run, (err) => log[level]({ err }, failure));
  const closers: (() => Promise<void>)[] = [];
  if (resealing) {
    const reseal = (ending: AbortSignal) => resealSecrets({ db, vault: resealing, log, now }, ending);
    const failure = 'the stored secrets could not all be sealed with the current key';
    const ending = new AbortController();
    const first = reseal(ending.signal).catch((err: unknown) => log.error({ err }, failure));
    closers.push(async () => {
      ending.abort();
      await first;
    });
    closers.push(every(MINUTE_MS, reseal, failure));
  }
  const endSyncs = every(
    MINUTE_MS,
    () => syncDue({ db, platform }),
    'the devices of the orchestrators could not be read',
  );
  closers.push(
    every(MINUTE_MS, (ending) => summarizeTrend(db, ending), 'the compliance trend could not be summarized'),
    every(
      HOUR_MS,
      (ending) => removeOldBackups({ db, platform }, ending),
      'old backups could not be removed',
    ),
    every(HOUR_MS, () => forgetFirings({ db, platform }), 'records of triggers could not be removed', 'warn'),
    every(
      RETENTION_MS,
      async (ending) => {
        await scheduleRetention({ db, now });
        await workOnRetention({ db, directory: config.retentionDirectory, log, now }, ending);
      },
      'the retention run could not continue',
    ),
  );
  const schedule = backupScheduleOf(config);
  if (schedule) {
    const endBackups = every(
      MINUTE_MS,
      () => backUpWhenDue({ db, schedule, log, now }),
      'the scheduled backup failed',
    );
    // A backup in progress continues in its own process; the stop does not wait for it.
    closers.push(async () => void endBackups());
  } else {
    forgetSchedule(db).catch((err: unknown) =>
      log.warn({ err }, 'the former schedule of backups was not removed'),
    );
  }
  // A slow orchestrator does not delay the stop: its data is read again later.
  closers.push(async () => void endSyncs());
  return closers;
}
