import { eq, sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { find, noteChange } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import type { GitResult, GitRun } from '#db/schemas/git/run.ts';
import { gitRemotes, gitRuns } from '#db/tables/git/remotes.ts';
import type { SystemContext } from '#server/kernel/contexts.ts';
import { unlessTaken } from '#server/kernel/documents/documents.service.ts';
import { conflict, notFound } from '#server/kernel/errors.ts';
import type { Caller } from '#server/kernel/principal.ts';
import { assertNone, issue } from '#server/kernel/validation/document-issues.ts';
import { isBranch } from '../remotes/remote-rules.ts';

/** The kind of the work items that push and pull. */
export const GIT = 'git';

/** Runs of a remote that are kept. */
const KEPT = 100;

export type RunRow = typeof gitRuns.$inferSelect;

/** A push or pull that a caller requests. */
export type RunRequest = {
  action: 'push' | 'pull';
  dryRun: boolean;
  /** Of a push: another branch than that of the remote, for a proposal. */
  branch?: string | undefined;
  overwrite?: readonly string[] | undefined;
};

/**
 * Starts a push or pull, which durable work carries out.
 *
 * @returns the id of the run
 * @throws ServiceError BAD_REQUEST for the name of a branch; NOT_FOUND; CONFLICT for a remote of the other direction, one
 *   that is disabled, and while a run is under way
 */
export async function startRun(
  { db, principal, platform }: SystemContext<'durable' | 'now'> & { principal: Pick<Caller, 'id'> },
  remoteId: string,
  { action, dryRun, branch, overwrite = [] }: RunRequest,
): Promise<{ runId: string }> {
  const stored = await find(db, gitRemotes, remoteId, true);
  if (!stored) throw notFound('Git remote', remoteId);
  const { doc } = stored;
  assertNone(
    branch === undefined || isBranch(branch) ? [] : [issue(['branch'], 'is not the name of a branch')],
  );
  if (doc.enabled === false) throw conflict(`Remote ${doc.name} is disabled`);
  if (doc.direction !== 'both' && doc.direction !== action)
    throw conflict(`Remote ${doc.name} is for ${doc.direction} only`);
  const id = newId(platform.now().getTime());
  await unlessTaken('git_runs_running', `A run of remote ${doc.name} is under way`, async () => {
    await db.insert(gitRuns).values({
      id,
      remoteId,
      action,
      branch: branch ?? doc.branch,
      dryRun,
      overwrite: [...overwrite],
      startedBy: principal.id,
    });
  });
  await platform.durable.enqueue(db, GIT, [{ id: `git:${id}`, input: { runId: id } }]);
  await prune(db, remoteId);
  noteChange(db, { kind: 'git_remotes', id: remoteId, name: doc.name });
  return { runId: id };
}

const prune = (db: Database, remoteId: string) =>
  rows(
    db,
    sql`delete from git_runs where remote_id = ${remoteId} and status <> 'running' and id not in (
          select id from git_runs where remote_id = ${remoteId} order by id desc limit ${KEPT}::int)`,
  );

const EMPTY: GitResult = {
  commits: [],
  documents: { new: [], changed: [], removed: [], conflicts: [] },
  issues: [],
  unchanged: 0,
};

const runOf = (row: RunRow): GitRun => ({
  runId: row.id,
  remote: row.remoteId,
  action: row.action,
  branch: row.branch,
  dryRun: row.dryRun,
  status: row.status,
  error: row.error,
  startedBy: row.startedBy,
  started: row.startedAt.toISOString(),
  ended: row.endedAt?.toISOString() ?? null,
  ...(row.result ?? EMPTY),
});

/** Returns one run with its outcome. @throws ServiceError NOT_FOUND */
export async function getRun({ db }: { db: Database }, id: string): Promise<GitRun> {
  const row = await readRun(db, id);
  if (!row) throw notFound('Git run', id);
  return runOf(row);
}

/**
 * Returns a run as stored, if it exists.
 *
 * @param id id of the run
 * @returns its row; undefined when it does not exist
 */
export async function readRun(db: Database, id: string): Promise<RunRow | undefined> {
  const [row] = await db.select().from(gitRuns).where(eq(gitRuns.id, id));
  return row;
}

/** Returns the runs of a remote, newest first, with the numbers of their outcomes. @throws ServiceError NOT_FOUND */
export async function listRuns({ db }: { db: Database }, remoteId: string) {
  const stored = await find(db, gitRemotes, remoteId);
  if (!stored) throw notFound('Git remote', remoteId);
  const found = await db.select().from(gitRuns).where(eq(gitRuns.remoteId, remoteId)).orderBy(sql`id desc`);
  const results = found.map((row) => {
    const { runId, action, branch, dryRun, status, error, started, ended, ...result } = runOf(row);
    const { conflicts, ...written } = result.documents;
    const counts = {
      changes: Object.values(written).reduce((sum, { length }) => sum + length, 0),
      conflicts: conflicts.length,
      issues: result.issues.length,
    };
    return { runId, action, branch, dryRun, status, error, started, ended, counts };
  });
  return { results, total: results.length };
}

/**
 * Records the end of a run, and whether its remote fails.
 *
 * @param end the result of a run that completed, or the message of its failure
 */
export async function endRun(
  tx: Database,
  id: string,
  end: { result: GitResult } | { error: string },
): Promise<void> {
  const error = 'error' in end ? end.error.slice(0, 1000) : null;
  const [row] = await tx
    .update(gitRuns)
    .set({
      status: error === null ? 'complete' : 'error',
      error,
      ...('result' in end && { result: end.result }),
      endedAt: sql`clock_timestamp()`,
    })
    .where(sql`${gitRuns.id} = ${id} and ${gitRuns.status} = 'running'`)
    .returning({ remoteId: gitRuns.remoteId });
  if (!row) return;
  await tx
    .update(gitRemotes)
    .set({
      failingSince: error === null ? null : sql`coalesce(${gitRemotes.failingSince}, clock_timestamp())`,
      lastError: error,
    })
    .where(eq(gitRemotes.id, row.remoteId));
}
