import { and, eq, lt, sql } from 'drizzle-orm';
import { type Database, isUnavailable, perDatabase } from '#db/client.ts';
import { retryUntilAvailable } from '#db/connections/retry-until-available.ts';
import { newId } from '#db/ids.ts';
import { deviceChanges } from '#db/tables/bookkeeping/changes.ts';
import type { SystemContext } from '#server/kernel/contexts.ts';
import { conflict } from '#server/kernel/errors.ts';

/** Seconds after which a lock expires when its process does not renew it. */
const LEASE_S = 120;
/** Milliseconds between two renewals. */
const RENEWED_MS = 30_000;

/** Locks that could not be released yet, by database and device. */
const releasing = perDatabase(() => new Map<string, Promise<void>>());

/**
 * Runs a change of a device under a lock that is exclusive across processes (contract/lifecycle#4.1). It holds no
 * transaction; the lock of a lost process expires after two minutes. A lock that cannot be released, because the database
 * is away, is released as soon as it is back: the next change in this process waits for that.
 *
 * @throws ServiceError CONFLICT while another change runs
 */
export async function withDeviceLock<Value>(
  { db, platform }: SystemContext<'log'>,
  device: string,
  work: () => Promise<Value>,
): Promise<Value> {
  await releasing(db).get(device);
  const holder = newId();
  const until = sql`clock_timestamp() + make_interval(secs => ${LEASE_S})`;
  const isOurs = and(eq(deviceChanges.device, device), eq(deviceChanges.holder, holder));
  const failed = (what: string) => (err: unknown) =>
    platform.log.warn({ err, device }, `the lock of the device could not be ${what}`);
  const release = async () => void (await db.delete(deviceChanges).where(isOurs));
  let renewing: NodeJS.Timeout | undefined;
  try {
    const taken = await db
      .insert(deviceChanges)
      .values({ device, holder, until })
      .onConflictDoUpdate({
        target: deviceChanges.device,
        set: { holder, until },
        setWhere: lt(deviceChanges.until, sql`clock_timestamp()`),
      })
      .returning({ holder: deviceChanges.holder });
    if (taken.length === 0) throw conflict(`Another change on device ${device} is running`);
    renewing = setInterval(() => {
      db.update(deviceChanges).set({ until }).where(isOurs).catch(failed('renewed'));
    }, RENEWED_MS);
    return await work();
  } finally {
    clearInterval(renewing);
    // Also when it was not acquired: the answer may have been lost.
    await release().catch((error: unknown) => {
      failed('released')(error);
      if (isUnavailable(error)) releaseLater(db, device, release);
    });
  }
}

/** Releases a lock once the database is back, unless the lock has expired by then. */
function releaseLater(db: Database, device: string, release: () => Promise<void>): void {
  const end = performance.now() + LEASE_S * 1000;
  const open = releasing(db);
  const released = retryUntilAvailable(release, (error) => isUnavailable(error) && performance.now() < end)
    // the lock expires by itself
    .catch(() => undefined)
    .finally(() => {
      if (open.get(device) === released) open.delete(device);
    });
  open.set(device, released);
}
