import type { SQL } from 'drizzle-orm';
import { stampOf } from '#db/counts.ts';
import { sql, statementOf } from '#db/statement.ts';
import { fromPlace, orderOf } from './order.ts';
import type { ListQuery } from './query.ts';
import type { Resource } from './resource.ts';

/** Fewer rows than this are skipped in less time than it takes to look here. */
const FAR = 1000;
/** Lists remembered at once, and places in each; what was kept first goes first. */
const LISTS = 200;
const PLACES = 100;
/** Characters of a list's conditions and order with their values, beyond which it is not remembered. */
const LONGEST = 4000;
/** Characters of a place, likewise: names can be long. */
const LONGEST_PLACE = 1000;

type Known = { stamp: string; places: Map<number, readonly string[]> };

const kept = new Map<string, Known>();

/** A place in a list: the row that stands `at` rows below the first one, by the values that order it. */
type Landmark = { stamp: string; at: number; values: readonly string[] };

/** The places that one list is remembered by. */
type Landmarks = {
  /** What a page must tell beside its documents (`stampOf`). */
  stamp: SQL;
  /** The nearest place before the page, if one is known. */
  nearest: Landmark | undefined;
  /** From it on, as a condition. */
  from: SQL | undefined;
  /** Remember where a page stood, in the state that it told of. */
  keep: (stamp: string, rows: readonly { place: string | null }[]) => void;
};

/**
 * Skipping takes as long as there are rows to skip, and a caller who walks a list skips more with each page. So places
 * of a list are kept for as long as nothing is written that could move them: a page tells the state it was read from, in
 * the same snapshot, and counts only if that is the state of the place it set out from (decision 0060).
 *
 * @returns undefined near the start of a list, and where its order is not one that a place can be found in
 */
export function landmarksOf(
  resource: Resource,
  { skip, limit, sort }: ListQuery,
  where: SQL,
  access?: SQL,
): Landmarks | undefined {
  const { source, always } = resource;
  if (skip < FAR || limit === null || source === 'given' || always) return undefined;
  const keys = orderOf(resource, sort);
  // What is missing comes last, so it can only be missing at the end of the first key's order.
  if (keys.slice(1).some(({ notNull }) => !notNull)) return undefined;
  const stamp = stampOf(source, access);
  if (!stamp) return undefined;
  const order = keys.map(({ value, direction }) => sql`${value} ${direction}`);
  const list = JSON.stringify(statementOf(sql`${source} ${where} ${sql.join(order, sql`, `)}`));
  if (list.length > LONGEST) return undefined;
  const nearest = nearestTo(skip, kept.get(list));
  return {
    stamp,
    nearest,
    from: nearest && fromPlace(keys, nearest.values),
    keep: (told, rows) => {
      for (const index of new Set([0, rows.length - 1])) {
        const place = rows[index]?.place;
        if (place && place.length <= LONGEST_PLACE) remember(list, told, skip + index, JSON.parse(place));
      }
    },
  };
}

function nearestTo(skip: number, known: Known | undefined): Landmark | undefined {
  if (!known) return undefined;
  let nearest: Landmark | undefined;
  for (const [at, values] of known.places) {
    if (at <= skip && at > (nearest?.at ?? 0)) nearest = { stamp: known.stamp, at, values };
  }
  return nearest;
}

function remember(list: string, stamp: string, at: number, values: readonly (string | null)[]) {
  if (!values.every((value) => value !== null)) return;
  let known = kept.get(list);
  if (known?.stamp !== stamp) {
    known = { stamp, places: new Map() };
    if (kept.size >= LISTS) dropFirst(kept);
  }
  kept.delete(list);
  kept.set(list, known);
  known.places.delete(at);
  if (known.places.size >= PLACES) dropFirst(known.places);
  known.places.set(at, values);
}

function dropFirst<Name>(map: Map<Name, unknown>) {
  for (const name of map.keys()) {
    map.delete(name);
    return;
  }
}
