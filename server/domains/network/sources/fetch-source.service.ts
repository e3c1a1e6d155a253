import { setTimeout as sleep } from 'node:timers/promises';
import type { InventorySource } from '#db/schemas/network/inventory-source.ts';
import { calculateInTime } from '#server/kernel/calculations/calculation-pool.ts';
import { JsonTooLarge, NO_JSON, parseOutsideJson } from '#server/kernel/calculations/outside-json.ts';
import type { Uses } from '#server/kernel/contexts.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import { printable } from '#server/kernel/observability/printable.ts';
import { spreadsheetText } from '#server/kernel/text/spreadsheet-text.ts';
import { withoutFinal } from '#server/kernel/text/without-final.ts';
import { retryAfterMs } from '#server/kernel/timing/retry-after.ts';
import { csvRecords } from '../csv/read-csv.ts';
import { ansibleHosts } from './ansible.ts';
import { valueAt } from './source-record.ts';

/** Records per request, and limits of one reading. */
const PAGE = 250;
const MOST_RECORDS = 100_000;
const MOST_PAGES = 2000;
const MOST_BYTES = 32 * 1024 * 1024;
/** Most values in the JSON of one answer: as many as an import of that length may have. */
const MOST_VALUES = MOST_BYTES / 16;
/** Time limit of one request, in milliseconds. */
const REQUEST_MS = 60_000;
/** Attempts of one request, and the pause before the first repetition, which doubles. */
const ATTEMPTS = 4;
const PAUSE_MS = 500;
/** The longest pause that a source may ask for, in milliseconds. */
const LONGEST_MS = 30_000;
/** Maximum number of characters of an Ansible inventory, and of a CSV file, that this thread reads. */
const MOST_HERE = 2000;
const MOST_CSV_HERE = 20_000;
/** A range of hosts such as leaf[01:99], or the heading of a section with a colon. */
const RANGE = /\[[^\]\n]*:/;
/** Characters of the names in one request: web servers reject request lines of over 4094. */
const MOST_QUERY = 2000;

/** Thrown when a source could not be read: nothing of it may be used. */
export class SourceFailed extends Error {
  readonly code: string;
  readonly mayRetry: boolean;
  /** Pause that the source requested (`Retry-After`), in milliseconds. */
  readonly pauseMs: number | undefined;
  constructor(code: string, message: string, mayRetry = false, pauseMs?: number) {
    super(message);
    this.code = code;
    this.mayRetry = mayRetry;
    this.pauseMs = pauseMs;
  }
}

/** A source with its decrypted token. */
export type OpenSource = Pick<
  InventorySource,
  'name' | 'type' | 'url' | 'content' | 'filters' | 'mapping' | 'ca'
> & {
  token: string;
};

/**
 * Reads all records of a source; half of them are never returned.
 *
 * @throws SourceFailed naming the reason
 */
export async function fetchRecords(
  ctx: Uses<'http'>,
  source: OpenSource,
  signal: AbortSignal,
): Promise<unknown[]> {
  if (source.type === 'netbox' || source.type === 'nautobot') return pagedRecords(ctx, source, signal);
  if (source.content)
    return recordsIn(source, source.type === 'json' ? await parsed(source.content) : source.content);
  let url: URL | null = withFilters(new URL(source.url ?? ''), source);
  const records: unknown[] = [];
  for (let page = 0; url !== null; page += 1) {
    const content: unknown = await getContent(ctx, source, url, signal);
    add(records, await recordsIn(source, content), page);
    url = source.type === 'json' ? nextOf(source, content, url) : null;
  }
  return records;
}

/**
 * Asks a source again for devices that it did not show: one that moves between pages while they are read is on none of them.
 * NetBox and Nautobot are asked by name. Where their names are not those of the devices here, and where a JSON document has
 * several pages, everything is read a second time. Other sources are one document, which cannot miss a device.
 *
 * @param names names of the devices
 * @returns records among which are those of the devices that the source still has
 * @throws SourceFailed when it does not answer completely: none of the devices may then be treated as gone
 */
