import { eq } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { profiles } from '#db/tables/operations/platform.ts';
import { cacheFor, type TtlCache } from '#server/kernel/timing/ttl-cache.ts';
import {
  type ApplicationSettings,
  governingOf,
  type StoredProfile,
  sectionsAtNextStart,
} from './governing.ts';

/** How long another process's profile change may remain unnoticed when its notification is lost, in milliseconds. */
const CACHED_MS = 1000;

/** The active settings in this process, and those of its start. */
export type ApplicationGovernor = TtlCache<ApplicationSettings> & {
  /** Returns the sections that would take effect only at this process's next start, if this profile were the active one. */
  atNextStart: (profile: StoredProfile) => string[];
};

/**
 * Returns a cache of the active settings, read from the active profile.
 *
 * @param follow called with the settings after each read, for components that cannot read them
 */
export function openGoverning(
  db: Database,
  follow: (governing: ApplicationSettings) => void,
): ApplicationGovernor {
  let begun: StoredProfile | undefined;
  let latest = 0;
  const remembered = cacheFor(async () => {
    latest += 1;
    const mine = latest;
    const [row] = await db.select({ doc: profiles.doc }).from(profiles).where(eq(profiles.active, true));
    const profile = row?.doc;
    begun ??= profile;
    const governing = governingOf(profile);
    // Two reads may end in another order than they began: the later one is newer.
    if (mine === latest) follow(governing);
    return governing;
  }, CACHED_MS);
  return { ...remembered, atNextStart: (profile) => (begun ? sectionsAtNextStart(begun, profile) : []) };
}
