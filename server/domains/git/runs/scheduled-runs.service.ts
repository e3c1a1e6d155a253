import { eq, sql } from 'drizzle-orm';
import { type Database, inTransaction } from '#db/client.ts';
import type { GitRemote } from '#db/schemas/git/remote.ts';
import { gitRemotes } from '#db/tables/git/remotes.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import type { WorkPlatform } from '#server/kernel/platform.ts';
import { type ScheduledKind, scheduledTable } from '#server/kernel/schedules/scheduler.ts';
import { clipped } from '#server/kernel/text/clipped.ts';
import { startRun } from './runs.service.ts';

/**
 * Returns the scheduled work that pushes and pulls remotes, each for the account that last wrote it.
 *
 * @param platform the parts of the service that a run needs
 */
export const scheduledGitRuns = (platform: WorkPlatform): ScheduledKind => ({
  kind: 'Git remotes',
  ...scheduledTable(gitRemotes),
  run: async (tx, { id }) => {
    const [row] = await tx.select({ doc: gitRemotes.doc }).from(gitRemotes).where(eq(gitRemotes.id, id));
    if (row) await recordLastResult(tx, id, await startDue(tx, platform, row.doc));
  },
});

/** Starts the run of a due remote. @returns why it was not started; empty when it was */
async function startDue(tx: Database, platform: WorkPlatform, remote: GitRemote): Promise<string> {
  const action = remote.scheduledAction ?? (remote.direction === 'pull' ? 'pull' : 'push');
  try {
    // A savepoint: a run that is under way is found by a constraint, which the transaction must survive.
    await inTransaction(tx, (db) =>
      startRun({ db, principal: { id: remote.runAs }, platform }, remote._id, { action, dryRun: false }),
    );
    return '';
  } catch (error) {
    if (error instanceof ServiceError) return clipped(error.message, 1000);
    throw error;
  }
}

const recordLastResult = (tx: Database, id: string, lastResult: string) =>
  tx.execute(sql`update ${gitRemotes} set doc = doc || jsonb_build_object('lastResult', ${lastResult}::text), rev = rev + 1
    where id = ${id}`);
