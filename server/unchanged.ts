import { conflict } from './errors.ts';

/** Entity tags as a header lists them: quoted or bare; the mark of a weak one means nothing here. */
const TAG = /(?:W\/)?"([^"]*)"|([^\s,"]+)/g;

/**
 * Refuse a write of a document that somebody else wrote since the caller read it.
 *
 * @param ifMatch the If-Match header; null, or a `*` in it, asks nothing
 * @param stamp when the document was last written, as `lastUpdated` (text, or milliseconds) or its ETag told
 * @param what names the document in the message
 * @throws ServiceError CONFLICT (lifecycle §0.7, Concurrency)
 */
export function assertUnchanged(ifMatch: string | null, stamp: unknown, what: string): void {
  if (ifMatch === null) return;
  const tags = [...ifMatch.matchAll(TAG)].map(([, quoted, bare]) => quoted ?? bare);
  if (tags.some((tag) => tag === '*' || (stamp !== undefined && tag === String(stamp)))) return;
  throw conflict(`${what} was changed meanwhile${stamp === undefined ? '' : `, last at ${String(stamp)}`}`);
}
