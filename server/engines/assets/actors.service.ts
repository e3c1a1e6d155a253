import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { accounts } from '#db/tables.ts';

/**
 * A document whose authors are shown as the accounts that they are (lifecycle §0.7, Users); one that is written out
 * already stays, as another system's do.
 *
 * @param members those that hold account ids: `['createdBy', 'lastUpdatedBy']`
 */
export async function withActors<Doc extends Record<string, unknown>>(
  db: Database,
  doc: Doc,
  members: readonly string[],
): Promise<Doc> {
  const held = members.filter((member) => typeof doc[member] === 'string');
  const ids = JSON.stringify([...new Set(held.map((member) => doc[member]))]);
  const known = await rows<{ id: string; username: string; provenance: string }>(
    db,
    sql`select id, username, provenance from ${accounts}
        where id = any(array(select jsonb_array_elements_text(${ids}::text::jsonb)))`,
  );
  const byId = new Map(known.map((one) => [one.id, one]));
  const actors = held.map((member) => {
    const id = String(doc[member]);
    const account = byId.get(id);
    return [
      member,
      account
        ? { _id: id, provenance: account.provenance, username: account.username }
        : { _id: id, provenance: '', username: null, missing: true },
    ];
  });
  return { ...doc, ...Object.fromEntries(actors) };
}
