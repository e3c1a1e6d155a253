import { eq } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { insert, replace } from '#db/collection.ts';
import type { AccessDefault } from '#db/schemas/identity/access-default.ts';
import { accessDefault } from '#db/tables/identity/sign-in.ts';
import { unlessTaken } from '#server/kernel/documents/documents.service.ts';
import { assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import { STAMP } from '#server/kernel/documents/release-stamp.service.ts';

const ID = 'default';
/** The entity tag while nobody has decided. */
const NEVER = 'none';
const OPEN: AccessDefault = { unlisted: 'readers', configurationSecrets: 'shown' };

async function readRow(db: Database, lock = false) {
  const { id, doc, rev } = accessDefault;
  const found = db.select({ id, doc, rev, stamp: STAMP }).from(accessDefault).where(eq(id, ID));
  const [row] = await (lock ? found.for('update') : found);
  return row;
}

/** Returns who may read documents without an access list, with its ETag in the headers. */
export async function getAccessDefault({
  db,
  answer,
}: {
  db: Database;
  answer: { headers: Record<string, string> };
}): Promise<AccessDefault> {
  const row = await readRow(db);
  answer.headers.ETag = `"${row?.stamp ?? NEVER}"`;
  return { ...OPEN, ...row?.doc };
}

/**
 * Decides who may read documents without an access list. It takes effect at once, in every process.
 *
 * @throws ServiceError CONFLICT when it was changed in the meantime
 */
export async function replaceAccessDefault(
  { db, request }: { db: Database; request: { ifMatch: string | null } },
  given: AccessDefault,
) {
  const doc = { ...OPEN, ...given };
  const stored = await readRow(db, true);
  assertUnchanged(request.ifMatch, stored?.stamp ?? NEVER, 'The access default');
  if (stored) await replace(db, accessDefault, stored, doc);
  else
    await unlessTaken(
      'access_default_pkey',
      'The access default was changed by another request: read it again and retry',
      () => insert(db, accessDefault, ID, doc),
    );
  const message = `Documents without an access list are for ${doc.unlisted}; secrets in configurations are ${doc.configurationSecrets}.`;
  return { status: 'OK' as const, message, data: doc };
}
