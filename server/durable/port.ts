import type { SQL } from 'drizzle-orm';
import type { Database } from '#db/client.ts';

/**
 * Durable work: what is asked for in a transaction is done after that commits, by one of the processes on this database,
 * whatever becomes of the others (docs/decisions/0051-durable-work.md). These few verbs are all that the rest of the house
 * knows of the engine behind them.
 */
export type Durable = {
  /**
   * Ask for work, in the transaction that makes it necessary: neither exists without the other.
   *
   * Asking twice for the same id is asking once. An id is never used again for other work: the engine would replay what
   * the first one did.
   */
  enqueue: (tx: Database, kind: string, items: readonly WorkItem[]) => Promise<void>;
  /** Stop what was asked for: what waits never begins, what runs ends at its next step. */
  cancel: (tx: Database, ids: readonly string[]) => Promise<void>;
};

export type WorkItem = {
  /** Unique for ever. */
  id: string;
  /** JSON: what the work is told. */
  input: unknown;
  /** Not before this moment. */
  runAt?: Date;
  /** Lower goes first; absent 0. */
  priority?: number;
};

/** What does the work of one kind. */
export type Worker = {
  kind: string;
  /** How many of this kind this process does at once. */
  atOnce: number;
  /** Whether somebody waits for it to begin: looked for 20 times a second, which is what an idle process costs. */
  urgent: boolean;
  /**
   * Does it. After a crash another process runs it again from the top: what `work` has recorded is then not done again
   * but answered from the record, so everything that reads a clock, makes an id or touches the world goes through it.
   */
  run: (work: Work, input: unknown) => Promise<void>;
  /**
   * Shows in what the work was for that nobody does it again: it was under way in three processes that were lost. Runs in
   * the transaction that ends the work. Absent: the log alone says so.
   */
  putAside?: (tx: Database, work: PutAside) => Promise<void>;
};

/** A piece of work that nobody does again. */
export type PutAside = {
  id: string;
  input: unknown;
  /** Results of its last recorded steps, the latest first. */
  latest: readonly unknown[];
  /** Why, for people to read. */
  reason: string;
};

/** The record of one piece of work, step by step, in the same order each time it runs. */
export type Work = {
  id: string;
  /** An effect: done once it is recorded; in doubt when a crash falls between the two. Its result is JSON. */
  step: <T>(name: string, effect: () => Promise<T>) => Promise<T>;
  /** A transaction and its record, both or neither. Its result is JSON. */
  transact: <T>(run: (tx: Database) => Promise<T>) => Promise<T>;
  /**
   * A step that is one statement, and so one round trip instead of five: what most steps can be.
   *
   * @param result what the step comes to; JSON
   * @param expressions common table expressions, of which the one named `written` has one row, or none when what it was to
   *   write has changed
   * @returns false when nothing was written, whatever the reason: `transact` takes the step, or tells why it cannot be
   */
  write: (result: unknown, expressions: SQL) => Promise<boolean>;
  /**
   * For what must not be done by two: goes on only while this process is the one that does the work.
   *
   * @throws when another one has taken it over
   */
  assertMine: () => Promise<void>;
};
