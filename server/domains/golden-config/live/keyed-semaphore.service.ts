import { and, eq, lt, sql } from 'drizzle-orm';
import { newId } from '#db/ids.ts';
import { deviceChanges } from '#db/tables/bookkeeping/changes.ts';
import type { SystemContext } from '#server/kernel/contexts.ts';
import { conflict } from '#server/kernel/errors.ts';

/** Seconds after which a lock expires when its process does not renew it. */
const LEASE_S = 120;
/** Milliseconds between two renewals. */
const RENEWED_MS = 30_000;

/**
 * Runs a change of a device under a lock that is exclusive across processes (contract/lifecycle#4.1). It holds no
 * transaction; the lock of a lost process expires after two minutes.
 *
 * @throws ServiceError CONFLICT while another change runs
 */
export async function withDeviceLock<Value>(
  { db, platform }: SystemContext<'log'>,
  device: string,
  work: () => Promise<Value>,
): Promise<Value> {
  const holder = newId();
  const until = sql`clock_timestamp() + make_interval(secs => ${LEASE_S})`;
  const isOurs = and(eq(deviceChanges.device, device), eq(deviceChanges.holder, holder));
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
  const failed = (err: unknown) =>
    platform.log.warn({ err, device }, 'the lock of the device could not be renewed');
  const renewing = setInterval(() => {
    db.update(deviceChanges).set({ until }).where(isOurs).catch(failed);
  }, RENEWED_MS);
  try {
    return await work();
  } finally {
    clearInterval(renewing);
    await db.delete(deviceChanges).where(isOurs).catch(failed);
  }
}
