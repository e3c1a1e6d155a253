import { lt, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { type Database, inTransaction, rows } from '#db/client.ts';
import { type Happening, publish } from '#db/connections/publish.ts';
import type { Trigger } from '#db/schemas/workflow/trigger.ts';
import { triggers } from '#db/tables/assets/assets.ts';
import { triggerFirings } from '#db/tables/workflow/jobs.ts';
import type { WorkPlatform } from '#server/kernel/platform.ts';
import type { Concern } from '#server/kernel/timing/lookout.ts';
import { dueRuns } from './due.ts';
import { filledIn, startForTrigger } from './trigger-start.service.ts';

/** Schedules that one transaction fires. */
const AT_ONCE = 20;
/** Retention of records of what triggers started, in milliseconds: no event is delivered that late. */
const KEPT_MS = 30 * 86_400_000;

type ScheduleDependencies = {
  db: Database;
  platform: WorkPlatform;
  log: Pick<Logger, 'warn' | 'info' | 'error'>;
};

const isDue = (now: number) => sql`type = 'schedule' and enabled and next_run_at <= ${now}::bigint`;

/**
 * Returns how a process looks for due schedules and fires them, beside any number of other processes: a schedule that another
 * process is firing is skipped, and no due time is fired twice (contract/lifecycle#6.2).
 */
export const dueTriggers = (parts: ScheduleDependencies): Concern => ({
  isDue: () => sql`exists(select 1 from ${triggers} where ${isDue(parts.platform.now().getTime())})`,
  attend: async (ending) => {
    while (!ending.aborted && (await fireDue(parts)) === AT_ONCE);
  },
  failed: (error) => parts.log.warn({ err: error }, 'schedules: could not fire due triggers'),
});

/** Fires what is due now. @returns the number of schedules fired; when it equals `AT_ONCE`, there may be more */
export async function fireDue({ db, platform, log }: ScheduleDependencies): Promise<number> {
  const now = platform.now().getTime();
  // Loads the cached sign-in rules first: nothing else may be awaited within the transaction.
  await platform.access.rules();
  return inTransaction(db, async (tx) => {
    const due = await rows<{ id: string; doc: string }>(
      tx,
      sql`select id, doc::text as doc from ${triggers}
          where ${isDue(now)} order by next_run_at limit ${AT_ONCE} for update skip locked`,
    );
    for (const { id, doc } of due) {
      const trigger = JSON.parse(doc) as Trigger;
      if (trigger.type !== 'schedule') continue;
      const from = trigger.nextRunAt ?? now;
      const { runs, next, missed } = dueRuns(trigger, trigger.processMissedRuns, from, now);
      if (missed > 0) {
        log.info({ trigger: id, missed }, 'schedules: runs were missed');
        await publish(tx, [missedBy(trigger, missed, runs.length)]);
      }
      for (const moment of runs) {
        const fired = await startForTrigger({ db: tx, platform }, trigger, {
          data: filledIn({ platform }, trigger),
          dedupId: String(moment),
        });
        if ('rejected' in fired)
          log.warn(
            { trigger: id, account: trigger.runAs, reason: fired.rejected },
            'schedules: a due trigger started nothing',
          );
      }
      await tx.execute(sql`update ${triggers}
        set doc = jsonb_set(doc, '{nextRunAt}', ${JSON.stringify(next)}::text::jsonb), rev = rev + 1 where id = ${id}`);
    }
    return due.length;
  });
}

const missedBy = (trigger: Trigger, missed: number, started: number): Happening => ({
  source: '@vendor/operations-manager',
  topic: 'missedJobs',
  subjects: [trigger._id, ...(trigger.actionId ? [trigger.actionId] : [])],
  kind: 'automation',
  documents: trigger.actionId ? [trigger.actionId] : [],
  payload: { triggerId: trigger._id, name: trigger.name, missed, started },
});

/** Removes records of what triggers started that have expired. */
export async function forgetFirings({
  db,
  platform,
}: Pick<ScheduleDependencies, 'db' | 'platform'>): Promise<void> {
  const before = platform.now().getTime() - KEPT_MS;
  await db.delete(triggerFirings).where(lt(triggerFirings.at, before));
}
