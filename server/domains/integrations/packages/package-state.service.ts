import { setTimeout as sleep } from 'node:timers/promises';
import { eq, inArray, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '#db/client.ts';
import { adapters } from '#db/tables/integrations/adapters.ts';
import { type AdapterRow, readAdapters } from '#server/domains/network/index.ts';
import type { SystemContext } from '#server/kernel/contexts.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { elapsedMs } from '#server/kernel/timing/elapsed.ts';
import type { PackagePort, PackageState } from '#server/southbound/packages/ports.ts';
import { packageInstance } from './call-package.service.ts';
import { findPackage } from './packages.service.ts';

type StateRecordDependencies = { db: Database; log: Pick<Logger, 'warn'> };

/**
 * Returns a function that records for all processes whether the system behind an adapter of a package answers. The states
 * of one adapter are stored in their order.
 */
export function openStateRecord(
  dependencies: StateRecordDependencies,
): (name: string, state: PackageState) => void {
  const latest = new Map<string, Promise<void>>();
  return (name, state) => {
    const stored = (latest.get(name) ?? Promise.resolve()).then(() => storeState(dependencies, name, state));
    latest.set(name, stored);
    void stored.finally(() => {
      if (latest.get(name) === stored) latest.delete(name);
    });
  };
}

async function storeState(
  { db, log }: StateRecordDependencies,
  name: string,
  { connection, detail }: PackageState,
): Promise<void> {
  const online = connection === 'UNKNOWN' ? null : connection !== 'OFFLINE';
  await db
    .update(adapters)
    .set({
      online,
      detail: online === false ? (detail ?? 'the package reports that it is offline') : null,
      probedAt: sql`clock_timestamp()`,
      failed: online === false ? sql`${adapters.failed} + 1` : 0,
    })
    .where(eq(adapters.id, name))
    .catch((err: unknown) => log.warn({ err, adapter: name }, 'state of the adapter not stored'));
}

/**
 * Ends the processes of adapters that were stopped, restarted or deleted in any process of the service. Adapters that
 * were changed get another process with their next call.
 */
export async function followPackages({
  db,
  packages,
}: {
  db: Database;
  packages: PackagePort;
}): Promise<void> {
  const running = packages.running();
  if (running.size === 0) return;
  const known = new Map(
    (await readAdapters(db, inArray(adapters.id, [...running.keys()]))).map((row) => [row.id, row]),
  );
  for (const name of running.keys()) {
    const row = known.get(name);
    const isRestarted = row !== undefined && row.sinceStart < packages.state(name).uptime;
    if (!row?.active || isRestarted) packages.stop(name);
  }
}

/**
 * Starts the processes of adapters whose state is unknown, without waiting for them: what they report of the systems
 * behind them is their state.
 *
 * @param types those that packages provide
 */
export function startPackages(
  call: SystemContext,
  types: ReadonlySet<string>,
  rows: readonly AdapterRow[],
): void {
  for (const { id, doc, active, online } of rows) {
    if (!active || online !== null || !types.has(doc.properties.type)) continue;
    if (['STARTING', 'DEAD'].includes(call.platform.packages.state(id).state)) continue;
    startPackage(call, id).catch((err: unknown) =>
      call.platform.logOf('adapter', id).debug({ err }, 'the adapter was not started'),
    );
  }
}

async function startPackage(call: SystemContext, name: string): Promise<void> {
  const instance = await packageInstance(call, name).catch((error: unknown) => {
    // A type for which no model is stored, or an adapter that was stopped meanwhile.
    if (error instanceof ServiceError) return null;
    throw error;
  });
  if (instance) await call.platform.packages.start(instance);
}

/** Longest wait for what a package reports after its start, and interval between two looks, in milliseconds. */
const REPORT_MS = 10_000;
const LOOK_MS = 50;

/** Longest wait for the start of its process, in milliseconds. */
const START_MS = 35_000;

const tooLate = async (name: string) => {
  await sleep(START_MS, undefined, { ref: false });
  return { message: `${name}: its process did not start within ${START_MS / 1000} s` };
};

/**
 * Tries an adapter of a package: starts its process, and waits for what it reports.
 *
 * @returns undefined for an adapter of another kind
 * @throws ServiceError CONFLICT when the adapter is stopped
 */
export async function testPackage(call: SystemContext, { id, doc }: Pick<AdapterRow, 'id' | 'doc'>) {
  if (!(await findPackage(call.db, doc.properties.type))) return undefined;
  const { packages } = call.platform;
  const began = performance.now();
  const outcome = (ok: boolean, detail: string) => ({
    ok,
    latencyMs: elapsedMs(began),
    detail,
  });
  const instance = await packageInstance(call, id);
  const fault = await Promise.race([packages.start(instance), tooLate(id)]);
  if (fault) return outcome(false, fault.message);
  while (performance.now() - began < REPORT_MS) {
    const { connection, state, detail } = packages.state(id);
    if (connection === 'ONLINE') return outcome(true, 'It answers');
    if (state === 'DEAD') return outcome(false, detail ?? 'Its process died');
    await sleep(LOOK_MS);
  }
  return outcome(false, 'The package runs, and reports that the other side does not answer');
}
