import type { SQL } from 'drizzle-orm';
import { type Database, perDatabase } from '../client.ts';
import { changeSince, LOGGED, SEEN } from '../counting/change-log.ts';
import { sql, statementOf } from '../statement.ts';
import { allOf } from './compile.ts';
import { beforePlace, fromPlace, orderOf } from './order.ts';
import type { ListQuery } from './query.ts';
import type { Resource } from './resource.ts';

/** Fewer rows than this are skipped in less time than it takes to look here. */
const FAR = 1000;
/** A place this far ahead of the page still serves when as many documents more were written before it. */
const SPARE = 50;
/** Lists remembered at once, and places in each; what was kept first goes first. */
const LISTS = 200;
const PLACES = 100;
/** Characters of a list's conditions and order with their values, beyond which it is not remembered. */
const LONGEST = 4000;
/** Characters of a place, likewise: names can be long. */
const LONGEST_PLACE = 1000;

/** A place in a list: the row that stood `at` rows below the first one when a statement saw what it tells. */
type Landmark = { seen: string; at: number };

/** The values of a row that order it, as JSON text. */
type SeekKey = string;

type Kept = Map<string, Map<SeekKey, Landmark>>;
const keptOf = perDatabase((): Kept => new Map());

/** How a page far down is reached. */
export type Landmarks = {
  /** What the page must tell beside its documents (`SEEN`). */
  seen: SQL;
  /** Where to start from, if a place is known before the page. */
  start: SeekStart | undefined;
  /** Remember where a row stands. */
  keep: (seen: string, at: number, place: SeekKey | null) => void;
};

/** Rows that a walk may start from instead of the first. */
export type SeekStart = {
  /** From the place on, as a condition. */
  from: SQL;
  /** How many rows come before them now, as a scalar query: null where that cannot be told. */
  position: SQL;
};

/**
 * Skipping takes as long as there are rows to skip, and a caller who walks a list skips more with each page. So places
 * of a list are kept, and what was written since before a place is added to what was skipped (decision 0060).
 *
 * @param conditions what the rows meet, `access` included; they ask of columns alone
 * @returns undefined near the start of a list, and where its order is not one that a place can be found in
 */
export function landmarksOf(
  db: Database,
  resource: Resource,
  { skip, limit, sort }: ListQuery,
  conditions: readonly SQL[],
  access: SQL | undefined,
): Landmarks | undefined {
  const { source, always, columns } = resource;
  if (skip < FAR || limit === null || source === 'given' || always || !LOGGED.has(source)) return undefined;
  if (!sort.every(({ field }) => columns.has(field))) return undefined;
  const keys = orderOf(resource, sort);
  // What is missing comes last, so it can only be missing at the end of the first key's order.
  if (keys.slice(1).some(({ notNull }) => !notNull)) return undefined;
  const order = keys.map(({ value, direction }) => sql`${value} ${direction}`);
  const list = JSON.stringify(statementOf(sql`${source} ${allOf(conditions)} ${sql.join(order, sql`, `)}`));
  if (list.length > LONGEST) return undefined;
  const kept = keptOf(db);
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

/** The last place that surely comes before the page, else the last that may. */
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

function remember(kept: Kept, list: string, place: SeekKey, landmark: Landmark) {
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
