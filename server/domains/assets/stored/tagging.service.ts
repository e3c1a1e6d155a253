import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { DOCUMENT_KINDS, kindsWhere } from '#db/document-kinds/kinds.ts';
import { textArray } from '#db/list/row-expressions.ts';
import { tagReferences } from '#db/tables/assets/assets.ts';

const NAMED_BY_ID = kindsWhere(({ namedById }) => namedById).map((kind) => DOCUMENT_KINDS[kind].table);

/**
 * Returns whether an id still belongs to a template under `/mop`: ids there are names, and one template of each kind may
 * have the same (contract/lifecycle#7). Tags are stored by id alone, so both share them.
 */
const isStillNamed = (id: ReturnType<typeof sql>) =>
  sql`exists (${sql.join(
    NAMED_BY_ID.map((table) => sql`select from ${table} where id = ${id}`),
    sql` union all `,
  )})`;

/** Deletes the tags of deleted documents (contract/lifecycle#5.7). */
export async function forgetTags(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db.execute(sql`
    delete from ${tagReferences} t
    where ref_id = any(${textArray(ids)})
      and not ${isStillNamed(sql`t.ref_id`)}`);
}

/** Moves the tags of a document to its new id. */
export async function moveTags(db: Database, from: string, to: string): Promise<void> {
  await db.execute(sql`
    insert into ${tagReferences} (tag_id, ref_id) select tag_id, ${to}::text from ${tagReferences} where ref_id = ${from}
    on conflict do nothing`);
  await forgetTags(db, [from]);
}
