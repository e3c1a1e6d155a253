import { conflict } from '../errors.ts';
import { type Difference, differencesOf } from '../json/document-differences.ts';

/** Details for a writer whose version is stale: who wrote last, and where the two versions differ. */
export type ConflictDetails = { by?: unknown; differences: Difference[] };

/** Matches entity tags in a header: quoted or bare; the prefix of a weak one is ignored. */
const TAG = /(?:W\/)?"([^"]*)"|([^\s,"]+)/g;

/**
 * Rejects a write to a document that has changed since the caller read it.
 *
 * @param ifMatch the If-Match header; null or `*` accepts any version
 * @param stamp when the document was last written, as `lastUpdated` (text or milliseconds) or as its ETag
 * @param what the document's name in the message
 * @param details returns who wrote it last, and where that differs from the caller's version
 * @throws ServiceError CONFLICT (contract/lifecycle#concurrency)
 */
export function assertUnchanged(
  ifMatch: string | null,
  stamp: unknown,
  what: string,
  details?: () => ConflictDetails,
): void {
  if (ifMatch === null) return;
  const tags = [...ifMatch.matchAll(TAG)].map(([, quoted, bare]) => quoted ?? bare);
  if (tags.some((tag) => tag === '*' || (stamp !== undefined && tag === String(stamp)))) return;
  const conflictText = `${what} was changed by another request${stamp === undefined ? '' : `, last at ${String(stamp)}`}`;
  if (!details) throw conflict(conflictText);
  const { by, differences } = details();
  const [first, second, third, ...more] = differences.map(({ path }) => path);
  const places = [first, second, third].filter((path) => path !== undefined).join(', ');
  const rest = more.length > 0 ? ` and ${more.length} more` : '';
  throw conflict(
    `${conflictText}; ${places === '' ? 'your version is identical' : `your version differs at ${places}${rest}`}: read it again and send your change with the new stamp`,
    { data: { lastUpdated: stamp, lastUpdatedBy: by, differences } },
  );
}

/** Fields that a write sets by itself, under their names in all areas. */
const STAMPS = new Set(['created', 'createdBy', 'lastUpdated', 'lastUpdatedBy', 'updated', 'updatedBy']);

/**
 * Returns a function for the details of a conflict: it compares the stored document with the same document after the
 * change. Undefined fields change nothing; stamps are ignored.
 *
 * @param stored the document as it is now
 * @param change new values of top-level fields
 */
export const conflictDetails =
  (stored: Readonly<Record<string, unknown>>, change: object): (() => ConflictDetails) =>
  () => {
    const given = Object.entries(change).filter(([, value]) => value !== undefined);
    return {
      by: stored.lastUpdatedBy ?? stored.updatedBy,
      differences: differencesOf(stored, { ...stored, ...Object.fromEntries(given) }, STAMPS),
    };
  };
