import { not } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { applications } from '#db/tables/operations/platform.ts';
import { applicationOf } from '#server/kernel/application-of.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { cacheFor } from '#server/kernel/timing/ttl-cache.ts';

/** How long another process's change of the state may remain unnoticed when its notification is lost, in milliseconds. */
const CACHED_MS = 1000;

/** Returns a short-lived cache of the stopped applications, as every request reads them (contract/lifecycle#10). */
export function openRunning(db: Database) {
  const stopped = cacheFor(async () => {
    const { id, active } = applications;
    const found = await db.select({ id }).from(applications).where(not(active));
    return new Set(found.map(({ id }) => id));
  }, CACHED_MS);
  return {
    forget: stopped.forget,
    async assert(path: string) {
      const application = applicationOf(path);
      if (!(await stopped.get()).has(application)) return;
      throw new ServiceError('SERVICE_UNAVAILABLE', `The application ${application} is stopped`, {
        headers: { 'Retry-After': '60' },
      });
    },
  };
}
