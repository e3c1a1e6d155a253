import { type Database, perDatabase } from '../client.ts';
import { sql } from '../statement.ts';

/** Something that happened, as its cause tells it (contract/decisions#6). */
export type Happening = {
  /** Who tells it, and under which name: one of the events of server/domains/workflow/triggers/events.ts. */
  source: string;
  topic: string;
  /** Ids of what it is about. Events with the same first subject reach every reader in the order of their commits. */
  subjects: readonly [string, ...string[]];
  /** What one must be able to read to hear of it (server/domains/workflow/events/readers.ts). */
  kind: string;
  /** Ids of the documents whose access lists decide; one that lets the reader in is enough. Absent: the role decides. */
  documents?: readonly string[];
  /**
   * Who is let in once those documents are gone, and where the kind has no documents of its own: ids of groups, or the
   * entries of a project's access list (`membershipsOf` in db/access.ts). Absent or empty: everyone with the role.
   */
  readers?: readonly string[];
  /** Meets the definition of the topic. */
  payload: Record<string, unknown>;
};

/**
 * Tell what happened, in the transaction that made it so: neither exists without the other. To be called after the
 * write, with everything that happened at once: it is one statement. Configuration documents, backups, adapters and
 * compliance batches are told by their tables (0017_publish_events).
 */
export async function publish(tx: Database, happenings: readonly Happening[]): Promise<void> {
  if (happenings.length === 0) return;
  await tx.execute(sql`select publish_events(${JSON.stringify(happenings)}::text::jsonb)`);
  listenForPublished(tx);
}

const heedersOf = perDatabase(() => new Set<() => void>());

/** Events were stored, or soon will be: a transaction that may have caused some is at its end. */
export function listenForPublished(db: Database): void {
  for (const heed of heedersOf(db)) heed();
}

/**
 * Be called in this process whenever events of a database may have come, so that nobody has to wait for the next look.
 *
 * @returns a function that ends it
 */
export function onPublished(db: Database, heed: () => void): () => void {
  const heeders = heedersOf(db).add(heed);
  return () => void heeders.delete(heed);
}
