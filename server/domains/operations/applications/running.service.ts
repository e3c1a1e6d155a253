import { not } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { applications } from '#db/tables/documents.ts';
import { applicationOf } from '#server/kernel/application-of.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { cacheFor } from '#server/kernel/timing/ttl-cache.ts';

/** How long a change of an application's state in another process may go unnoticed, should its notification be lost. */
const BELIEVED_MS = 1000;

/** Which applications are stopped, remembered for a moment: every request asks (contract/lifecycle#10). */
export function openRunning(db: Database) {
  const stopped = cacheFor(async () => {
    const { id, active } = applications;
    const found = await db.select({ id }).from(applications).where(not(active));
    return new Set(found.map(({ id }) => id));
  }, BELIEVED_MS);
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
