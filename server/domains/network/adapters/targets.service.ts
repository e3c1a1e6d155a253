import { and, eq, isNull, lt, lte, or, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { noteChange } from '#db/collection.ts';
import type { Adapter, OrchestratorConnection } from '#db/schemas/network/adapter.ts';
import { adapters } from '#db/tables/integrations/adapters.ts';
import type { SystemContext } from '#server/kernel/contexts.ts';
import { conflict, invalid, ServiceError } from '#server/kernel/errors.ts';
import type { Platform } from '#server/kernel/platform.ts';
import type { Path } from '#server/kernel/secrets/redact.ts';
import { placeOf, type RowOfSecrets } from '#server/kernel/secrets/seals.ts';
import { isSealed, type Vault } from '#server/kernel/secrets/vault.ts';
import { clipped } from '#server/kernel/text/clipped.ts';
import { elapsedMs } from '#server/kernel/timing/elapsed.ts';
import type { OrchestratorTarget } from '#server/southbound/orchestrator/ports.ts';
import type { RestTarget } from '#server/southbound/rest/ports.ts';
import { withConnection } from './adapters.service.ts';
import { AT, connectionOf } from './connection.ts';
import { inConnection, rowOf, takeAdapter, takesConnection } from './document.service.ts';
import { type AdapterRow, getAdapterRow, readAdapters } from './rows.service.ts';

/** Age in seconds after which the state of the remote system is checked again. */
const STALE_S = 30;

/**
 * Returns a running orchestrator adapter (contract/lifecycle#9).
 *
 * @param path of the name in the request
 * @throws ServiceError NOT_FOUND; BAD_REQUEST for another model; CONFLICT when the adapter is stopped
 */
export async function orchestratorNamed(
  { db }: SystemContext,
  name: string,
  path = ['adapterId'],
): Promise<AdapterRow> {
  const row = await getAdapterRow(db, name);
  if (row.doc.properties.type !== 'Orchestrator') {
    throw invalid(path, `${name} is an adapter of the model ${row.doc.properties.type}, not Orchestrator`);
  }
  if (!row.active) throw conflict(`Adapter ${name} is stopped`);
  return row;
}

/**
 * Returns the target of an adapter of the model Rest, or of another type that is called likewise, with decrypted
 * secrets.
 *
 * @throws ServiceError NOT_FOUND; BAD_REQUEST for another model; CONFLICT when the adapter is stopped
 */
export async function restTargetNamed({ db, platform }: SystemContext, name: string): Promise<RestTarget> {
  const row = await getAdapterRow(db, name);
  const { type } = row.doc.properties;
  const isRest = type === 'Rest' || connectionOf(row.doc.properties).provider === 'rest';
  if (!isRest) throw invalid(['adapter'], `${name} is an adapter of the model ${type}, not Rest`);
  if (!row.active) throw conflict(`Adapter ${name} is stopped`);
  return targetOf(platform, row);
}

/** Returns the names of the adapters whose operations a workflow may call: running ones of the model Rest. */
export const restAdapterNames = async (db: Database): Promise<string[]> =>
  (await readAdapters(db, eq(adapters.active, true)))
    .filter(({ doc }) => doc.properties.type === 'Rest')
    .map(({ id }) => id);

/** Returns all running orchestrator adapters, by name. */
export const runningOrchestrators = async ({ db }: SystemContext): Promise<AdapterRow[]> =>
  (await readAdapters(db, eq(adapters.active, true))).filter(
    ({ doc }) => doc.properties.type === 'Orchestrator',
  );

/**
 * Returns the orchestrator for calls that name none: the one marked `default`, else the only running one
 * (contract/endpoints#4.18).
 *
 * @throws ServiceError CONFLICT when there is none or more than one, or it is stopped
 */
export async function defaultOrchestrator({ db }: SystemContext): Promise<AdapterRow> {
  const known = (await readAdapters(db)).filter(({ doc }) => doc.properties.type === 'Orchestrator');
  const marked = known.filter(({ doc }) => connectionOf(doc.properties).default === true);
  const candidates = marked.length > 0 ? marked : known.filter(({ active }) => active);
  const [only, ...others] = candidates;
  if (!only) throw conflict('No adapter of the model Orchestrator is running');
  if (others.length > 0) {
    const names = candidates
      .map(({ id }) => id)
      .slice(0, 10)
      .join(', ');
    throw conflict(
      marked.length > 0
        ? `Several orchestrator adapters are marked default: ${names}`
        : `Several orchestrator adapters are running: mark one with default: true (${names})`,
    );
  }
  if (!only.active) throw conflict(`Adapter ${only.id}, which is marked default, is stopped`);
  return only;
}

/** Calls an adapter's remote system and records whether it responded. */
export async function callAndRecord<Value>(
  call: SystemContext,
  row: AdapterRow,
  work: (target: OrchestratorTarget) => Promise<Value>,
): Promise<Value> {
  const log = call.platform.logOf('adapter', row.id);
  const began = performance.now();
  const took = () => elapsedMs(began);
  try {
    const value = await work(await targetOf(call.platform, row));
    log.debug({ ms: took() }, 'the adapter target responded');
    await noteState(call, row, null);
    return value;
  } catch (error) {
    log.debug({ ms: took(), ...reasonOf(error) }, 'the adapter target failed the request');
    if (error instanceof ServiceError && isAway(error)) await noteState(call, row, error.message);
    throw error;
  }
}

const reasonOf = (error: unknown) =>
  error instanceof ServiceError ? { reason: error.extra?.reason ?? error.code } : { err: error };

/**
 * Starts a check of every running adapter whose state is unknown or outdated, without waiting for the result. Only one
 * of several processes checks an adapter. An adapter that failed more often in a row than the profile's retries allow
 * is skipped for the profile's reset time.
 */
export function probeStale(call: SystemContext, adapters: readonly AdapterRow[]): void {
  for (const row of adapters) {
    const stale = row.sinceProbe === null || row.sinceProbe > STALE_S;
    if (!row.active || !stale || !takesConnection(row.doc)) continue;
    probe(call, row).catch((err: unknown) =>
      call.platform.logOf('adapter', row.id).debug(reasonOf(err), 'probe failed'),
    );
  }
}

async function probe(call: SystemContext, row: AdapterRow) {
  const { most, resetMs } = await call.platform.retries();
  const { failed, probedAt } = adapters;
  const before = (seconds: number) =>
    lt(probedAt, sql`clock_timestamp() - make_interval(secs => ${seconds}::float8)`);
  const isForgiven = before(resetMs / 1000);
  const isDue = and(or(lte(failed, most), isForgiven), or(isNull(probedAt), before(STALE_S)));
  const claimed = await call.db
    .update(adapters)
    .set({ probedAt: NOW, failed: sql`case when ${isForgiven} then 0 else ${failed} end` })
    .where(and(isThis(row), isDue))
    .returning({ id: adapters.id });
  if (claimed.length === 0) return;
  await callAndRecord(call, row, (target) => call.platform.orchestrator.probe(target));
}

/**
 * Tests an adapter's connection, optionally with `sent` merged into it; nothing is stored.
 *
 * @returns `detail`: the problem, or that the system responds
 * @throws ServiceError NOT_FOUND; BAD_REQUEST for settings that could not be stored
 */
export async function testAdapter(
  { db, platform }: SystemContext,
  name: string,
  sent: Readonly<Record<string, unknown>> | undefined,
) {
  const row = await getAdapterRow(db, name);
  if (!takesConnection(row.doc))
    return { ok: true, latencyMs: 0, detail: 'The adapter is built in: it has no target to connect to' };
  const doc = sent
    ? takeAdapter(platform, withConnection(row.doc, sent), row.doc, inConnection).document
    : row.doc;
  const began = performance.now();
  const took = () => elapsedMs(began);
  try {
    await platform.orchestrator.probe(await targetOf(platform, { ...row, doc }));
    return { ok: true, latencyMs: took(), detail: 'It answers' };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { ok: false, latencyMs: took(), detail: error.message };
  }
}

/** Records in the audit row which adapter was called, and with what. */
export const noteCall = (tx: Database, adapter: string, request: string): void =>
  noteChange(tx, { kind: 'adapter calls', id: adapter, name: clipped(request, 200) });

/** Returns whether an error means that the remote system is unreachable or rejects us; a slow call does not. */
const isAway = ({ extra }: ServiceError) =>
  extra?.stage === 'connect' || extra?.reason === 'ORCHESTRATOR_AUTH_FAILED';

const NOW = sql`clock_timestamp()`;

/** Matches an adapter that is unchanged since it was read. */
const isThis = ({ id, rev }: Pick<AdapterRow, 'id' | 'rev'>) =>
  and(eq(adapters.id, id), eq(adapters.rev, rev));

/**
 * Records whether an adapter's remote system responds, unless the record is recent and says the same.
 *
 * @param fault the problem; null: none
 */
export async function noteState(
  { db, platform }: SystemContext<'logOf'>,
  row: Pick<AdapterRow, 'id' | 'rev' | 'online' | 'sinceProbe'>,
  fault: string | null,
): Promise<void> {
  const online = fault === null;
  const log = platform.logOf('adapter', row.id);
  if (row.online !== online) {
    if (online) log.info('the adapter target responds');
    else log.warn({ fault }, 'the adapter target does not respond');
  }
  if (row.online === online && row.sinceProbe !== null && row.sinceProbe < STALE_S / 2) return;
  const failed = online ? 0 : sql`${adapters.failed} + 1`;
  await db
    .update(adapters)
    .set({ online, detail: fault, probedAt: NOW, failed })
    .where(isThis(row))
    .catch((err: unknown) => log.warn({ err }, 'the state of the adapter could not be stored'));
}

async function targetOf(
  { vault, secrets }: Pick<Platform, 'vault' | 'secrets'>,
  { id, doc }: { id: string; doc: Adapter },
): Promise<OrchestratorTarget> {
  const connection = opened(connectionOf(doc.properties), vault, rowOf(doc.name));
  return {
    adapter: id,
    connection: {
      ...(doc.properties.type !== 'Orchestrator' && { base_path: '/' }),
      // Validated when it was stored.
      ...((await secrets.resolve(connection, {
        kind: 'adapters',
        name: id,
        account: null,
      })) as OrchestratorConnection),
    },
  };
}

/** Returns a connection with decrypted secrets; the sealed texts are JSON. */
function opened(value: unknown, vault: Vault, row: RowOfSecrets, at: Path = AT): unknown {
  if (typeof value === 'string') {
    return isSealed(value) ? JSON.parse(vault.open(value, placeOf(row, at))) : value;
  }
  if (Array.isArray(value)) return value.map((element, index) => opened(element, vault, row, [...at, index]));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, opened(field, vault, row, [...at, name])]),
  );
}
