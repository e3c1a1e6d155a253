import { sql } from 'drizzle-orm';
import { gatewayHosts } from '#db/tables/network/gateway.ts';
import type { SystemContext } from '#server/kernel/contexts.ts';

/** Minimum interval between two stored tests with the same outcome, in milliseconds. */
const SAME_MS = 60_000;

/**
 * Records whether a host responded to a test, so that lists show it (contract/lifecycle#4.1). A change of the host drops it:
 * it was about another address or login. A failure to store it is logged, and does not fail the test.
 *
 * @param id of the host
 */
export async function recordTest(
  { db, platform }: SystemContext<'now' | 'log'>,
  id: string,
  isAlive: boolean,
): Promise<void> {
  const now = platform.now();
  const test = JSON.stringify({ time: now.toISOString(), isAlive });
  const recently = new Date(now.getTime() - SAME_MS).toISOString();
  try {
    await db.execute(sql`
      update ${gatewayHosts} set doc = doc || jsonb_build_object('lastTest', ${test}::text::jsonb)
      where id = ${id} and not (
        coalesce(doc #>> '{lastTest,time}', '') > ${recently}
          and (doc #>> '{lastTest,isAlive}')::boolean = ${isAlive})`);
  } catch (err) {
    platform.log.error({ err, host: id }, 'the test of a host could not be recorded');
  }
}
