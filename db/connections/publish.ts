import { type Database, perDatabase, runUnread } from '../client.ts';
import { sql } from '../statement.ts';

/** An event as its source publishes it (contract/decisions#6). */
export type Happening = {
  /** The publisher and the name of the event: one of the events of server/domains/workflow/triggers/events.ts. */
  source: string;
  topic: string;
  /** Ids of the objects of the event. Events with the same first subject reach readers in the order of their commits. */
  subjects: readonly [string, ...string[]];
  /** The kind of document that a reader must be able to read (server/domains/workflow/events/readers.ts). */
  kind: string;
  /** Ids of the documents whose access lists decide; one that admits the reader is enough. Absent: the role decides. */
  documents?: readonly string[];
  /**
   * Who may read the event once those documents are deleted, or when the kind has no documents of its own: group ids, or
   * the entries of a project's access list (`membershipsOf` in db/access.ts). Absent or empty: everyone with the role.
   */
  readers?: readonly string[];
  /** Meets the payload definition of the topic. */
  payload: Record<string, unknown>;
};

/**
 * Stores events in the transaction that caused them, so that neither exists without the other. Call it after the write,
 * once with all events: it is one statement. Configuration documents, backups, adapters and compliance batches are
 * published by triggers of their tables (0017_publish_events).
 */
export async function publish(tx: Database, happenings: readonly Happening[]): Promise<void> {
  if (happenings.length === 0) return;
  await runUnread(tx, sql`select publish_events(${JSON.stringify(happenings)}::text::jsonb)`);
  callPublishedListeners(tx);
}

const listenersOf = perDatabase(() => new Set<() => void>());

/** Calls the `onPublished` listeners: a transaction that may have stored events has ended or is about to end. */
export function callPublishedListeners(db: Database): void {
  for (const heed of listenersOf(db)) heed();
}

/**
 * Calls `heed` in this process whenever a database may have new events, so that readers need not wait for the next poll.
 *
 * @returns a function that removes the listener
 */
export function onPublished(db: Database, heed: () => void): () => void {
  const heeders = listenersOf(db).add(heed);
  return () => void heeders.delete(heed);
}
