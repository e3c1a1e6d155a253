import { eq } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { profiles } from '#db/tables/documents.ts';
import { cacheFor, type TtlCache } from '#server/kernel/timing/ttl-cache.ts';
import {
  type ApplicationSettings,
  governingOf,
  type StoredProfile,
  sectionsAtNextStart,
} from './governing.ts';

/** How long a change of profile in another process may go unnoticed, should its notification be lost. */
const BELIEVED_MS = 1000;

/** The settings in force in this process, and what it began with. */
export type ApplicationGovernor = TtlCache<ApplicationSettings> & {
  /** The sections that this process takes up only when it starts anew, were this profile the active one. */
  atNextStart: (profile: StoredProfile) => string[];
};

/**
 * The settings in force, read from the active profile.
 *
 * @param follow is told them whenever they are read, for what cannot ask itself
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
    // Two reads may end in the other order than they began: the younger one knows better.
    if (mine === latest) follow(governing);
    return governing;
  }, BELIEVED_MS);
  return { ...remembered, atNextStart: (profile) => (begun ? sectionsAtNextStart(begun, profile) : []) };
}
