import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { type Documents, insert, replace, type Stored } from '#db/collection.ts';
import { unlessTaken } from './documents.service.ts';
import { assertUnchanged } from './optimistic-lock.ts';
import { STAMP } from './release-stamp.service.ts';

/** The entity tag while nobody has set anything. */
const NEVER = 'none';

/** Settings of which there is one document, and none before they are set. */
export type SettingsRow<Doc> = {
  table: Documents<Doc>;
  /** Id of the document. */
  id: string;
  /** Constraint of the id. */
  key: string;
  /** The settings at the beginning of a sentence, with their pronoun: `The access default`, `it`. */
  name: readonly [subject: string, pronoun: 'it' | 'them'];
};

/**
 * Returns settings as they are stored; undefined before they are set.
 *
 * @param lock locks the row until the transaction ends
 */
export async function readSettings<Doc>(
  db: Database,
  { table, id }: SettingsRow<Doc>,
  lock = false,
): Promise<(Stored<Doc> & { stamp: string }) | undefined> {
  const [row] = await rows<{ doc: string; rev: number; stamp: string }>(
    db,
    sql`select ${table.doc}::text as doc, ${table.rev} as rev, ${STAMP} as stamp from ${table}
        where ${table.id} = ${id} ${lock ? sql`for update` : sql``}`,
  );
  return row && { ...row, id, doc: JSON.parse(row.doc) as Doc };
}

/** Returns settings for an answer, with their ETag in its headers; undefined before they are set. */
export async function answerSettings<Doc>(
  { db, answer }: { db: Database; answer: { headers: Record<string, string> } },
  settings: SettingsRow<Doc>,
): Promise<Doc | undefined> {
  const row = await readSettings(db, settings);
  answer.headers.ETag = `"${row?.stamp ?? NEVER}"`;
  return row?.doc;
}

/** Stores settings. @throws ServiceError CONFLICT when they were changed in the meantime */
export async function replaceSettings<Doc>(
  { db, request }: { db: Database; request: { ifMatch: string | null } },
  settings: SettingsRow<Doc>,
  doc: Doc,
): Promise<void> {
  const { table, id, key, name } = settings;
  const [subject, pronoun] = name;
  const stored = await readSettings(db, settings, true);
  assertUnchanged(request.ifMatch, stored?.stamp ?? NEVER, subject);
  if (stored) return void (await replace(db, table, stored, doc));
  const changed = `${subject} ${pronoun === 'it' ? 'was' : 'were'} changed by another request: read ${pronoun} again and retry`;
  await unlessTaken(key, changed, () => insert(db, table, id, doc));
}
