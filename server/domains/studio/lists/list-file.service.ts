import { type Database, fromSnapshot, perDatabase } from '#db/client.ts';
import { invalid, notFound, ServiceError, unprocessable } from '#server/kernel/errors.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import type { Context, ListReader, SignedIn } from '#server/kernel/platform.ts';
import { csvOf } from '#server/kernel/text/csv.ts';
import { assertStorable } from '#server/kernel/validation/input-sanity.ts';
import { type Column, cellOf, columnsOf } from './columns.ts';

/** Maximum number of rows of a file; of one for a typed caller, who gets it as one text. */
const MOST_ROWS = 1_000_000;
const MOST_ROWS_AT_ONCE = 50_000;

/** Maximum number of files that one process writes at a time: each holds a connection to the database. */
const MOST_FILES = 4;
/** Maximum number of them for one account, so that its slow readers leave places to others. */
const MOST_FILES_OF_ACCOUNT = 2;

/** The accounts of the files that are being written, one entry a file. */
const filesOf = perDatabase(() => [] as string[]);

/** How long a place waits for its file to be read, in milliseconds: a client may be gone before that. */
const BEGIN_MS = 1000;

export type ListFileRequest = {
  /** The procedure that answers the list. */
  list: string;
  /** The input of the procedure as JSON text: filters and order. */
  input?: string | undefined;
  /** Fields with optional heads; absent: every field that fills one cell. */
  columns?: string | undefined;
};

/**
 * Returns a list as CSV, read page by page from one snapshot as it is consumed. The procedure of the list reads every page
 * with the rights that the caller has at that moment.
 *
 * @returns parts of the text: the head, then the rows of one page each
 * @throws ServiceError NOT_FOUND for a list that does not exist; as the list itself; UNPROCESSABLE_CONTENT beyond 1,000,000
 *   rows; TOO_MANY_REQUESTS while four files are written, or two of this account
 */
export async function listAsCsv(ctx: SignedIn, request: ListFileRequest): Promise<AsyncIterable<string>> {
  const reader = ctx.platform.listReader(request.list);
  if (!reader) throw notFound('List', request.list);
  const input = inputOf(request.input);
  const columns = columnsOf(reader, request.columns);
  const most = ctx.request.face === 'rest' ? MOST_ROWS : MOST_ROWS_AT_ONCE;
  // The list decides here whether the caller may read it so; what follows is sent while it is read.
  const { total } = await reader.read(ctx, input, { skip: 0, limit: 1 });
  if (total !== undefined && total > most) {
    throw unprocessable(
      `The file would have ${total} rows; at most ${most} are allowed: narrow the list with a filter`,
    );
  }
  // The place is taken here and not with the first part: requests that arrive together would all find it free.
  const place = takePlace(filesOf(ctx.db), ctx.principal.id);
  return counted(
    place,
    fromSnapshot(ctx.db, (tx) => pages(ctx, tx, { reader, input, columns, most })),
  );
}

/**
 * Returns the name of the file of a list.
 *
 * @param list `configurationManager.searchDevices`
 * @returns `devices.csv`
 */
export function nameOfFile(list: string): string {
  const name = list.slice(list.indexOf('.') + 1).replace(/^(list|search|get|find)(?=[A-Z])/, '');
  const words = name.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
  return `${words.replace(/[^a-z0-9-]/g, '').slice(0, 60) || 'list'}.csv`;
}

function inputOf(text: string | undefined): Record<string, unknown> {
  let input: unknown = {};
  try {
    if (text !== undefined) input = JSON.parse(text);
  } catch {
    throw invalid(['input'], 'must be JSON');
  }
  if (!isObject(input)) throw invalid(['input'], 'must be a JSON object');
  assertStorable(input);
  return input;
}

type FilePlace = {
  /** The file is read from now on. */
  begin: () => void;
  release: () => void;
};

/**
 * Takes one of the places for files; it is free again after `release`, or when nothing has begun within a second.
 *
 * @param account id of the account that requests the file
 * @throws ServiceError TOO_MANY_REQUESTS when all places, or those of one account, are taken
 */
function takePlace(files: string[], account: string): FilePlace {
  const own = files.filter((holder) => holder === account);
  const taken =
    files.length >= MOST_FILES
      ? `${MOST_FILES} files`
      : own.length >= MOST_FILES_OF_ACCOUNT && `${MOST_FILES_OF_ACCOUNT} files of this account`;
  if (taken) {
    throw new ServiceError('TOO_MANY_REQUESTS', `${taken} are being written: try again in a few seconds`, {
      headers: { 'Retry-After': '5' },
    });
  }
  let isTaken = false;
  const take = () => {
    if (!isTaken) files.push(account);
    isTaken = true;
  };
  const release = () => {
    if (isTaken) files.splice(files.indexOf(account), 1);
    isTaken = false;
  };
  take();
  const unread = setTimeout(release, BEGIN_MS).unref();
  return {
    begin: () => {
      clearTimeout(unread);
      take();
    },
    release,
  };
}

/** Returns the parts, which hold the place until they end, also where they end unread, as for HEAD. */
function counted(place: FilePlace, parts: AsyncIterable<string>): AsyncIterableIterator<string> {
  const reading = whileRead(place, parts);
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => reading.next(),
    // A generator that has not begun ends without its `finally`.
    return: async () => {
      place.release();
      return reading.return(undefined);
    },
  };
}

async function* whileRead(place: FilePlace, parts: AsyncIterable<string>): AsyncGenerator<string> {
  place.begin();
  try {
    yield* parts;
  } finally {
    place.release();
  }
}

type Reading = { reader: ListReader; input: unknown; columns: readonly Column[]; most: number };

async function* pages(
  ctx: Context,
  tx: Database,
  { reader, input, columns, most }: Reading,
): AsyncGenerator<string> {
  yield csvOf(
    columns.map(({ head }) => head),
    [],
  );
  const { pageSize } = reader;
  for (let skip = 0; ; ) {
    const caller = await ctx.request.again();
    const request = { ...ctx.request, authenticate: async () => caller };
    const page = pageSize === undefined ? undefined : { skip, limit: pageSize };
    const { rows, total } = await reader.read({ ...ctx, db: tx, request }, input, page);
    skip += rows.length;
    if (skip > most) throw unprocessable(`The file would have more than ${most} rows`);
    if (rows.length > 0)
      yield csvOf(
        null,
        rows.map((row) => columns.map((column) => cellOf(row, column))),
      );
    const isLast = total === undefined ? rows.length < (pageSize ?? Number.POSITIVE_INFINITY) : skip >= total;
    if (isLast || rows.length === 0) return;
  }
}
