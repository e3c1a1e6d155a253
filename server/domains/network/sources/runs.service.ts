import { and, desc, eq, sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { noteChange } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import type { InventoryRun, InventorySource, SourceIssue } from '#db/schemas/network/inventory-source.ts';
import { inventoryRunBatches, inventoryRuns, inventorySources } from '#db/tables/network/inventory.ts';
import type { ReadContext, SystemContext } from '#server/kernel/contexts.ts';
import { conflict, notFound, ServiceError } from '#server/kernel/errors.ts';
import { assertWholeAccount } from '#server/kernel/principal.ts';
import type { ScheduledKind } from '#server/kernel/schedules/scheduler.ts';
import type { SecretUse } from '#server/kernel/secrets/resolver.ts';
import { applyHosts, goneToConfirm, hostsMissingFromSource } from './apply.service.ts';
import { fetchAgain, fetchRecords, SourceFailed } from './fetch-source.service.ts';
import { hostsOf, type SourceRecords } from './source-record.ts';
import { openSource, RUNS, type SourceRow, sourceRow } from './sources.service.ts';

/** The kind of durable work that reads a source. */
export const INVENTORY = 'inventory';
/** Hosts per transaction. */
export const BATCH = 500;
/** Maximum number of issues of a run, and of names in a preview. */
export const MOST_ISSUES = 1000;
const MOST_NAMES = 10_000;
/** Runs that are kept for each source. */
const MOST_RUNS = 50;
/** Time limit of a preview, in milliseconds. */
const PREVIEW_MS = 120_000;

/**
 * Starts a run of a source; it continues after the response, and survives the loss of the process.
 *
 * @param key id or name of the source
 * @param confirmGone number of devices that the run may remove, whatever their share
 * @returns the id of the run, which uses the rights of the caller's account
 * @throws ServiceError NOT_FOUND; CONFLICT while the source is being read; FORBIDDEN for a personal token with fewer roles
 *   than its account
 */
export async function startSync(
  { db, platform, principal }: ReadContext<'now' | 'durable'>,
  key: string,
  confirmGone?: number,
) {
  assertWholeAccount(principal, RUNS);
  const source = await sourceRow(db, key, true);
  const runId = await startRun({ db, platform }, source, principal.id, confirmGone);
  if (runId === null)
    throw conflict(`Inventory source ${source.doc.name} is being read: wait for its run to end`);
  noteChange(db, { kind: 'inventory_runs', id: runId, name: source.doc.name });
  return { runId };
}

/** Stores a run and requests its work. @returns its id; null while the source has a run */
export async function startRun(
  { db, platform }: SystemContext<'now' | 'durable'>,
  source: SourceRow,
  account: string,
  confirmGone?: number,
): Promise<string | null> {
  const isRunning = and(eq(inventoryRuns.source, source.doc.name), eq(inventoryRuns.status, 'running'));
  if ((await db.$count(inventoryRuns, isRunning)) > 0) return null;
  const id = newId();
  const doc: InventoryRun = {
    _id: id,
    source: source.doc.name,
    status: 'running',
    progress: { done: 0, total: 0 },
    new: 0,
    changed: 0,
    gone: 0,
    unchanged: 0,
    issues: [],
    error: null,
    started: platform.now().toISOString(),
    finished: null,
  };
  await db.insert(inventoryRuns).values({ id, source: doc.source, doc, account, status: 'running' });
  await rows(
    db,
    sql`update ${inventorySources} set doc = doc || jsonb_build_object('lastRun', ${id}::text) where id = ${source.id}`,
  );
  await rows(
    db,
    sql`delete from ${inventoryRuns} where id in (select id from ${inventoryRuns} where source = ${doc.source}
          and status <> 'running' order by started desc offset ${MOST_RUNS})`,
  );
  await platform.durable.enqueue(db, INVENTORY, [
    { id: `inventory:${id}`, input: { runId: id, confirmGone } },
  ]);
  return id;
}

const isDue = (now: number) => sql`due_at <= to_timestamp(${String(now)}::bigint / 1000.0)`;

/**
 * Returns the scheduled work that reads sources, each for the account that last wrote it.
 *
 * @param platform the clock and the durable work that a run needs
 */
export const scheduledSyncs = (platform: SystemContext<'now' | 'durable'>['platform']): ScheduledKind => ({
  kind: 'inventory sources',
  table: inventorySources,
  isDue,
  dueQuery: (now, limit) =>
    sql`select id, (extract(epoch from due_at) * 1000)::bigint::text as at, (doc -> 'schedule')::text as schedule
        from ${inventorySources} where ${isDue(now)} order by due_at limit ${limit} for update skip locked`,
  advance: async (tx, id, next) => {
    await tx
      .update(inventorySources)
      .set({
        dueAt: next === null ? null : new Date(next),
        doc: sql`${inventorySources.doc} || jsonb_build_object('nextRunAt', ${next}::bigint)`,
      })
      .where(eq(inventorySources.id, id));
  },
  run: async (tx, { id }) => {
    const source = await sourceRow(tx, id);
    await startRun({ db: tx, platform }, source, source.account);
  },
});

/** Returns a run. @throws ServiceError NOT_FOUND */
export async function getRun({ db }: { db: Database }, id: string): Promise<InventoryRun> {
  const [run] = await db
    .select({ doc: inventoryRuns.doc })
    .from(inventoryRuns)
    .where(eq(inventoryRuns.id, id));
  if (!run) throw notFound('Inventory run', id);
  return run.doc;
}

/**
 * Returns the newest runs of a source, the newest first, at most 51.
 *
 * @param key id or name of the source
 * @throws ServiceError NOT_FOUND
 */
export async function listRuns({ db }: { db: Database }, key: string) {
  const { doc: source } = await sourceRow(db, key);
  const found = await db
    .select({ doc: inventoryRuns.doc })
    .from(inventoryRuns)
    .where(eq(inventoryRuns.source, source.name))
    .orderBy(desc(inventoryRuns.started), desc(inventoryRuns.id));
  const results = found.map(({ doc: { issues, ...run } }) => ({ ...run, issueCount: issues.length }));
  return { results, total: results.length };
}

/** Changes that a run would make; lists hold at most 10,000 names. */
export type Preview = {
  new: string[];
  changed: { name: string; fields: string[] }[];
  gone: string[];
  unchanged: number;
  /** The number of gone devices with which a run must be confirmed; null: none. */
  confirmGone: number | null;
  issues: SourceIssue[];
  error: { code: string; message: string; time: string } | null;
};

/**
 * Reads a source and returns what a run would change; nothing is stored.
 *
 * @param key id or name of the source
 * @throws ServiceError NOT_FOUND
 */
export async function previewSource(
  ctx: ReadContext<'now' | 'vault' | 'config' | 'http' | 'secrets'>,
  key: string,
  gone: AbortSignal,
): Promise<Preview> {
  const { db, platform } = ctx;
  const row = await sourceRow(db, key);
  const preview: Preview = {
    ...{ new: [], changed: [], gone: [], unchanged: 0, confirmGone: null, issues: [] },
    error: null,
  };
  let records: SourceRecords;
  try {
    records = await readSource(
      ctx,
      row,
      ctx.principal,
      AbortSignal.any([gone, AbortSignal.timeout(PREVIEW_MS)]),
    );
  } catch (error) {
    return { ...preview, ...failureOf(error, platform.now()) };
  }
  preview.issues.push(...records.issues);
  for (let at = 0; at < records.hosts.length; at += BATCH) {
    const found = await applyHosts(ctx, row.doc, records.hosts.slice(at, at + BATCH), { dryRun: true });
    preview.new.push(...found.new);
    preview.changed.push(...found.changed);
    preview.issues.push(...found.issues);
    preview.unchanged += found.unchanged;
  }
  preview.gone = await hostsMissingFromSource(db, row.doc.name, records.names);
  preview.confirmGone = (await goneToConfirm(db, row.doc, preview.gone))?.gone ?? null;
  for (const names of [preview.new, preview.changed, preview.gone])
    names.length = Math.min(names.length, MOST_NAMES);
  preview.issues.length = Math.min(preview.issues.length, MOST_ISSUES);
  return preview;
}

/**
 * Adds the source of a preview to the audit row.
 *
 * @param key id or name of the source
 * @throws ServiceError NOT_FOUND
 */
export async function notePreview(tx: Database, key: string): Promise<void> {
  const { id, doc } = await sourceRow(tx, key);
  noteChange(tx, { kind: 'inventory_sources', id, name: doc.name });
}

/**
 * Reads a source completely. Hosts that it manages and did not show are asked for once more.
 *
 * @param account who reads it, for the audit row of its token
 * @throws SourceFailed also when it has no device, or none with a name: it then changes nothing
 */
export async function readSource(
  ctx: SystemContext<'now' | 'vault' | 'config' | 'http' | 'secrets'>,
  row: SourceRow,
  account: SecretUse['account'],
  signal: AbortSignal,
): Promise<SourceRecords> {
  const sealed = openSource(ctx, row);
  const source = { ...sealed, token: await tokenOf(ctx, row.doc, account, sealed.token ?? '') };
  const records = await fetchRecords(ctx, source, signal);
  if (records.length === 0) throw new SourceFailed('SOURCE_EMPTY', 'has no devices, so nothing was changed');
  const found = hostsOf(row.doc, records);
  // Without names, all hosts of the source would be gone.
  if (found.names.length === 0)
    throw new SourceFailed('SOURCE_INVALID', 'has no device with a name, so nothing was changed');
  const missing = new Set(await hostsMissingFromSource(ctx.db, row.doc.name, found.names));
  const again = hostsOf(row.doc, await fetchAgain(ctx, source, [...missing], signal));
  found.hosts.push(...again.hosts.filter(({ name }) => missing.has(name)));
  found.names.push(...again.names.filter((name) => missing.has(name)));
  return found;
}

/** Returns the token of a source, read from another system where it is a reference. @throws SourceFailed */
async function tokenOf(
  { platform }: SystemContext<'secrets'>,
  { name }: InventorySource,
  account: SecretUse['account'],
  token: string,
): Promise<string> {
  const use = { kind: 'inventory_sources', name, account };
  try {
    return (await platform.secrets.resolve({ token }, use)).token;
  } catch (error) {
    const reason = error instanceof ServiceError ? error.extra?.reason : undefined;
    if (!(error instanceof ServiceError) || typeof reason !== 'string') throw error;
    throw new SourceFailed(reason, `cannot be read without its token: ${error.message}`);
  }
}

/**
 * Returns the error of a reading in the form that clients see, with an issue for it; other errors are thrown.
 *
 * @param now time of the failure
 * @throws the error itself, when it is neither a failure of the source nor a timeout
 */
export function failureOf(error: unknown, now: Date) {
  const isLate = error instanceof Error && error.name === 'TimeoutError';
  if (!isLate && !(error instanceof SourceFailed)) throw error;
  const code = isLate ? 'SOURCE_TIMEOUT' : (error as SourceFailed).code;
  const message = isLate ? 'did not answer completely in time' : (error as SourceFailed).message;
  return {
    error: { code, message, time: now.toISOString() },
    issues: [{ name: '', field: '', message: `The source ${message}` }],
  };
}

/**
 * Stores the progress of a run, or its end; its source shows the outcome.
 *
 * @param change fields of the run to set
 * @param source fields of its source to set
 */
export async function noteRun(
  db: Database,
  runId: string,
  change: Partial<InventoryRun>,
  source?: Partial<InventorySource>,
): Promise<void> {
  const [run] = await rows<{ source: string }>(
    db,
    sql`update ${inventoryRuns} set doc = doc || ${JSON.stringify(change)}::text::jsonb,
          status = coalesce(${change.status ?? null}::text, status) where id = ${runId} returning source`,
  );
  if (change.status && change.status !== 'running')
    await db.delete(inventoryRunBatches).where(eq(inventoryRunBatches.run, runId));
  if (run && source)
    await rows(
      db,
      sql`update ${inventorySources} set doc = doc || ${JSON.stringify(source)}::text::jsonb where name = ${run.source}`,
    );
}
