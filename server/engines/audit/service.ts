import type { AuditEntry } from '#db/schemas/audit.ts';
import type { Database } from '#db/client.ts';
import { type Change, insert } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import { audit } from '#db/tables.ts';

/** One write, or one attempt at it (lifecycle §12a; decisions §7, Audit). */
export type Deed = {
  /** The name of the account, and its id; null when the credential belonged to none. */
  account: string | null;
  accountId: string | null;
  address: string;
  operation: string;
  requestId: string;
  outcome: AuditEntry['outcome'];
  /** The HTTP status that the caller was told. */
  status: number;
  changes: readonly Change[];
};

/** Record who did what. Given a transaction, the row stands or falls with what it tells of. */
export async function recordDeed(db: Database, deed: Deed, now: Date): Promise<void> {
  const { changes, ...told } = deed;
  const [first] = changes;
  const id = newId(now.getTime());
  await insert(db, audit, id, {
    _id: id,
    time: now.toISOString(),
    ...told,
    document: first ? { kind: first.kind, id: first.id, name: first.name } : null,
    ...(changes.length > 1 && { documents: changes.map(({ kind, id, name }) => ({ kind, id, name })) }),
  });
}
