import { type SQL, sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { inTransaction, rows } from '#db/client.ts';
import { deviceOrigins } from '#db/device-origins.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { BackupFindRequest } from '#db/schemas/golden-config/fleet-backup.ts';
import { backups, rawConfigs } from '#db/tables/golden-config/configurations.ts';
import { calculateForRequest } from '#server/kernel/calculations/calculation-pool.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { allOf } from '#server/kernel/documents/documents.service.ts';
import { PatternError } from '#server/kernel/documents/list-filter.ts';
import { invalid, unprocessable } from '#server/kernel/errors.ts';
import { seesConfigurationSecrets } from '#server/kernel/principal.ts';
import { csvOf } from '#server/kernel/text/csv.ts';
import { literalExpression } from '#server/kernel/text/literal-expression.ts';
import { mapYielding } from '#server/kernel/timing/map-yielding.ts';
import { shownConfiguration } from '../backups/shown-configuration.ts';
import { compileLineSearch, type FoundLine, type LineSearch, LONGEST_SHOWN } from './find-lines.ts';
import { requiredLiterals } from './required-literals.ts';

/** Maximum number of matching lines: more are of no use to a reader. */
const MOST_HITS = 50_000;
/** Maximum number of backups that are searched. */
const MOST_BACKUPS = 200_000;
/** Size of the texts that one calculation searches, in bytes. */
const PIECE_BYTES = 4 * 1024 * 1024;
/** Longest time of a search, in milliseconds. */
const LONGEST_MS = 30_000;
/** SQLSTATE of a statement that took too long. */
const CANCELED = '57014';

/** A line of a backup that matches. */
export type BackupHit = { device: string; backupId: string; line: number; text: string };

const tooLong = () =>
  unprocessable(
    `The search took longer than ${LONGEST_MS / 1000} s: name platforms, or search for a text that is not a regular expression`,
  );
const tooMany = () =>
  unprocessable(`More than ${MOST_HITS} lines match: search for a text that fewer lines have`);

/** Returns the backups to search, by device: id, name, hash and size. */
function searched({ principal }: ReadContext, { platforms, latestOnly = true }: BackupFindRequest): SQL {
  const isOfPlatform =
    platforms &&
    sql`exists (select from ${deviceOrigins} where ${allOf(
      sql`${deviceOrigins.name} = ${backups.name}`,
      sql`lower(${deviceOrigins.ostype}) = any(${textArray(platforms.map((one) => one.toLowerCase()))})`,
      mayRead(deviceOrigins, principal),
    )})`;
  const distinct = latestOnly ? sql`distinct on (${backups.name})` : sql``;
  return sql`select ${distinct} ${backups.id} as id, ${backups.name} as name, ${backups.sha256} as sha256,
      (${backups.doc} -> 'size')::bigint as size
    from ${backups} where ${allOf(sql`true`, isOfPlatform, mayRead(backups, principal))}
    order by ${backups.name}, ${backups.date} desc nulls last, ${backups.id} desc limit ${MOST_BACKUPS}`;
}

/** Longest text in the index of trigrams, in bytes; longer texts are read (migration golden_sections). */
const MOST_INDEXED = 1_048_576;
/** Shortest text that the index narrows by, in characters. */
const SHORTEST_INDEXED = 3;

const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/**
 * Returns the hashes of the stored texts that contain all of some texts, by the index of trigrams, as a superset: longer
 * texts are not in the index. Undefined when the index does not narrow the search.
 */
function narrowedBy(literals: readonly string[], ignoreCase: boolean): SQL | undefined {
  const usable = literals.filter((literal) => /[A-Za-z0-9]{3}/.test(literal));
  if (usable.length === 0) return undefined;
  const like = sql.raw(ignoreCase ? 'ilike' : 'like');
  const has = usable.map((literal) => sql`content ${like} ${likePattern(literal)}`);
  return sql`select sha256 from ${rawConfigs} where octet_length(content) <= ${sql.raw(String(MOST_INDEXED))}
      and ${sql.join(has, sql` and `)}
    union all
    select sha256 from ${rawConfigs} where octet_length(content) > ${sql.raw(String(MOST_INDEXED))}`;
}

/**
 * Finds lines in the configurations of all devices (contract/additions#4): by a text in the database, by a regular
 * expression in a thread, in time linear to the texts. An index of trigrams narrows both to the texts that contain the text,
 * or the texts that the expression requires (decision 0135).
 *
 * @returns the page of lines by device, and their total
 * @throws ServiceError BAD_REQUEST; UNPROCESSABLE_CONTENT for a search that takes too long or finds too much
 */
export async function findInBackups(
  ctx: ReadContext,
  request: BackupFindRequest,
): Promise<{ total: number; hits: BackupHit[] }> {
  const { text, regex } = request;
  if ((text === undefined) === (regex === undefined)) {
    throw invalid([text === undefined ? 'text' : 'regex'], 'exactly one of text and regex must be set');
  }
  // A caller who reads masks searches masked texts: otherwise the hits would reveal which secrets are right.
  if (regex === undefined && seesConfigurationSecrets(ctx.principal))
    return findText(ctx, request, text ?? '');
  return findPattern(ctx, request, regex ?? literalExpression(text ?? ''));
}

/** Returns every line that matches as CSV: device, backup, line and text. @throws ServiceError as findInBackups */
export async function findInBackupsAsCsv(ctx: ReadContext, request: BackupFindRequest): Promise<string> {
  const { hits } = await findInBackups(ctx, { ...request, start: 0, limit: MOST_HITS });
  const cells = hits.map(({ device, backupId, line, text }) => [device, backupId, line, text]);
  return csvOf(['device', 'backupId', 'line', 'text'], cells);
}

async function findText(ctx: ReadContext, request: BackupFindRequest, wanted: string) {
  const { start = 0, limit = 100, ignoreCase = false } = request;
  const folded = (column: SQL) => (ignoreCase ? sql`lower(${column})` : column);
  const has = (column: SQL) =>
    sql`strpos(${folded(column)}, ${ignoreCase ? wanted.toLowerCase() : wanted}) > 0`;
  // Lower case differs between the database's functions outside ASCII: such texts are searched without the index.
  const isIndexed = wanted.length >= SHORTEST_INDEXED && (!ignoreCase || /^[ -~]*$/.test(wanted));
  const narrowed = isIndexed ? narrowedBy([wanted], ignoreCase) : undefined;
  const query = sql`with searched as materialized (${searched(ctx, request)}),
    ${narrowed ? sql`narrowed as materialized (${narrowed}),` : sql``}
    texts as (select distinct sha256 from searched ${narrowed ? sql`join narrowed using (sha256)` : sql``}),
    found as materialized (
      select raw.sha256, line.number::int as number, left(rtrim(line.text, E'\r'), ${LONGEST_SHOWN}) as text
      from texts join ${rawConfigs} as raw using (sha256)
        cross join lateral unnest(string_to_array(raw.content, E'\n')) with ordinality as line (text, number)
      where ${has(sql`raw.content`)} and ${has(sql`line.text`)} limit ${MOST_HITS + 1}),
    hits as (select name, id, number, text from searched join found using (sha256))
    select (select count(*) from hits)::int as total, (select count(*) from found)::int as lines,
      (select coalesce(json_agg(page), '[]') from (
        select name as device, id as "backupId", number as line, text from hits
        order by name, id, number limit ${limit} offset ${start}) as page)::text as hits`;
  const [answer] = await inTransaction(ctx.db, async (tx) => {
    await tx.execute(sql.raw(`set local statement_timeout = ${LONGEST_MS}`));
    return rows<{ total: number; lines: number; hits: string }>(tx, query, false);
  }).catch((error: unknown) => {
    throw isCanceled(error) ? tooLong() : error;
  });
  const { total = 0, lines = 0, hits = '[]' } = answer ?? {};
  if (lines > MOST_HITS || total > MOST_HITS) throw tooMany();
  return { total, hits: JSON.parse(hits) as BackupHit[] };
}

/** Returns whether a statement was ended by its time limit; the error of the driver is the cause of another one. */
function isCanceled(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && error.code === CANCELED) || isCanceled(error.cause);
}

