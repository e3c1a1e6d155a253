import { type SQL, sql } from 'drizzle-orm';
import type { Reader } from '#db/access.ts';
import { type Database, rows } from '#db/client.ts';
import { noteChange } from '#db/collection.ts';
import type { WorkItem } from '#server/durable/port.ts';
import type { Reading, Writing } from '#server/engines/configuration/documents.service.ts';
import { conflict, notFound } from '#server/errors.ts';
import type { Platform } from '#server/platform.ts';
import { createBatch } from './batches.service.ts';
import { type Place, reportsIn, type Target } from './places.ts';
import { settleInstance } from './plan-instances.service.ts';
import { readableBatch } from './report-filter.service.ts';

/** The kind of durable work that a batch is cut into. */
export const COMPLIANCE = 'compliance';

/** Devices that one piece of work checks; what it reads and finds at once is bounded by that. */
const DEVICES = 250;
/** Pieces that one statement asks for. */
const PIECES = 200;

/** What a batch keeps of its run. */
export type BatchRequest = {
  places: readonly Place[];
  /** Who asked: backups that they may not read are none to the run. */
  reader: Reader;
};

/** What a piece of work is told. */
export type Chunk = { batchId: string; targets: readonly Target[] };

/** The part of a request's context that starting a run touches; `db` is the transaction. */
export type Starting = Reading & { platform: Pick<Platform, 'now' | 'durable'> };

/**
 * A batch, and the work that fills it, in the caller's transaction: neither exists without the other. One without any
 * device is complete at once.
 */
export async function startBatch(
  { db, principal, platform }: Starting,
  places: readonly Place[],
  targets: readonly Target[],
): Promise<{ batchId: string; started: Date }> {
  const chunks = Math.ceil(targets.length / DEVICES);
  const { roles, groups } = principal;
  const request: BatchRequest = { places, reader: { roles, groups } };
  const batch = await createBatch(
    db,
    { total: reportsIn(targets), treeIds: places.map(({ treeId }) => treeId), request, chunks },
    platform.now(),
  );
  const { batchId } = batch;
  noteChange(db, { kind: 'compliance_batch', id: batchId, name: null });
  if (chunks === 0) await finishBatch(db, batchId, platform.now());
  for (let at = 0; at < chunks; at += PIECES) {
    const count = Math.min(PIECES, chunks - at);
    const items = Array.from({ length: count }, (_, n): WorkItem => {
      const from = (at + n) * DEVICES;
      const input: Chunk = { batchId, targets: targets.slice(from, from + DEVICES) };
      return { id: chunkId(batchId, at + n), input };
    });
    await platform.durable.enqueue(db, COMPLIANCE, items);
  }
  return batch;
}

const chunkId = (batchId: string, at: number) => `${batchId}:${at}`;

/** A batch that has all its reports is complete; whoever stores the last ones finds it so. */
export const finishBatch = (db: Database, batchId: string, now: Date): Promise<void> =>
  endBatch(db, batchId, sql`status = 'complete'`, sql`done >= total`, now);

/** A batch of which a part cannot be done: what is left of it is not begun. */
export const failBatch = (db: Database, batchId: string, now: Date): Promise<void> =>
  endBatch(db, batchId, sql`status = 'error', cancel = true`, sql`true`, now);

async function endBatch(db: Database, batchId: string, change: SQL, where: SQL, now: Date): Promise<void> {
  const ended = await rows(
    db,
    sql`update compliance_batch set ${change}, finished = ${now.toISOString()}::timestamptz
        where id = ${batchId} and status = 'running' and ${where} returning id`,
  );
  if (ended.length > 0) await settleInstance(db, batchId);
}

/**
 * Stop a batch: work that waits never begins, work under way ends with the devices that it has begun; reports that are
 * there stay (lifecycle §4.8).
 *
 * @throws ServiceError NOT_FOUND, CONFLICT when it has ended
 */
export async function cancelBatch(
  { db, principal, platform }: Starting & Pick<Writing, 'request'>,
  batchId: string,
): Promise<void> {
  const [batch] = await rows<{ status: string; chunks: number }>(
    db,
    sql`select status, chunks from compliance_batch
        where id = ${batchId} and ${readableBatch(principal)} for update`,
  );
  if (!batch) throw notFound('Compliance batch', batchId);
  if (batch.status !== 'running') throw conflict(`Compliance batch ${batchId} is ${batch.status} already`);
  await endBatch(db, batchId, sql`status = 'canceled', cancel = true`, sql`true`, platform.now());
  noteChange(db, { kind: 'compliance_batch', id: batchId, name: null });
  await platform.durable.cancel(
    db,
    Array.from({ length: batch.chunks }, (_, at) => chunkId(batchId, at)),
  );
}
