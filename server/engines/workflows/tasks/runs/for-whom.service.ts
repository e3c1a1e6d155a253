import { type Caller, callerOf, PLATFORM } from '#server/engines/access/principal.ts';
import { standingOf } from '#server/engines/access/standing.service.ts';
import { forbidden } from '#server/errors.ts';
import type { World } from '../outcome.ts';

/** For whom a job runs that an event or a schedule started: for the platform itself (decision 0055). */
const NOBODY: Caller = {
  id: '',
  username: PLATFORM,
  provenance: PLATFORM,
  roles: ['admin'],
  groups: [],
  permissions: [],
  session: null,
};

/**
 * The account for whom a job runs, with the rights that it has now: a task may read and start what that account may.
 *
 * @throws ServiceError FORBIDDEN when it is gone or inactive
 */
export async function callerFor({ db, platform, account }: World): Promise<Caller> {
  if (account === null) return NOBODY;
  const standing = await standingOf(db, account);
  if (!standing) throw forbidden(`Account ${account}, for which the job runs, is gone or inactive`);
  return callerOf(standing, (await platform.access.rules()).admins, null);
}
