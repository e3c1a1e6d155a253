import { createHash } from 'node:crypto';
import type { SQL } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import { find, type Stored } from '#db/collection.ts';
import { defineResource } from '#db/list/resource.ts';
import { Remediation, type RemediationPreview } from '#db/schemas/golden-config/remediation.ts';
import type { RemediationFilter } from '#db/schemas/requests/remediation.ts';
import { sql } from '#db/statement.ts';
import { backups, treeVersions } from '#db/tables/golden-config/configurations.ts';
import { remediations } from '#db/tables/golden-config/remediations.ts';
import type { DeviceContext, ReadContext } from '#server/kernel/contexts.ts';
import { allOf, readSearchAt } from '#server/kernel/documents/documents.service.ts';
import { notFound, ServiceError } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { ofReadableTrees } from '../compliance/reports/report-filter.service.ts';
import { readConfiguration } from '../live/live-configuration.service.ts';
import { parserSourceFor } from '../parsers/readers.service.ts';
import { storedText } from './basis.service.ts';
import { calculatePreview } from './calculate.service.ts';

const newestSha = sql`(select b.sha256 from ${backups} b where b.name = r.device_name
  order by b.date desc nulls last, b.id desc limit 1)`;

/** Whether the device's newest configuration is not the one that the current row's proposal was made for. */
const isStale = sql`(r.basis = 'device' and ${newestSha} is distinct from r.base_sha256)`;

/** A proposal that has been applying for longer was left behind by a lost process. */
const APPLYING_MS = 20 * 60_000;

/** Returns the status of the current row's proposal at a time: time and new backups change it without a write. */
const statusAt = (now: Date): SQL => sql`case
  when r.status = 'applying' and r.doc ->> 'lastUpdated' < ${new Date(now.getTime() - APPLYING_MS).toISOString()}
    then 'failed'
  when r.status not in ('proposed', 'approved') then r.status
  when r.expires <= ${now.toISOString()} then 'expired'
  when ${isStale} then 'stale'
  else r.status end`;

/** Why a proposal that a lost process left behind has failed, in the words of tasks of jobs (docs/workflows.md). */
const INTERRUPTED =
  'interrupted, outcome unknown: compare the device with the backup that was taken before the change';

const shownAt = (now: Date): SQL => sql`(jsonb_set(r.doc, '{status}', to_jsonb(${statusAt(now)}))
  || case when r.status = 'applying' and ${statusAt(now)} = 'failed' then jsonb_build_object('result',
    (case when jsonb_typeof(r.doc -> 'result') = 'object' then r.doc -> 'result' else '{}' end)
    || jsonb_build_object('message', ${INTERRUPTED}::text)) else '{}' end)::text`;

const is = (column: SQL, value: string | undefined): SQL | undefined =>
  value === undefined ? undefined : sql`${column} = ${value}`;

/** Returns proposals that match a filter, with their current status as `state`. */
const chosen = (
  { principal, platform }: ReadContext<'now'>,
  { deviceName, text, treeId, status, reportId }: RemediationFilter,
) => {
  const where = allOf(
    ofReadableTrees(principal),
    is(sql`r.device_name`, deviceName),
    text ? sql`position(lower(${text}) in lower(r.device_name)) > 0` : undefined,
    is(sql`r.tree_id`, treeId),
    is(sql`r.report_id`, reportId),
  );
  const found = sql`(select r.*, ${statusAt(platform.now())} as state from ${remediations} r where ${where})`;
  return sql`(select * from ${found} as found where ${is(sql`state`, status) ?? sql`true`})`;
};

/** Columns that a search can sort by. */
const COLUMNS: Record<string, SQL> = {
  created: sql`r.created`,
  expires: sql`r.expires`,
  deviceName: sql`r.device_name`,
  status: sql`r.state`,
};
const pages = defineResource({
  name: 'proposals',
  schema: Remediation.pick({ created: true, expires: true, deviceName: true, status: true }),
  source: 'given',
  defaultSort: [{ field: 'created', order: -1 }],
});

/**
 * Returns a page of proposals, newest first by default (contract/lifecycle#4.10).
 *
 * @param filter conditions that all have to hold; empty: every proposal that the caller may see
 * @param pageQuery start, limit and sort, as `readList` reads them
 * @throws ServiceError BAD_REQUEST with every issue of the query
 */
export async function searchRemediations(
  ctx: ReadContext<'now'>,
  { filter = {}, ...pageQuery }: { filter?: RemediationFilter | undefined; [page: string]: unknown },
): Promise<JsonText<{ list: Remediation[]; total: number }>> {
  const { sort, skip, limit } = readSearchAt(pages, pageQuery, {});
  const fields = sort.map(
    ({ field, order: one }) => sql`${COLUMNS[field]} ${one === 1 ? sql`asc` : sql`desc`}`,
  );
  const order = sql.join([...fields, sql`r.id desc`], sql`, `);
  const from = chosen(ctx, filter);
  const [counted] = await rows<{ total: string }>(
    ctx.db,
    sql`select count(*)::text as total from ${from} as r`,
  );
  const found = await rows<{ doc: string }>(
    ctx.db,
    sql`select jsonb_set(r.doc, '{status}', to_jsonb(r.state))::text as doc from ${from} as r
      order by ${order} limit ${String(limit)}::bigint offset ${String(skip)}::bigint`,
  );
  const list = found.map(({ doc }) => doc).join(',');
  return json(`{"list":[${list}],"total":${counted?.total ?? 0}}`);
}

