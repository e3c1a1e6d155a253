import type { SQL } from 'drizzle-orm';
import type { Database } from '#db/client.ts';

/**
 * Durable work: work requested in a transaction is done after the commit by one of the processes on this database, even
 * when processes are lost (docs/decisions/0051-durable-work.md). The rest of the code knows the engine only by these
 * functions.
 */
export type Durable = {
  /**
   * Requests work in the transaction that makes it necessary: neither exists without the other.
   *
   * Requesting the same id twice has no further effect. An id is never reused for other work: the engine would replay
   * the first one's results.
   */
  enqueue: (tx: Database, kind: string, items: readonly WorkItem[]) => Promise<void>;
  /** Cancels work: waiting work never starts, running work ends at its next step. */
  cancel: (tx: Database, ids: readonly string[]) => Promise<void>;
};

export type WorkItem = {
  /** Unique for ever. */
  id: string;
  /** The input of the work; JSON. */
  input: unknown;
  /** The earliest start. */
  runAt?: Date;
  /** Lower starts first; absent: 0. */
  priority?: number;
};

/** Does the work of one kind. */
export type Worker = {
  kind: string;
  /** How many of this kind this process runs at once. */
  atOnce: number;
  /** Whether a caller waits for the start: the queue is then polled 20 times a second, the cost of an idle process. */
  urgent: boolean;
  /**
   * Does the work. After a crash another process runs it again from the top: steps that `work` has recorded are answered
   * from the record. Everything that reads a clock, makes an id or has an effect outside must therefore go through `work`.
   */
  run: (work: Work, input: unknown) => Promise<void>;
  /**
   * Reports that the work is put aside, because it was running in three processes that were lost. Runs in the
   * transaction that ends the work. Absent: only the log reports it.
   */
  putAside?: (tx: Database, work: PutAside) => Promise<void>;
};

/** A piece of work that is put aside for good. */
export type PutAside = {
  id: string;
  input: unknown;
  /** Results of its last recorded steps, newest first. */
  latest: readonly unknown[];
  /** The reason, for users. */
  reason: string;
};

/** The record of one piece of work: its steps, in the same order each time it runs. */
export type Work = {
  id: string;
  /** Runs an effect and records its JSON result; the outcome is in doubt when a crash falls between the two. */
  step: <T>(name: string, effect: () => Promise<T>) => Promise<T>;
  /** Runs a transaction that includes its record, both or neither. Its result is JSON. */
  transact: <T>(run: (tx: Database) => Promise<T>) => Promise<T>;
  /**
   * Records a step that is one statement, and so one round trip instead of five: most steps can be.
   *
   * @param result the result of the step; JSON
   * @param expressions common table expressions; the one named `written` has one row, or none when what it was to write has
   *   changed
   * @returns false when nothing was written, whatever the reason: `transact` then runs the step, or reports why it cannot
   */
  write: (result: unknown, expressions: SQL) => Promise<boolean>;
  /**
   * Guards an effect that two processes must not both have: resolves only while this process owns the work.
   *
   * @throws DBOSWorkflowConflictError when another process has taken it over
   */
  assertMine: () => Promise<void>;
};
