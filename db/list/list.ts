import type { SQL } from 'drizzle-orm';
import { type Database, isTooLong, rowOfBytes, rows } from '#db/client.ts';
import { sql } from '#db/statement.ts';
import { markRare } from './bigrams.ts';
import {
  allOf,
  canUseColumns,
  conditionsOf,
  countOf,
  type DocumentText,
  MOST_BYTES,
  pageOf,
  textsOf,
  totalOf,
  whereOf,
} from './compile.ts';
import { bodyOf, decode, ListPage, type PageColumns, textsIn } from './list-page.ts';
import { projectionOf } from './project.ts';
import { type Condition, InvalidListQuery, type ListQuery } from './query.ts';
import type { Resource } from './resource.ts';
import { type Landmarks, landmarksOf, type SeekStart } from './seek-cache.ts';
import { totalCacheOf } from './totals.ts';

export type ListOptions = {
  /** Condition on the table's columns for what the caller may read, in list and total (contract/lifecycle#gbac). */
  access?: SQL;
  /** The documents of a resource whose source is `given`, or the JSON text of their list. */
  given?: readonly unknown[] | DocumentText;
  /** `false` skips the count: the total is then `skip` plus the rows of this page. */
  total?: boolean;
};

/**
 * Returns one page of a resource: the matching documents that the caller may read, as JSON text, never parsed.
 *
 * The order is total, so pages do not overlap; paging by `skip` returns each document once as long as no document is
 * stored or deleted before the current position (ids of 24 hexadecimal characters grow with time: new ones come last).
 *
 * @throws TypeError for a query that was not made by the readers of this folder; InvalidListQuery when the documents of the
 *   page are too long together
 */
export async function list(
  db: Database,
  resource: Resource,
  query: ListQuery,
  options: ListOptions = {},
): Promise<ListPage> {
  const given = documentTextOf(resource, options);
  const resolved = await resolveExpressions(db, resource, query.where, options.access, given);
  const conditions = await markRare(db, resource, resolved);
  const { access } = options;
  const all = conditionsOf(resource, conditions, access);
  const where = allOf(all);
  const { shown, prune } = projectionOf(query);
  const count = options.total === false ? undefined : totalOf(resource, conditions, access);
  const isPlain = canUseColumns(resource, conditions);
  const remembering =
    isPlain && count && conditions.length > 0
      ? await totalCacheOf(db, resource, { count, where, access })
      : undefined;
  const landmarks = isPlain ? landmarksOf(db, resource, query, all, access) : undefined;
  const ask = async (counting: SQL | undefined, start?: SeekStart) =>
    read(
      await rowOfBytes(
        db,
        pageOf(resource, query, start ? allOf([...all, start.from]) : where, shown, {
          count: counting,
          seen: remembering?.seen ?? landmarks?.seen,
          walk: landmarks && { position: start?.position ?? sql`0::bigint` },
          given,
        }),
        isCommon(query, conditions),
      ).catch((error: unknown) => {
        // The server itself makes no text of over 1 GiB.
        throw isTooLong(error) ? tooLarge() : error;
      }),
    );
  let page = await ask(remembering?.total ?? count, landmarks?.start);
  if (!isWhole(page, query, count, landmarks?.start)) page = await ask(count);
  const body = prune && page.count > 0 ? bodyOf(textsIn(page.body).map(prune)) : page.body;
  const answer = (total: number) => new ListPage(body, { ...page, total });
  if (page.count > 0) remember(landmarks, query.skip, page);
  if (page.count > 0 && page.total !== null) {
    if (page.seen !== null) remembering?.keep(page.seen, page.total);
    return answer(Number(page.total));
  }
  if (page.count > 0 || query.skip === 0 || !count) return answer(query.skip + page.count);
  const [counted] = await rows<{ total: string }>(db, countOf(count, given), isCommon(query, conditions));
  return answer(Number(counted?.total));
}

const NOTHING = new Uint8Array();

/** The error for a page whose documents are too long together. */
const tooLarge = () =>
  new InvalidListQuery([
    {
      path: ['limit'],
      message: `the documents of this page have more than ${MOST_BYTES / 1024 / 1024} MiB: ask for fewer of them, or for some of their fields with include`,
      code: 'too_big',
    },
  ]);

/** Returns the row of `pageOf`. */
function read([body, counted, marks, total, seen, position, ahead, first, place]: PageColumns) {
  const count = Number(textOf(counted));
  if (!body && count > 0) throw tooLarge();
  return {
    body: body ?? NOTHING,
    count,
    marks: textOf(marks) ?? '',
    total: textOf(total),
    seen: textOf(seen),
    position: textOf(position),
    ahead: textOf(ahead),
    first: textOf(first),
    place: textOf(place),
  };
}

const textOf = (column: Uint8Array | null | undefined) => (column ? decode(column) : null);

type PageRow = ReturnType<typeof read>;

/** Returns whether a page that used remembered values is usable; otherwise the page is read without them. */
function isWhole(
  page: PageRow,
  { skip, limit }: ListQuery,
  count: SQL | undefined,
  start: SeekStart | undefined,
) {
  if (page.count > 0 && count && limit !== null && page.total === null) return false;
  if (!start) return true;
  // A short page may lack rows whose sort value is missing.
  return page.position !== null && Number(page.position) <= skip && page.count === limit;
}

function remember(landmarks: Landmarks | undefined, skip: number, page: PageRow): void {
  if (!landmarks || !page.seen) return;
  landmarks.keep(page.seen, skip - Number(page.ahead), page.first);
  landmarks.keep(page.seen, skip + page.count - 1, page.place);
}

/**
 * Replaces each expression by the set of texts that match it: each distinct text is tested once, however many documents
 * share it, and the database still selects, sorts and counts.
 */
async function resolveExpressions(
  db: Database,
  resource: Resource,
  where: readonly Condition[],
  access: SQL | undefined,
  given: DocumentText | undefined,
): Promise<Condition[]> {
  const resolved = where.filter(({ op }) => op !== 'matches');
  for (const { field, op, test } of where) {
    if (op !== 'matches') continue;
    if (!test) throw new TypeError(`the expression for ${field} was not compiled`);
    const candidates = whereOf(resource, resolved, access);
    const texts = await rows<{ value: string | null }>(
      db,
      textsOf(resource, field, candidates, given),
      false,
    );
    const values: string[] = [];
    for (const [index, { value }] of texts.entries()) {
      if (value !== null && test(value)) values.push(value);
      if (index % TESTED_AT_ONCE === TESTED_AT_ONCE - 1) await new Promise(setImmediate);
    }
    resolved.push({ field, op: 'in', values });
  }
  return resolved;
}

/**
 * Checks whether a query is of a common form. The server keeps prepared statements on every connection, and there are too
 * many combinations of filters to prepare them all. Substring and prefix searches are planned each time, because the text
 * decides which index serves, and a prepared statement may be planned once for all texts.
 */
const isCommon = ({ sort, include, exclude }: ListQuery, conditions: readonly Condition[]) =>
  !include &&
  !exclude &&
  sort.length <= 1 &&
  conditions.length <= 1 &&
  conditions.every(({ op, values }) => values.length <= 1 && op !== 'contains' && op !== 'prefix');

/** Number of texts tested before the event loop gets a turn. */
const TESTED_AT_ONCE = 500;

function documentTextOf({ name, source }: Resource, { given }: ListOptions): DocumentText | undefined {
  if (source !== 'given') return undefined;
  if (!given) throw new TypeError(`${name} are given with each call`);
  return 'text' in given ? given : { text: JSON.stringify(given) };
}
