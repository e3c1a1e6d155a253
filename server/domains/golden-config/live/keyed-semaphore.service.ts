import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { newId } from '#db/ids.ts';
import { deviceChanges } from '#db/tables/bookkeeping/changes.ts';
import { conflict } from '#server/kernel/errors.ts';
import type { Platform } from '#server/kernel/platform.ts';

/** Seconds for which a change is believed to go on whose process says nothing. */
const BELIEVED_S = 120;
/** Milliseconds between two signs of life. */
const RENEWED_MS = 30_000;

/**
 * Do what changes a device while nobody else does, in whichever process (contract/lifecycle#4.1). No transaction is held
 * meanwhile; a process that is lost gives the device free after two minutes.
 *
 * @throws ServiceError CONFLICT while another change runs
 */
export async function inTurn<Value>(
  { db, platform }: { db: Database; platform: Pick<Platform, 'log'> },
  device: string,
  work: () => Promise<Value>,
): Promise<Value> {
  const holder = newId();
  const until = sql`clock_timestamp() + make_interval(secs => ${BELIEVED_S})`;
  const taken = await rows<{ holder: string }>(
    db,
    sql`insert into ${deviceChanges} as held (device, holder, until) values (${device}, ${holder}, ${until})
        on conflict (device) do update set holder = excluded.holder, until = excluded.until
          where held.until < clock_timestamp()
        returning holder`,
  );
  if (taken.length === 0) throw conflict(`Another change on device ${device} is running`);
  const failed = (err: unknown) => platform.log.warn({ err, device }, 'turn on the device not renewed');
  const renewing = setInterval(() => {
    db.execute(
      sql`update ${deviceChanges} set until = ${until} where device = ${device} and holder = ${holder}`,
    ).catch(failed);
  }, RENEWED_MS);
  try {
    return await work();
  } finally {
    clearInterval(renewing);
    await db
      .execute(sql`delete from ${deviceChanges} where device = ${device} and holder = ${holder}`)
      .catch(failed);
  }
}
