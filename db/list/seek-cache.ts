import type { SQL } from 'drizzle-orm';
import { type Database, perDatabase } from '../client.ts';
import { changeSince, LOGGED, SEEN } from '../counting/change-log.ts';
import { sql, statementOf } from '../statement.ts';
import { allOf } from './compile.ts';
import { beforePlace, fromPlace, orderOf } from './order.ts';
import type { ListQuery } from './query.ts';
import type { Resource } from './resource.ts';

/** Skipping fewer rows than this takes less time than using the cache. */
const SHORTEST_SKIP = 1000;
/** A position this far before the page still serves when as many documents were added before it. */
const SPARE = 50;
/** Maximum number of remembered lists, and of positions in each; the least recently updated are dropped first. */
const LISTS = 200;
const PLACES = 100;
/** Maximum length, in characters, of a remembered list's conditions and order with their values. */
const LONGEST = 4000;
/** Maximum length, in characters, of a remembered position: names can be long. */
const LONGEST_PLACE = 1000;

/** A position in a list: how many rows preceded the row in the snapshot `seen`. */
type Landmark = { seen: string; at: number };

/** The sort values of a row, as JSON text. */
type SeekKey = string;

type SeekCaches = Map<string, Map<SeekKey, Landmark>>;
const cachesOf = perDatabase((): SeekCaches => new Map());

/** The remembered positions for a page far down. */
export type Landmarks = {
  /** The expression that the page must return beside its documents (`SEEN`). */
  seen: SQL;
  /** The starting point, if a position before the page is known. */
  start: SeekStart | undefined;
  /** Remembers the position of a row. */
  keep: (seen: string, at: number, place: SeekKey | null) => void;
};

/** A starting point other than the first row. */
export type SeekStart = {
  /** Condition for the rows from the starting point on. */
  from: SQL;
  /** How many rows precede the starting point now, as a scalar query: null where unknown. */
  position: SQL;
};

/**
 * Returns the remembered positions of a list. Skipping takes time proportional to the rows skipped, and a caller who pages
 * through a list skips more with each page. So positions are kept, and corrected by the number of rows written before
 * them since (decision 0060).
 *
 * @param conditions the conditions of the list, including `access`; they use columns only
 * @returns undefined near the start of a list, and for an order in which positions cannot be found
 */
export function landmarksOf(
  db: Database,
  resource: Resource,
  { skip, limit, sort }: ListQuery,
  conditions: readonly SQL[],
  access: SQL | undefined,
): Landmarks | undefined {
  const { source, always, columns } = resource;
  if (skip < SHORTEST_SKIP || limit === null || source === 'given' || always || !LOGGED.has(source))
    return undefined;
  if (!sort.every(({ field }) => columns.has(field))) return undefined;
  const keys = orderOf(resource, sort);
  // Missing values come last, so only the first key may have them: they are then at the end of the list.
  if (keys.slice(1).some(({ notNull }) => !notNull)) return undefined;
  const order = keys.map(({ value, direction }) => sql`${value} ${direction}`);
  const list = JSON.stringify(statementOf(sql`${source} ${allOf(conditions)} ${sql.join(order, sql`, `)}`));
  if (list.length > LONGEST) return undefined;
  const kept = cachesOf(db);
  return {
    seen: SEEN,
    start: startOf(),
    keep: (seen, at, place) => {
      if (place && place.length <= LONGEST_PLACE) remember(kept, list, place, { seen, at });
    },
  };

  function startOf(): SeekStart | undefined {
    const [place, landmark] = nearestTo(skip, kept.get(list)) ?? [];
    if (!place || !landmark || source === 'given') return undefined;
    const values: string[] = JSON.parse(place);
    const ahead = allOf([...conditions, beforePlace(keys, values)]);
    const change = changeSince(landmark.seen, source, access, ahead);
    return change && { from: fromPlace(keys, values), position: sql`${landmark.at}::bigint + ${change}` };
  }
}

/** Returns the last position that is certainly before the page, else the last that may be. */
function nearestTo(
  skip: number,
  places: ReadonlyMap<SeekKey, Landmark> = new Map(),
): [SeekKey, Landmark] | undefined {
  let nearest: [SeekKey, Landmark] | undefined;
  let surely: [SeekKey, Landmark] | undefined;
  for (const one of places) {
    const [, { at }] = one;
    if (at <= skip && at > (nearest?.[1].at ?? 0)) nearest = one;
    if (at <= skip - SPARE && at > (surely?.[1].at ?? 0)) surely = one;
  }
  return surely ?? nearest;
}

function remember(kept: SeekCaches, list: string, place: SeekKey, landmark: Landmark) {
  const values: (string | null)[] = JSON.parse(place);
  if (!values.every((value) => value !== null)) return;
  const places = kept.get(list) ?? new Map<SeekKey, Landmark>();
  kept.delete(list);
  if (kept.size >= LISTS) dropFirst(kept);
  kept.set(list, places);
  places.delete(place);
  if (places.size >= PLACES) dropFirst(places);
  places.set(place, landmark);
}

function dropFirst<Name>(map: Map<Name, unknown>) {
  for (const name of map.keys()) {
    map.delete(name);
    return;
  }
}
