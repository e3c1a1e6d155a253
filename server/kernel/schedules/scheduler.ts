import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Logger } from 'pino';
import { type Database, inTransaction, rows } from '#db/client.ts';
import type { Schedule } from '#db/schemas/schedule.ts';
import type { Concern } from '#server/kernel/timing/lookout.ts';
import { nextMoment } from './next-moments.ts';

/** Due items that one transaction starts. */
const AT_ONCE = 20;

/** Work that is due: a document with a schedule. */
export type DueWork = {
  id: string;
  /** When it was due, in milliseconds since 1970. */
  at: number;
  schedule: Schedule;
};

/** A kind of scheduled work. */
export type ScheduledKind = {
  /** Name of the kind, for the log. */
  kind: string;
  /** The table of the documents with a schedule. */
  table: PgTable;
  /** Returns the condition that a row is due. @param now milliseconds since 1970 */
  isDue: (now: number) => SQL;
  /**
   * Returns the query of what is due: `id`, `at` (milliseconds since 1970) and `schedule` (JSON as text), the earliest
   * first. It must lock its rows with `for update skip locked`, so that each is started by one process only.
   *
   * @param now milliseconds since 1970
   */
  dueQuery: (now: number, limit: number) => SQL;
  /** Stores when it is due next, in milliseconds since 1970; null: never. */
  advance: (tx: Database, id: string, next: number | null) => Promise<void>;
  /** Loads what `run` needs besides the transaction, before it begins. */
  prepare?: () => Promise<unknown>;
  /**
   * Starts the work, in the transaction that also stores when it is due next: it requests durable work and returns. What
   * it writes is undone when it throws; the schedule advances nevertheless.
   */
  run: (tx: Database, due: DueWork) => Promise<void>;
};

type Documents = PgTable & { id: PgColumn; doc: PgColumn; rev: PgColumn; nextRunAt: PgColumn };

const isDue = (now: number) => sql`next_run_at <= ${now}::bigint`;

/**
 * Returns queries and update of a table of documents with `schedule` and `nextRunAt` (milliseconds since 1970, null while it
 * is disabled), which the generated column `next_run_at` repeats.
 */
export const scheduledTable = (
  table: Documents,
): Pick<ScheduledKind, 'table' | 'isDue' | 'dueQuery' | 'advance'> => ({
  table,
  isDue,
  dueQuery: (now, limit) =>
    sql`select id, next_run_at::text as at, (doc -> 'schedule')::text as schedule from ${table}
        where ${isDue(now)} order by next_run_at limit ${limit} for update skip locked`,
  advance: async (tx, id, next) => {
    await tx.execute(sql`update ${table}
      set doc = jsonb_set(doc, '{nextRunAt}', ${JSON.stringify(next)}::text::jsonb), rev = rev + 1
      where id = ${id}`);
  },
});

type SchedulerDependencies = {
  db: Database;
  now: () => Date;
  log: Pick<Logger, 'warn' | 'error'>;
};

/**
 * Returns how a process looks for the due work of one kind and starts it, beside any number of other processes. Work that was
 * due while no process ran is started once.
 *
 * @param kind the kind of scheduled work
 */
export const dueWork = (parts: SchedulerDependencies, kind: ScheduledKind): Concern => ({
  isDue: () => sql`exists(select 1 from ${kind.table} where ${kind.isDue(parts.now().getTime())})`,
  attend: async (ending) => {
    while (!ending.aborted && (await startDue(parts, kind)) === AT_ONCE);
  },
  failed: (error) => parts.log.warn({ err: error, kind: kind.kind }, 'schedules: could not start due work'),
});

/** Starts the due work of one kind. @returns the number of items; when it equals `AT_ONCE`, there may be more */
export async function startDue(
  { db, now, log }: SchedulerDependencies,
  kind: ScheduledKind,
): Promise<number> {
  const moment = now().getTime();
  await kind.prepare?.();
  return inTransaction(db, async (tx) => {
    const due = await rows<{ id: string; at: string; schedule: string }>(tx, kind.dueQuery(moment, AT_ONCE));
    for (const { id, at, schedule: text } of due) {
      const schedule = JSON.parse(text) as Schedule;
      // A savepoint: a schedule that fails does not keep the others from starting.
      await inTransaction(tx, (inner) => kind.run(inner, { id, at: Number(at), schedule })).catch(
        (error: unknown) =>
          log.error({ err: error, kind: kind.kind, schedule: id }, 'schedules: due work was not started'),
      );
      await kind.advance(tx, id, nextMoment(schedule, moment + 1));
    }
    return due.length;
  });
}
