import { and, eq, gte, type SQL, sql } from 'drizzle-orm';
import type { DocumentReader } from '#db/access.ts';
import { type Database, rows } from '#db/client.ts';
import { noteChange } from '#db/collection.ts';
import { jsonTexts, textArray } from '#db/list/row-expressions.ts';
import {
  complianceBatches,
  complianceBatchPieces,
  complianceBatchRules,
} from '#db/tables/golden-config/reports.ts';
import type { Durable } from '#server/durable/port.ts';
import type { ReadContext, SystemContext, WriteContext } from '#server/kernel/contexts.ts';
import { conflict, notFound } from '#server/kernel/errors.ts';
import { callersIn } from '#server/kernel/principal.ts';
import { groupsOfDevices } from '../../devices/group-members.service.ts';
import { rulesFrom } from '../grading/programs.service.ts';
import { ruleSourcesAt } from '../grading/rule-sources.service.ts';
import { finishInstance } from '../plans/plan-instances.service.ts';
import { readableBatch } from '../reports/report-filter.service.ts';
import { createBatch } from './batches.service.ts';
import { reportsIn, type Target, type TreeNodeTarget } from './run-targets.ts';

/** The kind of durable work that executes the chunks of a batch. */
export const COMPLIANCE = 'compliance';

/** Maximum number of devices per chunk, which bounds its memory. */
const DEVICES = 250;
/** Number of chunks that one statement enqueues. */
const PIECES = 200;

/** The request of a batch, as it is stored. */
export type BatchRequest = {
  places: readonly TreeNodeTarget[];
  /** The caller as it was at the start: the run ignores backups that they may not read. */
  reader: DocumentReader;
  /** Ids of the accounts of the caller, whose current rights count too. Absent in batches of releases up to 2026.1.0. */
  accounts?: readonly string[];
};

/** The input of a chunk of work. */
export type Chunk = {
  batchId: string;
  targets: readonly Target[];
  /** Number of devices that it may read in parallel; absent: as many as fit. */
  atOnce?: number | undefined;
  /** The chunk to enqueue after this one, where a throttle limits the parallel ones. */
  next?: number | undefined;
};

/**
 * Serializes a chunk as one text, because the underlying engine traverses every field of stored input each time it handles
 * it.
 */
const writeChunk = (chunk: Chunk): string => JSON.stringify(chunk);

/** Reads the input of a chunk; releases up to 2026.1.0 stored an object. */
export const readChunk = (input: unknown): Chunk =>
  // startBatch wrote it.
  (typeof input === 'string' ? JSON.parse(input) : input) as Chunk;

/** A chunk to enqueue, with its number in the batch. */
type Piece = { id: string; input: string; piece: number };

/**
 * Starts a batch: stores it with its rules and enqueues its chunks in the caller's transaction, all or none. A batch
 * without devices is complete at once.
 *
 * @param throttle number of devices that may be read in parallel, over all processes; absent: no limit
 */
export async function startBatch(
  { db, principal, platform }: ReadContext<'now' | 'durable'>,
  places: readonly TreeNodeTarget[],
  targets: readonly Target[],
  throttle?: number,
): Promise<{ batchId: string; started: Date }> {
  const chunks = Math.ceil(targets.length / DEVICES);
  const accounts = callersIn(principal).map(({ id }) => id);
  const request: BatchRequest = { places, reader: storedReader(principal), accounts };
  const batch = await createBatch(
    db,
    { total: reportsIn(targets), treeIds: places.map(({ treeId }) => treeId), request, chunks },
    platform.now(),
  );
  const { batchId } = batch;
  noteChange(db, { kind: 'compliance_batch', id: batchId, name: null });
  if (chunks === 0) {
    await finishBatch(db, batchId, platform.now());
    return batch;
  }
  const rules = await keepRules(db, batchId, places, targets);
  const lanes = throttle === undefined ? chunks : Math.max(1, Math.floor(throttle / DEVICES));
  const atOnce = throttle === undefined ? undefined : Math.max(1, Math.floor(throttle / lanes));
  for (let at = 0; at < chunks; at += PIECES) {
    const count = Math.min(PIECES, chunks - at);
    const items = Array.from({ length: count }, (_, n): Piece => {
      const piece = at + n;
      const from = piece * DEVICES;
      const next = piece + lanes < chunks ? piece + lanes : undefined;
      const input = writeChunk({ batchId, targets: rules.slice(from, from + DEVICES), atOnce, next });
      return { id: chunkId(batchId, piece), input, piece };
    });
    await askFor(
      { db, platform },
      items.filter(({ piece }) => piece < lanes),
    );
    await keepForLater(
      db,
      batchId,
      items.filter(({ piece }) => piece >= lanes),
    );
  }
  return batch;
}

