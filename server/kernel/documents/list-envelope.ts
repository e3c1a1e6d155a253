import { type JsonText, json } from '../json-text.ts';

/** One page of a list: its documents as JSON text with commas between them, their number, and the number of all matches. */
type Page = { body: string | Uint8Array; count: number; total: number };

/**
 * Returns a page of documents that are not shown as they are stored.
 *
 * @param texts JSON texts of the documents
 * @param total number of all documents that match, on every page
 */
export const pageOfTexts = (texts: readonly string[], total: number): Page => ({
  body: texts.join(','),
  count: texts.length,
  total,
});

/**
 * Returns a page of documents that were found in their shown form, each with its metadata.
 *
 * @param found the JSON texts of the documents of the page, and the number of all
 * @param member name of the document in an entry, beside `metadata`
 * @param metadataOf returns the metadata of a document
 */
export const pageWithMetadata = <Document>(
  { texts, total }: { texts: readonly string[]; total: number },
  member: 'data' | 'profile',
  metadataOf: (document: Document) => unknown,
): Page =>
  pageOfTexts(
    texts.map(
      (text) =>
        `{"metadata":${JSON.stringify(metadataOf(JSON.parse(text) as Document))},"${member}":${text}}`,
    ),
    total,
  );

/** The position of the page; `limit` null: no limit was requested. */
type Paging = { skip: number; limit: number | null };

type CoreList<Document> = { results: Document[]; total: number };

/** Returns the list envelope of the Core areas: `{results, total}` (contract/lifecycle#0.4). */
export const core = <Document>({ body, total }: Page): JsonText<CoreList<Document>> =>
  json('{"results":[', body, `],"total":${total}}`);

type OpsList<Document> = {
  message: string;
  data: Document[];
  metadata: {
    total: number;
    skip: number;
    limit: number;
    currentPageSize: number;
    nextPageSkip: number | null;
    previousPageSkip: number | null;
    hints: string[];
  };
};

/**
 * Returns the list envelope of the Ops areas: `{message, data, metadata}` (contract/lifecycle#0.4).
 *
 * @param message one sentence for users: `Successfully retrieved jobs`
 */
export function ops<Document>(message: string, page: Page, paging: Paging): JsonText<OpsList<Document>> {
  const { next, previous } = neighbours(page, paging);
  const metadata = JSON.stringify({
    total: page.total,
    skip: paging.skip,
    limit: paging.limit ?? page.total,
    currentPageSize: page.count,
    nextPageSkip: next,
    previousPageSkip: previous,
    hints: [],
  });
  return json(`{"message":${JSON.stringify(message)},"data":[`, page.body, `],"metadata":${metadata}}`);
}

type StudioList<Document> = {
  items: Document[];
  skip: number;
  limit: number;
  end: number;
  count: number;
  total: number;
  next: string | null;
  previous: string | null;
};

/**
 * Returns the list envelope of the Studio areas: `{items, skip, limit, end, count, total, next, previous}`
 * (contract/lifecycle#0.4); `end` is skip + count, `next` and `previous` are URLs or null (contract/lifecycle#0.5).
 *
 * @param urlAt returns the same request's URL with another `skip`
 */
export function studio<Document>(
  page: Page,
  paging: Paging,
  urlAt: (skip: number) => string,
): JsonText<StudioList<Document>> {
  const { next, previous } = neighbours(page, paging);
  const { count } = page;
  const rest = JSON.stringify({
    skip: paging.skip,
    limit: paging.limit ?? page.total,
    end: paging.skip + count,
    count,
    total: page.total,
    next: next === null ? null : urlAt(next),
    previous: previous === null ? null : urlAt(previous),
  });
  return json('{"items":[', page.body, `],${rest.slice(1)}`);
}

/** Returns where the next and the previous page start; null where none exists. */
function neighbours({ count, total }: Page, { skip, limit }: Paging) {
  const end = skip + count;
  // An empty page has no next page: a client that follows `next` until null must come to an end.
  const next = count > 0 && end < total ? end : null;
  const previous = skip > 0 ? Math.max(0, Math.min(skip, total) - (limit ?? skip)) : null;
  return { next, previous };
}
