import { and, eq } from 'drizzle-orm';
import type { Logger } from 'pino';
import { type Database, inTransaction } from '#db/client.ts';
import type { InventoryRun, SourceIssue } from '#db/schemas/network/inventory-source.ts';
import { inventoryRunBatches, inventoryRuns } from '#db/tables/network/inventory.ts';
import { activeCaller } from '#server/domains/identity/index.ts';
import type { Work, Worker } from '#server/durable/port.ts';
import { writeAuditRecord } from '#server/kernel/audit/audit.service.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { reasonOf } from '#server/kernel/observability/faults.ts';
import type { WorkPlatform } from '#server/kernel/platform.ts';
import { applyHosts, applyMissingHosts, goneToConfirm, hostsMissingFromSource } from './apply.service.ts';
import { SourceFailed } from './fetch-source.service.ts';
import { BATCH, failureOf, INVENTORY, MOST_ISSUES, noteRun, readSource } from './runs.service.ts';
import type { SourceHost, SourceRecords } from './source-record.ts';
import { sourceRow } from './sources.service.ts';

/** Runs that one process does in parallel. */
const AT_ONCE = 2;
/** Time limit of reading a source, in milliseconds. */
const READ_MS = 15 * 60_000;

type WorkerDependencies = {
  db: Database;
  now: () => Date;
  log: Pick<Logger, 'error'>;
  platform: WorkPlatform;
};
/** The result of reading a source: the number of its batches, or why there are none. */
type Fetched = { batches: number; total: number } | { error: NonNullable<InventoryRun['error']> };
type Counts = Pick<InventoryRun, 'new' | 'changed' | 'unchanged'> & { done: number; issues: SourceIssue[] };

/**
 * Returns the worker for runs of inventory sources. The source is read completely into batches first; each batch is then
 * one transaction, so that a run that was interrupted continues with the next one.
 *
 * @param workers maximum number of parallel work items in this process, of all kinds; 0 disables the worker
 */
export const inventoryWorker = (ctx: WorkerDependencies, workers: number): Worker => ({
  kind: INVENTORY,
  atOnce: Math.min(workers, AT_ONCE),
  urgent: false,
  putAside: async (tx, { input, reason }) => {
    await failRun(
      tx,
      runIdOf(input),
      { code: 'RUN_FAILED', message: reason, time: ctx.now().toISOString() },
      ctx.now(),
    );
    ctx.log.error({ runId: runIdOf(input), reason }, 'a run of an inventory source failed');
  },
  run: async (work, input) => {
    const runId = runIdOf(input);
    try {
      const fetched = await work.step('fetch', () => fetchBatches(ctx, input));
      if ('error' in fetched) await work.transact((tx) => failRun(tx, runId, fetched.error, ctx.now()));
      else await applyBatches(ctx, work, input, fetched);
    } catch (error) {
      const time = ctx.now().toISOString();
      const isKnown = error instanceof ServiceError || error instanceof SourceFailed;
      const message = reasonOf(error);
      const reason = isKnown
        ? {
            code: error.code,
            message: error instanceof SourceFailed ? message : `could not be read: ${message}`,
          }
        : { code: 'RUN_FAILED', message };
      // Work that another process took over records nothing: it throws again.
      await work.transact((tx) => failRun(tx, runId, { ...reason, time }, ctx.now()));
      if (!isKnown) ctx.log.error({ err: error, runId }, 'a run of an inventory source failed');
    }
  },
});

/** What a run was started with; `confirmGone` is the number of devices that it may remove. */
type RunInput = { runId: string; confirmGone?: number };

const runIdOf = (input: unknown): string => (input as RunInput).runId;

async function fetchBatches(ctx: WorkerDependencies, input: unknown): Promise<Fetched> {
  const { db, now } = ctx;
  const runId = runIdOf(input);
  let records: SourceRecords;
  try {
    const { source, account } = await runRow(db, runId);
    const who = { id: account, username: await assertMaySync(ctx, account) };
    records = await readSource(ctx, await sourceRow(db, source), who, AbortSignal.timeout(READ_MS));
    // before the first host is written: a source that shows a part of its devices changes nothing
    await assertFewGone(db, source, records.names, input);
  } catch (error) {
    const known =
      error instanceof ServiceError
        ? new SourceFailed(error.code, `could not be read: ${error.message}`)
        : error;
    return { error: failureOf(known, now()).error };
  }
  const { hosts, names, issues } = records;
  const present = new Set(hosts.map(({ name }) => name));
  const batches = Array.from({ length: Math.ceil(hosts.length / BATCH) }, (_, at) =>
    hosts.slice(at * BATCH, (at + 1) * BATCH),
  );
  await inTransaction(db, async (tx) => {
    await tx.delete(inventoryRunBatches).where(eq(inventoryRunBatches.run, runId));
    // the last one has the devices that cannot be stored: they are not gone
    const rest = names.filter((name) => !present.has(name)).map((name) => ({ name }));
    for (const [batch, items] of [...batches, rest].entries())
      await tx.insert(inventoryRunBatches).values({ run: runId, batch, items });
    await noteRun(tx, runId, {
      progress: { done: 0, total: names.length },
      issues: issues.slice(0, MOST_ISSUES),
    });
  });
  return { batches: batches.length, total: names.length };
}

/**
 * Returns the names of the hosts that a source no longer has.
 *
 * @param source name of the source
 * @param present names of the devices that it has
 * @throws SourceFailed when so many would be removed that the run needs a confirmation
 */
