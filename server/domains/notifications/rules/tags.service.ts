import { type Database, rows } from '#db/client.ts';
import { sql } from '#db/statement.ts';

/**
 * Returns the names of the tags of what events are about: of the documents that they name, of the workflows of jobs, and
 * of devices in the inventory.
 *
 * @param ids ids of the events
 * @returns the tags by the id of the event
 */
export async function tagsOfEvents(
  db: Database,
  ids: readonly number[],
): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const found = await rows<{ id: string; tag: string }>(
    db,
    sql`with about as (
          select e.id, s.subject from events e, unnest(e.subjects || e.documents) as s(subject)
          where e.id in (select value::bigint from jsonb_array_elements_text(${JSON.stringify(ids)}::text::jsonb)))
        select about.id::text as id, t.name as tag from about
          join tag_references r on r.ref_id = about.subject join tags t on t.id = r.tag_id
        union
        select about.id::text, tag ->> 'name' from about join jobs j on j.id = about.subject,
          jsonb_array_elements(case jsonb_typeof(j.doc -> 'tags') when 'array' then j.doc -> 'tags' else '[]' end) tag
        where jsonb_typeof(tag) = 'object' and tag ->> 'name' is not null
        union
        select about.id::text, tag from about join gateway_hosts h on h.name = about.subject,
          jsonb_array_elements_text(case jsonb_typeof(h.doc -> 'tags') when 'array' then h.doc -> 'tags' else '[]' end) tag`,
  );
  const tags = new Map<number, Set<string>>();
  for (const { id, tag } of found) {
    const known = tags.get(Number(id));
    if (known) known.add(tag);
    else tags.set(Number(id), new Set([tag]));
  }
  return tags;
}