type Searched = { id: string; name: string; sha256: string; size: string | null };

async function findPattern(ctx: ReadContext, request: BackupFindRequest, given: string) {
  const { start = 0, limit = 100, ignoreCase = false } = request;
  const regex = ignoreCase ? `(?i)${given}` : given;
  try {
    compileLineSearch(regex);
  } catch (error) {
    if (error instanceof PatternError) throw invalid(['regex'], error.message, 'invalid_pattern');
    throw error;
  }
  const narrowed = narrowedBy(requiredLiterals(given, ignoreCase), ignoreCase || given.startsWith('(?i)'));
  const all = await rows<Searched>(
    ctx.db,
    narrowed
      ? sql`with searched as materialized (${searched(ctx, request)}), narrowed as materialized (${narrowed})
          select searched.* from searched join narrowed using (sha256) order by name, id`
      : searched(ctx, request),
    false,
  );
  const found = await searchTexts(ctx, regex, all);
  const hits: BackupHit[] = [];
  let total = 0;
  for (const { id, name, sha256 } of all) {
    for (const [line, text] of found.get(sha256) ?? []) {
      if (total >= start && hits.length < limit) hits.push({ device: name, backupId: id, line, text });
      total += 1;
    }
  }
  if (total > MOST_HITS) throw tooMany();
  return { total, hits };
}

/** Searches each text once, some megabytes at a time. @returns the matching lines by hash */
async function searchTexts(
  { db, principal }: ReadContext,
  regex: string,
  all: readonly Searched[],
): Promise<Map<string, FoundLine[]>> {
  const sizes = new Map(all.map(({ sha256, size }) => [sha256, Number(size ?? 0)]));
  const found = new Map<string, FoundLine[]>();
  const until = performance.now() + LONGEST_MS;
  let left = MOST_HITS + 1;
  for (const hashes of pieces(sizes)) {
    if (performance.now() > until) throw tooLong();
    const contents = await rows<{ sha256: string; content: string }>(
      db,
      sql`select sha256, content from ${rawConfigs} where sha256 = any(${textArray(hashes)})`,
    );
    const texts = await mapYielding(contents, ({ content }) => shownConfiguration(principal, content));
    const search: LineSearch = { regex, texts, most: left };
    const lines = (await calculateForRequest('lines of texts', search, (reason) =>
      unprocessable(`The search was ended: it ${reason}`),
    )) as FoundLine[][];
    for (const [at, { sha256 }] of contents.entries()) {
      const own = lines[at] ?? [];
      if (own.length > 0) found.set(sha256, own);
      left -= own.length;
    }
    if (left <= 0) throw tooMany();
  }
  return found;
}

/** Divides texts into pieces of some megabytes. */
function* pieces(sizes: ReadonlyMap<string, number>): Generator<string[]> {
  let piece: string[] = [];
  let bytes = 0;
  for (const [hash, size] of sizes) {
    if (piece.length > 0 && bytes + size > PIECE_BYTES) {
      yield piece;
      piece = [];
      bytes = 0;
    }
    piece.push(hash);
    bytes += size;
  }
  if (piece.length > 0) yield piece;
}