export async function fetchAgain(
  ctx: Uses<'http'>,
  source: OpenSource,
  names: readonly string[],
  signal: AbortSignal,
): Promise<unknown[]> {
  const { type, content, mapping, filters } = source;
  if (names.length === 0) return [];
  if (type !== 'netbox' && type !== 'nautobot')
    return type === 'json' && !content && mapping?.next !== undefined
      ? fetchRecords(ctx, source, signal)
      : [];
  // a filter by name would be joined to the names with "or"
  if ((mapping?.name ?? 'name') !== 'name' || filters?.name !== undefined)
    return pagedRecords(ctx, source, signal);
  const records: unknown[] = [];
  for (const query of nameQueries(names))
    for (const record of await pagedRecords(ctx, source, signal, query)) records.push(record);
  return records;
}

/** Returns parameters that name devices, as many in each as a request line has room for. */
function nameQueries(names: readonly string[]): URLSearchParams[] {
  const queries: URLSearchParams[] = [];
  for (const name of names) {
    let query = queries.at(-1);
    if (!query || query.toString().length + encodeURIComponent(name).length > MOST_QUERY) {
      query = new URLSearchParams();
      queries.push(query);
    }
    query.append('name', name);
  }
  return queries;
}

/** Reads NetBox or Nautobot page by page. A device that moved to a later page meanwhile is returned once. */
async function pagedRecords(
  ctx: Uses<'http'>,
  source: OpenSource,
  signal: AbortSignal,
  query = new URLSearchParams(),
): Promise<unknown[]> {
  const records: unknown[] = [];
  for (let page = 0; ; page += 1) {
    const url = withFilters(new URL(`${withoutFinal(source.url ?? '', '/')}/api/dcim/devices/`), source);
    for (const [name, value] of query) url.searchParams.append(name, value);
    url.searchParams.set('limit', String(PAGE));
    url.searchParams.set('offset', String(records.length));
    if (source.type === 'nautobot') url.searchParams.set('depth', '1');
    const { count, next, results } = await getPage(ctx, source, url, signal);
    add(records, results, page);
    if (next && results.length > 0) continue;
    if (records.length < count)
      throw new SourceFailed('SOURCE_INCOMPLETE', `returned ${records.length} of ${count} devices`);
    return [...new Map(records.map((record) => [idOf(record), record])).values()];
  }
}

/** Returns the id of a record; a record without one is its own. */
const idOf = (record: unknown): unknown => (isObject(record) ? record.id : undefined) ?? record;

async function getPage(ctx: Uses<'http'>, source: OpenSource, url: URL, signal: AbortSignal) {
  return repeated(signal, async () => {
    const body = await parsed(await sendOnce(ctx, source, url, signal));
    if (!isObject(body) || !Array.isArray(body.results) || typeof body.count !== 'number')
      throw new SourceFailed('SOURCE_INVALID', `did not answer with a list of devices at ${url.pathname}`);
    const results: unknown[] = body.results;
    return { count: body.count, next: typeof body.next === 'string', results };
  });
}

/** Returns the value of a JSON document, and the text of any other. */
const getContent = (ctx: Uses<'http'>, source: OpenSource, url: URL, signal: AbortSignal): Promise<unknown> =>
  repeated(signal, async () => {
    const text = await sendOnce(ctx, source, url, signal);
    return source.type === 'json' ? parsed(text) : text;
  });

async function parsed(text: string): Promise<unknown> {
  const { value } = await parseOutsideJson(text, MOST_VALUES).catch((error: unknown) => {
    if (!(error instanceof JsonTooLarge)) throw error;
    throw new SourceFailed('SOURCE_TOO_LARGE', `answered with JSON that is not read: ${error.message}`);
  });
  // a connection that broke is likely to work the next time
  if (value === NO_JSON) throw new SourceFailed('SOURCE_INVALID', 'did not answer with complete JSON', true);
  return value;
}

/** Repeats a request whose failure may pass, with growing pauses. */
async function repeated<T>(signal: AbortSignal, request: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await request();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof SourceFailed) || !error.mayRetry || attempt === ATTEMPTS) throw error;
      await sleep(error.pauseMs ?? PAUSE_MS * 2 ** (attempt - 1), undefined, { signal });
    }
  }
}

