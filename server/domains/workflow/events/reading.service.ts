import { type Database, rows } from '#db/client.ts';
import { DOCUMENT_KINDS, kindsWhere } from '#db/document-kinds/kinds.ts';
import { isoOf } from '#db/expressions.ts';
import { textArray } from '#db/list/row-expressions.ts';
import { sql } from '#db/statement.ts';
import type { StreamEvent } from './stream.ts';

/** Maximum number of events of one read for all streams, and of one for a single stream, whose reader may be slow. */
export const PAGE = 200;
export const OWN_PAGE = 50;

/** A range of events: those after `after`, up to `upTo`; without `upTo`, all of them. */
type Span = {
  after: number;
  upTo?: number;
  most?: number;
  topics?: readonly string[] | undefined;
  subjects?: readonly string[] | undefined;
};

type EventRow = {
  id: string;
  source: string;
  topic: string;
  subjects: string;
  kind: string;
  gates: string;
  trees: string | null;
  time: string;
  payload: string;
};

/** Access lists of the trees that the current event is about, including deleted ones. */
const TREES = sql`(select id, coalesce(read_groups, '[]') as list from golden_trees where id = any(documents)
    union all select id, read_groups from deleted_access_lists d where d.kind = 'golden_trees' and id = any(documents)
      and not exists (select from golden_trees where golden_trees.id = d.id)) as trees`;

/** The access list of each document, for the other kinds that have access lists. */
const OWN_LISTS = sql.join(
  kindsWhere(({ access, events }) => events && access === 'list')
    .filter((kind) => kind !== 'tree')
    .map((kind) => {
      const { table } = DOCUMENT_KINDS[kind];
      return sql`when ${kind}::text then (select jsonb_agg(jsonb_build_array(coalesce(read_groups, '[]'))) from ${table} where id = any(documents))`;
    }),
  sql`
    `,
);

/** The access lists of the documents that still exist: they are evaluated now, not when the event was published. */
const GATES = sql`coalesce(case kind
    when 'tree' then (select jsonb_agg(jsonb_build_array(list)) from ${TREES})
    when 'campaign' then (select jsonb_agg(jsonb_build_array(list)) from ${TREES})
    ${OWN_LISTS}
    when 'job' then (select jsonb_agg(jsonb_build_array(
        case when jsonb_typeof(j.groups) = 'array' then j.groups else '[]' end,
        case when j.project_id is null then '[]' else coalesce(nullif(p.readers, '[]'), d.read_groups, '["-"]') end))
      from jobs j left join projects p on p.id = j.project_id
        left join deleted_access_lists d on d.kind = 'projects' and d.id = j.project_id and p.id is null
      where j.id = any(documents))
  end, jsonb_build_array(jsonb_build_array(coalesce(readers, '[]'))))`;

/** The columns that are read of an event. */
const READ = sql`select id, source, topic, to_jsonb(subjects)::text as subjects, kind, (${GATES})::text as gates,
    case when kind = 'tree' and cardinality(documents) > 1
      then (select jsonb_object_agg(id, list)::text from ${TREES}) end as trees,
    ${isoOf(sql`time`)} as time, payload::text as payload`;

/** Returns the next events in order, at most `most`: fewer mean that there are no more. */
export async function readEvents(
  db: Database,
  { after, upTo, most = PAGE, topics, subjects }: Span,
): Promise<readonly StreamEvent[]> {
  const found = await rows<EventRow>(
    db,
    sql`${READ} from events
        where id > ${String(after)}::bigint ${upTo === undefined ? sql`` : sql`and id <= ${String(upTo)}::bigint`}
          ${topics ? sql`and topic = any(${textArray(topics)})` : sql``}
          ${subjects ? sql`and subjects && ${textArray(subjects)}` : sql``}
        order by id limit ${String(most)}::int`,
  );
  return found.map(streamEventOf);
}

/**
 * Returns events that are not stored, with the access lists of their documents as they are now. Their id is 0.
 *
 * @param texts the events as their notifications carry them, JSON
 */
export async function readTransient(db: Database, texts: readonly string[]): Promise<StreamEvent[]> {
  const found = await rows<EventRow>(
    db,
    sql`${READ} from (
          select 0 as id, event.* from jsonb_array_elements(${`[${texts.join()}]`}::text::jsonb) with ordinality as listed (one, place),
            jsonb_to_record(one) as event (source text, topic text, subjects text[], kind text, documents text[],
              readers jsonb, time timestamptz, payload jsonb)
          order by place) as events`,
  );
  return found.map(streamEventOf);
}

function streamEventOf({
  id,
  source,
  topic,
  subjects,
  kind,
  gates,
  trees,
  time,
  payload,
}: EventRow): StreamEvent {
  const head = JSON.stringify({ id, source, topic, time });
  return {
    id: Number(id),
    topic,
    subjects: JSON.parse(subjects) as string[],
    kind,
    documents: JSON.parse(gates) as string[][][],
    ...(trees !== null && { trees: JSON.parse(trees) as Record<string, string[]> }),
    text: `${head.slice(0, -1)},"payload":${payload}}`,
  };
}

/** Returns the ids of the oldest and the newest stored event; the newest is always kept. 0 when there never was one. */
export async function storedEventRange(db: Database): Promise<{ oldest: number; newest: number }> {
  const [found] = await rows<{ oldest: string; newest: string }>(
    db,
    sql`select coalesce(min(id), 0)::text as oldest, coalesce(max(id), 0)::text as newest from events`,
  );
  return { oldest: Number(found?.oldest), newest: Number(found?.newest) };
}

/** Rows that one statement deletes: holding a lock for longer would delay others. */
const PRUNED = 5000;

/**
 * Deletes events older than `hours`, or more than `most` events ago; the newest stays, since it marks the current position.
 */
export async function pruneEvents(
  db: Database,
  { most, hours }: { most: number; hours: number },
): Promise<number> {
  let gone = 0;
  for (;;) {
    const pruned = await rows(
      db,
      // Each part reads its own index up to what it deletes: joined by `or`, every event is read each time.
      sql`delete from events where id = any(array(
            (select id from events where id <= (select max(id) from events) - ${String(most)}::bigint
             order by id limit ${String(PRUNED)}::int)
            union all
            (select id from events
             where time < now() - make_interval(hours => ${String(hours)}::int) and id < (select max(id) from events)
             order by time limit ${String(PRUNED)}::int))) returning id`,
    );
    gone += pruned.length;
    if (pruned.length < PRUNED) return gone;
  }
}
