import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { eq, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { type Database, inTransaction, rows } from '#db/client.ts';
import { RETENTION_KINDS, type RetentionRun } from '#db/schemas/operations/retention.ts';
import { retentionRuns, retentionSettings } from '#db/tables/operations/retention.ts';
import { writeAuditRecord } from '#server/kernel/audit/audit.service.ts';
import { clipped } from '#server/kernel/text/clipped.ts';
import { startRun } from './retention.service.ts';
import { type Expired, limitsOf, sourceOf } from './sources.service.ts';

/** Documents of one step: it is one short transaction. Jobs are larger. */
const STEP = 500;
const STEP_OF_JOBS = 50;
/** Steps in a row that may fail before the run ends in error. */
const MOST_FAILURES = 5;
/** Hours between scheduled runs. */
const EVERY_HOURS = 24;

type RetentionWork = {
  db: Database;
  /** Folder of the archive: RETENTION_DIR. */
  directory: string;
  log: Pick<Logger, 'info' | 'warn'>;
  now: () => Date;
};

/** Starts a scheduled run once a day, for the account that last changed the settings. */
export async function scheduleRetention({ db, now }: Pick<RetentionWork, 'db' | 'now'>): Promise<void> {
  await inTransaction(db, async (tx) => {
    // One process of several starts the run.
    const [row] = await tx
      .select({ doc: retentionSettings.doc })
      .from(retentionSettings)
      .for('update', { skipLocked: true });
    if (!row || Object.keys(row.doc.settings).length === 0) return;
    const since = new Date(now().getTime() - EVERY_HOURS * 3_600_000).toISOString();
    const [recent] = await rows<{ id: string }>(
      tx,
      sql`select id from ${retentionRuns} where started > ${since} and doc ->> 'trigger' = 'schedule' limit 1`,
    );
    if (recent) return;
    const { settings, account } = row.doc;
    await startRun(tx, { settings, account, trigger: 'schedule', now: now() });
  });
}

/**
 * Works on the run that is under way until it has ended. Each step writes its documents into a file of the archive and then
 * deletes them, in one transaction that also stores the progress: whatever a lost process left is done again by the next
 * one.
 *
 * @param ending aborts between two steps
 */
export async function workOnRetention(work: RetentionWork, ending?: AbortSignal): Promise<void> {
  while (!ending?.aborted && (await takeStep(work)));
}

async function takeStep(work: RetentionWork): Promise<boolean> {
  let taken: string | undefined;
  try {
    return await inTransaction(work.db, async (tx) => {
      const [row] = await tx
        .select({ id: retentionRuns.id, doc: retentionRuns.doc })
        .from(retentionRuns)
        .where(eq(retentionRuns.status, 'running'))
        .limit(1)
        .for('update', { skipLocked: true });
      if (!row) return false;
      taken = row.id;
      await store(tx, await step(tx, work, row.doc));
      return true;
    });
  } catch (error) {
    if (taken === undefined) throw error;
    return noteFailure(work, taken, error);
  }
}

async function step(
  tx: Database,
  { directory, now, log }: RetentionWork,
  run: RetentionRun,
): Promise<RetentionRun> {
  // A run that the release before began has no limits yet.
  const limits = run.limits ?? (await limitsOf(tx, run.settings, new Date(run.started)));
  const current = RETENTION_KINDS.findLast((kind) => run.deleted[kind] !== undefined);
  // Kinds before the current one are done.
  for (const kind of RETENTION_KINDS.slice(current === undefined ? 0 : RETENTION_KINDS.indexOf(current))) {
    const before = limits[kind];
    if (before === undefined) continue;
    const source = sourceOf(kind, run.settings, before);
    const most = kind === 'jobs' ? STEP_OF_JOBS : STEP;
    const from = kind === current ? (run.position ?? null) : null;
    const found = await rows<Expired>(tx, source.select(most, from));
    if (found.length === 0) continue;
    const name = `${kind}-${String(run.steps).padStart(6, '0')}.jsonl`;
    await archive(join(directory, run._id), name, found);
    for (const statement of source.remove(found.map(({ id }) => id))) await rows(tx, statement);
    return {
      ...run,
      limits,
      position: found.at(-1)?.time ?? null,
      steps: run.steps + 1,
      failures: 0,
      deleted: { ...run.deleted, [kind]: (run.deleted[kind] ?? 0) + found.length },
    };
  }
  const finished = now();
  await writeAuditRecord(
    tx,
    {
      account: run.account,
      accountId: null,
      credential: null,
      address: null,
      operation: 'retention.work',
      requestId: run._id,
      outcome: 'ok',
      status: 200,
      changes: [{ kind: 'retention_runs', id: run._id, name: JSON.stringify(run.deleted) }],
    },
    finished,
  );
  log.info(
    { run: run._id, account: run.account, trigger: run.trigger, deleted: run.deleted },
    'retention run ended',
  );
  return { ...run, status: 'complete', finished: finished.toISOString() };
}

/** Writes a file that only its owner may read, and waits until it and its entry in the folder are on the disk. */
async function archive(folder: string, name: string, found: readonly { line: string }[]): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = await open(join(folder, name), 'w', 0o600);
  try {
    await file.writeFile(found.map(({ line }) => `${line.replaceAll('\n', ' ')}\n`).join(''));
    await file.sync();
  } finally {
    await file.close();
  }
  const entries = await open(folder, 'r');
  try {
    await entries.sync();
  } finally {
    await entries.close();
  }
}

/** Records a failed step. @returns whether another attempt makes sense now: false, the next interval tries again */
async function noteFailure({ db, log, now }: RetentionWork, id: string, error: unknown): Promise<boolean> {
  const reason = error instanceof Error ? clipped(error.message, 500) : 'unknown';
  log.warn({ run: id, err: error }, 'a step of the retention run failed');
  await inTransaction(db, async (tx) => {
    const [row] = await tx
      .select({ doc: retentionRuns.doc })
      .from(retentionRuns)
      .where(eq(retentionRuns.id, id))
      .for('update');
    if (!row) return;
    const failures = row.doc.failures + 1;
    const hasEnded = failures >= MOST_FAILURES;
    await store(tx, {
      ...row.doc,
      failures,
      error: reason,
      ...(hasEnded && { status: 'error' as const, finished: now().toISOString() }),
    });
  });
  return false;
}

const store = (tx: Database, run: RetentionRun) =>
  tx
    .update(retentionRuns)
    .set({ doc: run, rev: sql`${retentionRuns.rev} + 1` })
    .where(eq(retentionRuns.id, run._id));