async function assertFewGone(
  db: Database,
  source: string,
  present: readonly string[],
  input: unknown,
): Promise<string[]> {
  const missing = await hostsMissingFromSource(db, source, present);
  const { doc } = await sourceRow(db, source);
  const large = await goneToConfirm(db, doc, missing);
  if (large === null || large.gone <= ((input as RunInput).confirmGone ?? 0)) return missing;
  const { gone, owned } = large;
  throw new SourceFailed(
    'SOURCE_SHRUNK',
    `no longer has ${gone} of its ${owned} devices, so none was removed: check its filters and the rights of its token; ` +
      `if they are gone, preview the source and start a run with confirmGone ${gone}`,
  );
}

/**
 * Returns the name of the account of a run.
 *
 * @throws ServiceError FORBIDDEN when it may no longer change the inventory
 */
async function assertMaySync(ctx: WorkerDependencies, account: string): Promise<string> {
  const { roles, username } = await activeCaller(ctx, account, 'for which this source is read');
  if (roles.includes('admin')) return username;
  throw new ServiceError(
    'FORBIDDEN',
    `Account ${username}, for which this source is read, has no role admin`,
  );
}

async function applyBatches(
  ctx: WorkerDependencies,
  work: Work,
  input: unknown,
  { batches, total }: { batches: number; total: number },
): Promise<void> {
  const runId = runIdOf(input);
  const sum: Counts = { new: 0, changed: 0, unchanged: 0, done: 0, issues: [] };
  const { account } = await runRow(ctx.db, runId);
  for (let batch = 0; batch < batches; batch += 1) {
    const who = { account: await assertMaySync(ctx, account), accountId: account };
    const found = await work.transact((tx) => applyBatch({ ...ctx, who }, tx, runId, batch, sum, total));
    Object.assign(sum, found);
  }
  const who = { account: await assertMaySync(ctx, account), accountId: account };
  await work.transact((tx) => finishRun({ ...ctx, who }, tx, input, total));
}

/** Additional context for writing hosts: the account of the run, for the audit trail. */
type ApplyContext = WorkerDependencies & { who: { account: string; accountId: string } };

/** Applies a batch in its transaction. @returns the counts of the run including it */
async function applyBatch(
  ctx: ApplyContext,
  tx: Database,
  runId: string,
  batch: number,
  before: Counts,
  total: number,
): Promise<Counts> {
  const { doc, source } = await runRow(tx, runId);
  const hosts = (await itemsOf(tx, runId, batch)) as SourceHost[];
  const applied = await applyHosts({ db: tx, platform: ctx.platform }, { name: source }, hosts);
  await noteWritten(ctx, tx, runId, applied.written);
  const counts: Counts = {
    new: before.new + applied.new.length,
    changed: before.changed + applied.changed.length,
    unchanged: before.unchanged + applied.unchanged,
    done: before.done + hosts.length,
    issues: [],
  };
  const { done, issues: _, ...sums } = counts;
  const issues = [...doc.issues, ...applied.issues].slice(0, MOST_ISSUES);
  await noteRun(tx, runId, { ...sums, issues, progress: { done, total } });
  return counts;
}

/** Writes the audit row of the hosts that a transaction of a run wrote, which names all of them. */
async function noteWritten(
  { who, now }: ApplyContext,
  tx: Database,
  runId: string,
  hosts: readonly { id: string; name: string }[],
): Promise<void> {
  if (hosts.length === 0) return;
  const changes = hosts.map(({ id, name }) => ({ kind: 'gateway_hosts', id, name }));
  const audited = {
    ...who,
    credential: null,
    address: null,
    requestId: runId,
    operation: 'inventory.syncSource',
    changes,
  };
  await writeAuditRecord(tx, { ...audited, outcome: 'ok', status: 200 }, now());
}

async function finishRun(ctx: ApplyContext, tx: Database, input: unknown, total: number): Promise<void> {
  const runId = runIdOf(input);
  const { source: name } = await runRow(tx, runId);
  const { doc: source } = await sourceRow(tx, name);
  const kept = await tx
    .select({ items: inventoryRunBatches.items })
    .from(inventoryRunBatches)
    .where(eq(inventoryRunBatches.run, runId));
  const present = kept.flatMap(({ items }) => (items as { name: string }[]).map((item) => item.name));
  // again, because the source may have been changed during the run
  const gone = await assertFewGone(tx, name, present, input);
  const left = await applyMissingHosts({ db: tx, platform: ctx.platform }, source, gone);
  for (let at = 0; at < left.length; at += BATCH)
    await noteWritten(ctx, tx, runId, left.slice(at, at + BATCH));
  const finished = ctx.now().toISOString();
  await noteRun(
    tx,
    runId,
    { status: 'complete', gone: gone.length, progress: { done: total, total }, finished },
    { lastSync: finished, lastError: null },
  );
}

async function failRun(
  tx: Database,
  runId: string,
  error: NonNullable<InventoryRun['error']>,
  now: Date,
): Promise<void> {
  const issues = [{ name: '', field: '', message: `The source ${error.message}` }];
  await noteRun(
    tx,
    runId,
    { status: 'error', error, issues, finished: now.toISOString() },
    { lastError: error },
  );
}

async function runRow(db: Database, runId: string) {
  const [run] = await db.select().from(inventoryRuns).where(eq(inventoryRuns.id, runId));
  if (!run) throw new ServiceError('NOT_FOUND', 'the run does not exist');
  return run;
}

async function itemsOf(db: Database, runId: string, batch: number): Promise<unknown[]> {
  const { run, batch: number, items } = inventoryRunBatches;
  const [found] = await db
    .select({ items })
    .from(inventoryRunBatches)
    .where(and(eq(run, runId), eq(number, batch)));
  return (found?.items as unknown[]) ?? [];
}
