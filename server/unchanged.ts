import type { Difference } from './differences.ts';
import { conflict } from './errors.ts';

/** Entity tags as a header lists them: quoted or bare; the mark of a weak one means nothing here. */
const TAG = /(?:W\/)?"([^"]*)"|([^\s,"]+)/g;

/**
 * Refuse a write of a document that somebody else wrote since the caller read it.
 *
 * @param ifMatch the If-Match header; null, or a `*` in it, asks nothing
 * @param stamp when the document was last written, as `lastUpdated` (text, or milliseconds) or its ETag told
 * @param what names the document in the message
 * @param told says who wrote it last, and where that differs from what the caller sends
 * @throws ServiceError CONFLICT (lifecycle §0.7, Concurrency)
 */
export function assertUnchanged(
  ifMatch: string | null,
  stamp: unknown,
  what: string,
  told?: () => { by?: unknown; differences: Difference[] },
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