/**
 * Counts proposals by their current status (contract/lifecycle#12a).
 *
 * @returns the number per status, without statuses that no proposal has, and their sum
 */
export async function countRemediations(
  ctx: ReadContext<'now'>,
  filter: RemediationFilter,
): Promise<{ counts: Record<string, number>; total: number }> {
  const found = await rows<{ state: string; n: string }>(
    ctx.db,
    sql`select state, count(*)::text as n from ${chosen(ctx, filter)} as r group by state order by state`,
  );
  const counts = Object.fromEntries(found.map(({ state, n }) => [state, Number(n)]));
  return { counts, total: Object.values(counts).reduce((sum, n) => sum + n, 0) };
}

/**
 * Returns one proposal with its current status.
 *
 * @param lock locks the row until the transaction ends
 * @throws ServiceError NOT_FOUND
 */
export async function findRemediation(
  { db, principal, platform }: ReadContext<'now'>,
  id: string,
  lock = false,
): Promise<Stored<Remediation>> {
  const [found] = await rows<{ id: string; doc: string; rev: number }>(
    db,
    sql`select r.id, ${shownAt(platform.now())} as doc, r.rev from ${remediations} r
      where r.id = ${id} and ${ofReadableTrees(principal)} ${lock ? sql`for update of r` : sql``}`,
  );
  if (!found) throw notFound('Remediation', id);
  return { id: found.id, doc: JSON.parse(found.doc) as Remediation, rev: found.rev };
}

/**
 * Returns one proposal (contract/lifecycle#4.10).
 *
 * @throws ServiceError NOT_FOUND
 */
export const getRemediation = async (ctx: ReadContext<'now'>, id: string): Promise<Remediation> =>
  (await findRemediation(ctx, id)).doc;

/**
 * Returns what a proposal would do to its device, which is read again if its origin can read it
 * (contract/lifecycle#4.10). The proposal is stale when the device has another text by now, live or in its newest backup.
 * The diff is empty when the text that the proposal was made for is missing or may not be read by the caller, or when its
 * parser is missing.
 *
 * @throws ServiceError NOT_FOUND
 */
export async function previewRemediation(ctx: DeviceContext, id: string): Promise<RemediationPreview> {
  const { doc } = await findRemediation(ctx, id);
  const { config, rollback, predicted, deviceName, baseSha256, changes } = doc;
  const [row] = await rows<{ stale: boolean }>(
    ctx.db,
    sql`select ${isStale} as stale from ${remediations} r where r.id = ${id}`,
  );
  const live = doc.basis === 'device' && OPEN.has(doc.status) ? await readNow(ctx, deviceName) : undefined;
  const stale =
    (row?.stale ?? true) ||
    (live !== undefined && createHash('sha256').update(live).digest('hex') !== baseSha256);
  const comparedWith = live === undefined ? ('backup' as const) : ('device' as const);
  const text = await storedText(ctx, deviceName, baseSha256);
  const version = await find(
    ctx.db,
    treeVersions,
    sql`${treeVersions.treeId} = ${doc.treeId} and ${treeVersions.version} = ${doc.version}`,
  );
  const deviceType = (await typeOfReport(ctx, doc.reportId)) ?? version?.doc.deviceType;
  const source = version && (await parserSourceFor(ctx.db, deviceType ?? ''));
  if (!text || !source) return { config, rollback, diff: [], predicted, stale, comparedWith };
  const made = changes.filter(({ selected }) => selected).map(placed);
  const diff = await calculatePreview({ source, content: text.content, changes: made });
  return { config, rollback, diff, predicted, stale, comparedWith };
}

/** Returns the device type of a report, which is that of its section of the rules; undefined when the report is gone. */
async function typeOfReport({ db }: ReadContext, reportId: string): Promise<string | undefined> {
  const [found] = await rows<{ type: string }>(
    db,
    sql`select device_type as type from compliance_report where id = ${reportId} and device_type <> '' limit 1`,
  );
  return found?.type;
}

/** Statuses of proposals that may still be applied. */
const OPEN = new Set(['proposed', 'approved']);

/** Returns the device's current configuration; undefined when it cannot be read: its newest backup counts then. */
async function readNow(call: DeviceContext, device: string): Promise<string | undefined> {
  try {
    return (await readConfiguration(call, device)).config;
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/** Returns a change as it is applied, without an undefined `after`. */
const placed = ({ parents, old, new: wanted, after }: Remediation['changes'][number]) => ({
  parents,
  old,
  new: wanted,
  ...(after !== undefined && { after }),
});
