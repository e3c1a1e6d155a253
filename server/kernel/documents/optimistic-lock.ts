import { conflict } from '../errors.ts';
import { type Difference, differencesOf } from '../json/document-differences.ts';

/** What the second of two writers hears: who was first, and where the two differ. */
export type ConflictDetails = { by?: unknown; differences: Difference[] };

/** Entity tags as a header lists them: quoted or bare; the mark of a weak one means nothing here. */
const TAG = /(?:W\/)?"([^"]*)"|([^\s,"]+)/g;

/**
 * Refuse a write of a document that somebody else wrote since the caller read it.
 *
 * @param ifMatch the If-Match header; null, or a `*` in it, asks nothing
 * @param stamp when the document was last written, as `lastUpdated` (text, or milliseconds) or its ETag told
 * @param what names the document in the message
 * @param told says who wrote it last, and where that differs from what the caller sends
 * @throws ServiceError CONFLICT (contract/lifecycle#concurrency)
 */
export function assertUnchanged(
  ifMatch: string | null,
  stamp: unknown,
  what: string,
  told?: () => ConflictDetails,
): void {
  if (ifMatch === null) return;
  const tags = [...ifMatch.matchAll(TAG)].map(([, quoted, bare]) => quoted ?? bare);
  if (tags.some((tag) => tag === '*' || (stamp !== undefined && tag === String(stamp)))) return;
  const meanwhile = `${what} was changed meanwhile${stamp === undefined ? '' : `, last at ${String(stamp)}`}`;
  if (!told) throw conflict(meanwhile);
  const { by, differences } = told();
  const [first, second, third, ...more] = differences.map(({ path }) => path);
  const places = [first, second, third].filter((path) => path !== undefined).join(', ');
  const rest = more.length > 0 ? ` and ${more.length} more` : '';
  throw conflict(
    `${meanwhile}; ${places === '' ? 'what you send is the same' : `yours differs at ${places}${rest}`}: read it again, and send your change with its new stamp`,
    { data: { lastUpdated: stamp, lastUpdatedBy: by, differences } },
  );
}

/** Members that a write sets by itself, under the names that the areas have for them. */
const STAMPS = new Set(['created', 'createdBy', 'lastUpdated', 'lastUpdatedBy', 'updated', 'updatedBy']);

/**
 * What a write that comes second is told: the document as it is stored against itself with the change laid over it.
 * Members that are undefined change nothing; stamps are no difference.
 */
export const against =
  (stored: Readonly<Record<string, unknown>>, change: object): (() => ConflictDetails) =>
  () => {
    const given = Object.entries(change).filter(([, value]) => value !== undefined);
    return {
      by: stored.lastUpdatedBy ?? stored.updatedBy,
      differences: differencesOf(stored, { ...stored, ...Object.fromEntries(given) }, STAMPS),
    };
  };
