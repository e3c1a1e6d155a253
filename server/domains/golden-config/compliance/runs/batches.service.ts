import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { newId } from '#db/ids.ts';
import type { BatchStatus, ReportHeader } from '#db/schemas/golden-config/compliance-report.ts';
import { complianceBatches } from '#db/tables/golden-config/reports.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { notFound } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import type { Context } from '#server/kernel/platform.ts';
import { momentIn, objectIn, textIn, valueIn } from '../reports/json-text.service.ts';
import { ofReadableTrees, readableBatch } from '../reports/report-filter.service.ts';
import { headerText } from '../reports/report-text.service.ts';
import { makePartitions } from './partitions.service.ts';

/** Default number of headers per response: what a client reads in one call. */
const MOST_HEADERS = 10_000;

/** A run to start: the number of reports, the trees, the request, and the number of chunks. */
export type NewBatch = { total: number; treeIds: readonly string[]; request: unknown; chunks?: number };

/**
 * Creates a running batch; its start is the timestamp of all its reports.
 *
 * @param now to the millisecond
 */
export async function createBatch(
  db: Database,
  { total, treeIds, request, chunks = 0 }: NewBatch,
  now: Date,
): Promise<{ batchId: string; started: Date }> {
  const batchId = newId(now.getTime());
  await makePartitions(db, [now]);
  const batch = { id: batchId, total, started: now, request, treeIds: [...new Set(treeIds)], chunks };
  await db.insert(complianceBatches).values(batch);
  return { batchId, started: now };
}

const status = objectIn({
  batchId: textIn(sql`id`),
  status: textIn(sql`status`),
  total: valueIn(sql`total`),
  done: valueIn(sql`done`),
  errors: valueIn(sql`errors`),
  started: momentIn(sql`started`),
  finished: momentIn(sql`finished`),
});

async function findBatch({ db, principal }: ReadContext, batchId: string) {
  const [found] = await rows<{ text: string; status: string; done: number; started: string }>(
    db,
    sql`select ${status} as text, status, done, started::text
      from compliance_batch where id = ${batchId} and ${readableBatch(principal)}`,
  );
  if (!found) throw notFound('Compliance batch', batchId);
  return found;
}

/**
 * Returns the progress of a batch (contract/lifecycle#4.8).
 *
 * @throws ServiceError NOT_FOUND
 */
export async function getBatchStatus(ctx: ReadContext, batchId: string): Promise<JsonText<BatchStatus>> {
  return json((await findBatch(ctx, batchId)).text);
}

/**
 * Returns the reports of a batch so far, without issues, by tree, version, node and device; sets `X-Batch-Status`, and
 * their total in `X-Total-Count` (contract/lifecycle#4.8).
 *
 * @throws ServiceError NOT_FOUND
 */
export async function getBatchReports(
  ctx: ReadContext & Pick<Context, 'answer'>,
  batchId: string,
  { start = 0, limit = MOST_HEADERS }: { start?: number | undefined; limit?: number | undefined },
): Promise<JsonText<ReportHeader[]>> {
  const batch = await findBatch(ctx, batchId);
  const found = await rows<{ text: string }>(
    ctx.db,
    sql`select ${headerText} as text from (
        select * from compliance_report r
        where batch_id = ${batchId} and ts = ${batch.started}::timestamptz and ${ofReadableTrees(ctx.principal)}
        order by tree_id, version, node_path, device
        limit ${String(limit)}::bigint offset ${String(start)}::bigint) r
      order by tree_id, version, node_path, device`,
  );
  ctx.answer.headers['X-Batch-Status'] = batch.status;
  ctx.answer.headers['X-Total-Count'] = String(batch.done);
  return json(`[${found.map(({ text }) => text).join(',')}]`);
}