/** Returns what decides which documents a caller may read, to be stored: neither its name nor its credential. */
const storedReader = ({ roles, groups, hidesUnlisted, sharedBy }: DocumentReader): DocumentReader => ({
  roles,
  groups,
  ...(hidesUnlisted && { hidesUnlisted }),
  ...(sharedBy && { sharedBy: sharedBy.map(storedReader) }),
});

/** Stores the current rules of a batch; returns the devices with their groups where rules use them. */
export async function keepRules(
  db: Database,
  batchId: string,
  places: readonly TreeNodeTarget[],
  targets: readonly Target[],
): Promise<readonly Target[]> {
  const sources = await ruleSourcesAt(db, places);
  await db.insert(complianceBatchRules).values({ batchId, sources: JSON.stringify(sources) });
  const asking = rulesFrom(sources).map((rules) => 'readsDevice' in rules && rules.readsDevice);
  const groupTargets = targets.filter((target) => target.places.some((at) => asking[at]));
  if (groupTargets.length === 0) return targets;
  const groups = await groupsOfDevices(
    db,
    groupTargets.map(({ device }) => device),
  );
  return targets.map((target) => ({ ...target, groups: groups.get(target.device) }));
}

const askFor = ({ db, platform }: SystemContext<'durable'>, items: readonly Piece[]) =>
  platform.durable.enqueue(
    db,
    COMPLIANCE,
    items.map(({ id, input }) => ({ id, input })),
  );

async function keepForLater(db: Database, batchId: string, items: readonly Piece[]): Promise<void> {
  if (items.length === 0) return;
  await rows(
    db,
    sql`insert into compliance_batch_piece (batch_id, piece, input)
        select ${batchId}, piece::int, input
        from unnest(${textArray(items.map(({ piece }) => String(piece)))},
          ${jsonTexts(items.map(({ input }) => input))}) as kept (piece, input)`,
  );
}

/** Enqueues the chunk that follows another one; none when the batch has ended. */
export async function enqueueNextChunk(
  db: Database,
  durable: Durable,
  { batchId, next }: Pick<Chunk, 'batchId' | 'next'>,
): Promise<void> {
  if (next === undefined) return;
  const { piece, input } = complianceBatchPieces;
  const [kept] = await db
    .delete(complianceBatchPieces)
    .where(and(eq(complianceBatchPieces.batchId, batchId), eq(piece, next)))
    .returning({ input });
  if (!kept) return;
  await durable.enqueue(db, COMPLIANCE, [{ id: chunkId(batchId, next), input: kept.input }]);
}

const chunkId = (batchId: string, at: number) => `${batchId}:${at}`;

/** Marks a batch as complete when it has all its reports; called after each chunk. */
export const finishBatch = (db: Database, batchId: string, now: Date): Promise<void> =>
  endBatch(db, batchId, { status: 'complete' }, now, gte(complianceBatches.done, complianceBatches.total));

/** Marks a batch as failed when a part of it cannot be done; its remaining chunks are not started. */
export const failBatch = (db: Database, batchId: string, now: Date): Promise<void> =>
  endBatch(db, batchId, { status: 'error', cancel: true }, now);

async function endBatch(
  db: Database,
  batchId: string,
  change: Partial<typeof complianceBatches.$inferSelect>,
  now: Date,
  where?: SQL,
): Promise<void> {
  const { id, status } = complianceBatches;
  const ended = await db
    .update(complianceBatches)
    .set({ ...change, finished: now })
    .where(and(eq(id, batchId), eq(status, 'running'), where))
    .returning({ id });
  if (ended.length > 0) await batchEnded(db, batchId);
}

/** Cleans up after a batch, whatever its status: once per batch, in the transaction that ends it. */
async function batchEnded(db: Database, batchId: string): Promise<void> {
  for (const table of [complianceBatchRules, complianceBatchPieces])
    await db.delete(table).where(eq(table.batchId, batchId));
  await finishInstance(db, batchId);
}

/**
 * Cancels a batch: waiting chunks never start, running ones end with the devices in progress; existing reports remain
 * (contract/lifecycle#4.8).
 *
 * @throws ServiceError NOT_FOUND, CONFLICT when it has ended
 */
export async function cancelBatch(
  { db, principal, platform }: ReadContext<'now' | 'durable'> & Pick<WriteContext, 'request'>,
  batchId: string,
): Promise<void> {
  const { id, status, chunks } = complianceBatches;
  const [batch] = await db
    .select({ status, chunks })
    .from(complianceBatches)
    .where(and(eq(id, batchId), readableBatch(principal)))
    .for('update');
  if (!batch) throw notFound('Compliance batch', batchId);
  if (batch.status !== 'running')
    throw conflict(`Compliance batch ${batchId} has already finished: its status is ${batch.status}`);
  await endBatch(db, batchId, { status: 'canceled', cancel: true }, platform.now());
  noteChange(db, { kind: 'compliance_batch', id: batchId, name: null });
  await platform.durable.cancel(
    db,
    Array.from({ length: batch.chunks }, (_, at) => chunkId(batchId, at)),
  );
}