async function sendOnce({ platform }: Uses<'http'>, source: OpenSource, url: URL, signal: AbortSignal) {
  const isPaged = source.type === 'netbox' || source.type === 'nautobot';
  const answer = await platform.http
    .send(
      {
        adapter: source.name,
        tls: { ca: source.ca || undefined },
        timeouts: { connect: 10_000, request: REQUEST_MS },
      },
      {
        method: 'GET',
        url,
        headers: {
          Accept: isPaged || source.type === 'json' ? 'application/json' : '*/*',
          ...(source.token !== '' && { Authorization: `${isPaged ? 'Token' : 'Bearer'} ${source.token}` }),
        },
      },
      { signal, maxBytes: MOST_BYTES },
    )
    .catch((error: unknown) => {
      if (!(error instanceof ServiceError)) throw error;
      const { reason = error.code, retryable } = error.extra ?? {};
      throw new SourceFailed(String(reason), error.message, retryable === true);
    });
  const { status, headers, bytes } = answer;
  if (status >= 200 && status < 300) return source.type === 'csv' ? fileText(bytes) : bytes.toString('utf8');
  if (status === 401 || status === 403)
    throw new SourceFailed('SOURCE_AUTH_FAILED', `rejected the token with status ${status}`);
  const after = retryAfterMs(headers, Date.now());
  const pauseMs = after ? Math.min(after, LONGEST_MS) : undefined;
  const mayRetry = status === 429 || status >= 500;
  throw new SourceFailed('SOURCE_REJECTED', `answered with status ${status}`, mayRetry, pauseMs);
}

/** Returns the text of a CSV file. @throws SourceFailed for a file that is no text */
function fileText(bytes: Buffer): string {
  try {
    return spreadsheetText(bytes);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new SourceFailed('SOURCE_INVALID', `could not be read: ${error.message}`);
  }
}

function withFilters(url: URL, { filters }: OpenSource): URL {
  for (const [name, value] of Object.entries(filters ?? {}))
    for (const one of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(one));
  return url;
}

/** Returns the address of the next page, which must be on the same server, because the token is sent there. */
function nextOf({ mapping }: OpenSource, body: unknown, url: URL): URL | null {
  const next = mapping?.next === undefined ? undefined : valueAt(body, mapping.next);
  if (typeof next !== 'string' || next === '' || !URL.canParse(next, url.href)) return null;
  const found = new URL(next, url);
  if (found.origin !== url.origin)
    throw new SourceFailed('SOURCE_REDIRECTED', `names a next page on another server: ${found.host}`);
  return found;
}

const unread = (reason: string): never => {
  throw new SourceFailed('SOURCE_INVALID', `could not be read: reading it ${reason}`);
};

/** @param content as `getContent` returns it */
async function recordsIn({ type, mapping }: OpenSource, content: unknown): Promise<unknown[]> {
  const text = String(type === 'json' ? '' : content);
  if (type === 'ansible') {
    try {
      return await calculateInTime(
        'hosts of an ansible inventory',
        { text },
        ansibleHosts,
        // Short texts with ranges may name millions of hosts.
        RANGE.test(text) ? 0 : MOST_HERE,
        unread,
      );
    } catch (error) {
      if (error instanceof SourceFailed) throw error;
      throw new SourceFailed('SOURCE_INVALID', printable((error as Error).message, 500));
    }
  }
  if (type === 'csv') {
    const read = await calculateInTime('records of a csv', { text }, csvRecords, MOST_CSV_HERE, unread);
    const [first] = read.issues;
    if (first)
      throw new SourceFailed(
        'SOURCE_INVALID',
        `row ${first.row}: ${`${first.column} ${first.message}`.trim()}`,
      );
    return read.records;
  }
  const records = mapping?.items === undefined ? content : valueAt(content, mapping.items);
  if (Array.isArray(records)) return records;
  throw new SourceFailed('SOURCE_INVALID', `has no list of devices at ${mapping?.items ?? 'its top level'}`);
}

/** Adds the records of a page. @throws SourceFailed when there are too many */
function add(records: unknown[], more: readonly unknown[], page: number): void {
  if (records.length + more.length > MOST_RECORDS || page >= MOST_PAGES)
    throw new SourceFailed('SOURCE_TOO_LARGE', `has over ${MOST_RECORDS} devices or ${MOST_PAGES} pages`);
  for (const one of more) records.push(one);
}
