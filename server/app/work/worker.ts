import type { Logger } from 'pino';
import { openDatabase } from '#db/client.ts';
import { listen } from '#db/connections/listen.ts';
import { callPublishedListeners } from '#db/connections/publish.ts';
import { summarizeTrend } from '#server/domains/golden-config/compliance/reports/trend.service.ts';
import { removeOldBackups } from '#server/domains/golden-config/fleet/backup-policy.service.ts';
import { syncDue } from '#server/domains/network/adapters/sync.service.ts';
import { scheduleRetention, workOnRetention } from '#server/domains/operations/retention/work.service.ts';
import { startSequencer } from '#server/domains/workflow/events/sequencer.service.ts';
import { dueTriggers, forgetFirings } from '#server/domains/workflow/jobs/control/schedules.service.ts';
import { startEngine } from '#server/durable/engine.ts';
import type { Config } from '#server/kernel/config.ts';
import { dueWork } from '#server/kernel/schedules/scheduler.ts';
import { openVault } from '#server/kernel/secrets/vault.ts';
import { runAtIntervals } from '#server/kernel/timing/interval-task.ts';
import { inOrder, type Running } from '#server/kernel/timing/lifecycle.ts';
import type { Bootstrapped } from '../bootstrap.ts';
import { composePlatform } from '../compose.ts';
import { resealSecrets } from './reseal.ts';
import { backUpWhenDue, backupScheduleOf } from './scheduled-backups.ts';
import { scheduledKinds } from './scheduled-kinds.ts';
import { workersOf } from './worker-registry.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** How often a process looks for a retention run. */
const RETENTION_MS = 10_000;

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
    const { platform, heard } = composePlatform({ config, db, vault, log });
    closers.push(platform.secrets.close);
    closers.push(platform.cli.close, platform.packages.close, await listen(connection, heard));
    const workers = workersOf(config, { db, now: platform.now, log, platform });
    // Events of the steps of this thread are put in order at once; the serving thread would find them up to a second later.
    closers.push(startSequencer({ db, log }));
    const committed = () => callPublishedListeners(db);
    const parts = { db, platform, now: platform.now, log };
    const concerns =
      config.workers > 0
        ? [...scheduledKinds(platform).map((kind) => dueWork(parts, kind)), dueTriggers(parts)]
        : [];
    closers.push((await startEngine({ connection, log, workers, committed, concerns })).stop);
    if (config.workers > 0) {
      if (previousKey) {
        const resealFailed = (err: unknown) =>
          log.error({ err }, 'the stored secrets could not all be sealed with the current key');
        const reseal = (ending: AbortSignal) => resealSecrets({ db, vault, log, now: platform.now }, ending);
        const ending = new AbortController();
        const first = reseal(ending.signal).catch(resealFailed);
        closers.push(async () => {
          ending.abort();
          await first;
        });
        closers.push(runAtIntervals(MINUTE_MS, reseal, resealFailed));
      }
      const syncFailed = (err: unknown) =>
        log.error({ err }, 'the devices of the orchestrators could not be read');
      const endSyncs = runAtIntervals(MINUTE_MS, () => syncDue({ db, platform }), syncFailed);
      const trendFailed = (err: unknown) =>
        log.error({ err }, 'the compliance trend could not be summarized');
      closers.push(runAtIntervals(MINUTE_MS, (ending) => summarizeTrend(db, ending), trendFailed));
      const removalFailed = (err: unknown) => log.error({ err }, 'old backups could not be removed');
      closers.push(
        runAtIntervals(HOUR_MS, (ending) => removeOldBackups({ db, platform }, ending), removalFailed),
      );
      const forgetFailed = (err: unknown) => log.warn({ err }, 'records of triggers could not be removed');
      closers.push(runAtIntervals(HOUR_MS, () => forgetFirings(parts), forgetFailed));
      const retentionFailed = (err: unknown) => log.error({ err }, 'the retention run could not continue');
      const retain = async (ending: AbortSignal) => {
        await scheduleRetention({ db, now: platform.now });
        await workOnRetention({ db, directory: config.retentionDirectory, log, now: platform.now }, ending);
      };
      closers.push(runAtIntervals(RETENTION_MS, retain, retentionFailed));
      const schedule = backupScheduleOf(config);
      if (schedule) {
        const backupFailed = (err: unknown) => log.error({ err }, 'the scheduled backup failed');
        const endBackups = runAtIntervals(
          MINUTE_MS,
          () => backUpWhenDue({ db, schedule, log, now: platform.now }),
          backupFailed,
        );
        // A backup in progress continues in its own process; the stop does not wait for it.
        closers.push(async () => void endBackups());
      }
      // A slow orchestrator does not delay the stop: its data is read again later.
      closers.push(async () => void endSyncs());
    }
    return {};
  });
