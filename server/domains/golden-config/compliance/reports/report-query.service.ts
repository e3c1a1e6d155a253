import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Condition, Operator, Value } from '#db/list/query.ts';
import { defineResource } from '#db/list/resource.ts';
import { textArray } from '#db/list/row-expressions.ts';
import { ReportHeader } from '#db/schemas/golden-config/compliance-report.ts';
import { Timestamp } from '#db/schemas/primitives.ts';
import { allOf, readSearchAt } from '#server/kernel/documents/documents.service.ts';
import { invalid } from '#server/kernel/errors.ts';
import type { ReportFilter, ReportPage } from './report-filter.service.ts';

/** The fields for filtering lists of reports: those with an index, or that narrow the result of an index scan. */
const { id, _id, treeId, version, nodePath, deviceName, batchId, status } = ReportHeader.shape;
const Fields = z.object({
  id,
  _id,
  treeId,
  version,
  nodePath,
  deviceName,
  batchId,
  status,
  backupId: z.string(),
  timestamp: z.string(),
});

const COLUMNS: Readonly<Record<string, SQL>> = {
  id: sql`id`,
  _id: sql`id`,
  treeId: sql`tree_id`,
  version: sql`version`,
  nodePath: sql`node_path`,
  deviceName: sql`device`,
  batchId: sql`batch_id`,
  status: sql`status`,
  backupId: sql`backup_id`,
  timestamp: sql`ts`,
};

/** The sort orders that have an index: any other would sort a million reports for each page. */
const ORDERS: Readonly<Record<string, readonly string[]>> = {
  timestamp: ['ts', 'id'],
  deviceName: ['device', 'ts', 'id'],
  id: ['id', 'ts'],
  _id: ['id', 'ts'],
};

/** Default page size (contract/lifecycle#4.8). */
const USUAL = 100;

const resource = defineResource({
  name: 'compliance reports',
  schema: Fields,
  source: 'given',
  defaultSort: [{ field: 'timestamp', order: -1 }],
});

/** Page, order and filters as a caller sends them (docs/lists.md). */
export type ReportQuery = Readonly<Record<string, unknown>>;

/** The parsed query: which reports, additional conditions, and the page. */
export type ReportsAsked = { filter: ReportFilter; more: SQL | undefined; page: ReportPage };

/**
 * Reads the query of a list of reports.
 *
 * @param filter the reports that the endpoint itself selects; filters of the query by tree, version, device or backup are
 *   added to it, because each has an index
 * @param container the name of the object that contains the query, for messages
 * @throws ServiceError BAD_REQUEST with every issue
 */
export function readReportQuery(
  { limit = USUAL, ...query }: ReportQuery,
  filter: ReportFilter = {},
  container: 'options' | 'queryOptions' = 'queryOptions',
): ReportsAsked {
  const read = readSearchAt(resource, { ...query, limit }, {}, (path) => [container, ...path]);
  const [sort] = read.sort;
  const columns = sort && ORDERS[sort.field];
  if (!columns || read.sort.length > 1) {
    throw invalid([container, 'sort'], `must be one of ${Object.keys(ORDERS).join(', ')}`);
  }
  const direction = sort.order === 1 ? 'asc' : 'desc';
  const order = sql.raw(columns.map((column) => `${column} ${direction}`).join(', '));
  const page = { start: read.skip, limit: read.limit ?? USUAL, order };
  const joined: ReportFilter = { ...filter };
  const more = read.where.filter((condition) => !isJoined(joined, condition)).map(compiled(container));
  return { filter: joined, more: more.length > 0 ? allOf(...more) : undefined, page };
}

/** Adds a condition to the filter and returns true; returns false where the filter has no free field for it. */
function isJoined(filter: ReportFilter, { field, op, values }: Condition): boolean {
  if (op !== 'eq' && op !== 'in') return false;
  const texts = values.map(String);
  if (field === 'deviceName' && !filter.devices) filter.devices = texts;
  else if (field === 'backupId' && !filter.backupIds) filter.backupIds = texts;
  else if (field === 'treeId' && op === 'eq' && filter.treeId === undefined) filter.treeId = texts[0];
  else if (field === 'version' && op === 'eq' && filter.version === undefined) filter.version = texts[0];
  else return false;
  return true;
}

const COMPARED: Partial<Record<Operator, SQL>> = {
  eq: sql`=`,
  gt: sql`>`,
  gte: sql`>=`,
  lt: sql`<`,
  lte: sql`<=`,
};

const compiled =
  (container: string) =>
  ({ field, op, values }: Condition): SQL => {
    const column = COLUMNS[field] ?? sql`null`;
    const isMoment = field === 'timestamp';
    if (isMoment) assertMoments(values, op, [container]);
    const cast = isMoment ? sql`::timestamptz` : sql``;
    const [first = ''] = values;
    const comparison = COMPARED[op];
    if (comparison) return sql`${column} ${comparison} ${String(first)}${cast}`;
    const list = isMoment
      ? sql`${textArray(values.map(String))}::timestamptz[]`
      : textArray(values.map(String));
    if (op === 'in') return sql`${column} = any(${list})`;
    if (op === 'not-in') return sql`(${column} = any(${list})) is not true`;
    const pattern = `${op === 'contains' ? '%' : ''}${String(first)
      .toLowerCase()
      .replace(/[\\%_]/g, '\\$&')}%`;
    return sql`lower(${column}) like ${pattern}`;
  };

/** Rejects values that are not timestamps, and substring comparisons of timestamps. */
function assertMoments(values: readonly Value[], op: Operator, path: string[]): void {
  if (op === 'contains' || op === 'prefix') {
    throw invalid([...path, op], '"timestamp" supports equals, in, gt, gte, lt and lte only');
  }
  const wrong = values.find((value) => !Moment.safeParse(value).success);
  if (wrong !== undefined) {
    throw invalid(path, `timestamp must be a time such as 2026-02-03T04:05:06.789Z, or a day (got ${wrong})`);
  }
}

const Moment = z.union([Timestamp, z.iso.date()]);
