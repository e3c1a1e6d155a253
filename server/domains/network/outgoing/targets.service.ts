import { eq } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { insert, replace } from '#db/collection.ts';
import type { OutgoingTarget, OutgoingTargets } from '#db/schemas/network/outgoing-targets.ts';
import { outgoingTargets } from '#db/tables/network/outgoing.ts';
import { unlessTaken } from '#server/kernel/documents/documents.service.ts';
import { assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import { STAMP } from '#server/kernel/documents/release-stamp.service.ts';
import { listedHostFault } from '#server/kernel/targets/listed-targets.ts';
import { assertNone, issue } from '#server/kernel/validation/document-issues.ts';

const ID = 'targets';
/** The entity tag while nothing has been listed. */
const NEVER = 'none';

async function readRow(db: Database, lock = false) {
  const { id, doc, rev } = outgoingTargets;
  const found = db.select({ id, doc, rev, stamp: STAMP }).from(outgoingTargets).where(eq(id, ID));
  const [row] = await (lock ? found.for('update') : found);
  return row;
}

/** Returns the destinations to which jobs may send requests; empty until an admin lists some (contract/additions#9). */
export async function listedTargets(db: Database): Promise<OutgoingTarget[]> {
  return (await readRow(db))?.doc.targets ?? [];
}

/** Returns the listed destinations, with their ETag in the headers. */
export async function getTargets({
  db,
  answer,
}: {
  db: Database;
  answer: { headers: Record<string, string> };
}): Promise<OutgoingTargets> {
  const row = await readRow(db);
  answer.headers.ETag = `"${row?.stamp ?? NEVER}"`;
  return row?.doc ?? { targets: [] };
}

/**
 * Replaces the listed destinations.
 *
 * @throws ServiceError BAD_REQUEST naming each invalid host; CONFLICT when the list was changed in the meantime
 */
export async function replaceTargets(
  { db, request }: { db: Database; request: { ifMatch: string | null } },
  { targets }: OutgoingTargets,
) {
  assertNone(
    targets.flatMap(({ host }, index) => {
      const fault = listedHostFault(host);
      return fault === null ? [] : [issue(['targets', index, 'host'], fault)];
    }),
  );
  const stored = await readRow(db, true);
  assertUnchanged(request.ifMatch, stored?.stamp ?? NEVER, 'The list of outgoing targets');
  const doc: OutgoingTargets = { targets };
  if (stored) await replace(db, outgoingTargets, stored, doc);
  else
    await unlessTaken(
      'outgoing_targets_pkey',
      'The list of outgoing targets was changed by another request: read it again and retry',
      () => insert(db, outgoingTargets, ID, doc),
    );
  const message = `Listed ${targets.length} outgoing target${targets.length === 1 ? '' : 's'}.`;
  return { status: 'OK' as const, message, data: doc };
}
