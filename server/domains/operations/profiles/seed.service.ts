import { getHeapStatistics } from 'node:v8';
import { sql } from 'drizzle-orm';
import { acquireLock, type Database, inTransaction } from '#db/client.ts';
import { find, insert, replace } from '#db/collection.ts';
import { applications, profiles } from '#db/tables/operations/platform.ts';
import type { Platform } from '#server/kernel/platform.ts';
import { type Area, areasOf, newApplication } from '../applications/applications.ts';
import { defaultSections } from './profile-defaults.ts';

/** Id of the profile that the first start creates. */
const DEFAULT = 'default';

const MIB = 1024 * 1024;

/**
 * Creates the active profile on the first start, and an application for each area of this release. Existing ones are not
 * changed (contract/lifecycle#10).
 */
export async function seedPlatform(
  db: Database,
  { catalogue, config }: Pick<Platform, 'catalogue' | 'config'>,
): Promise<void> {
  const areas = areasOf(catalogue);
  await inTransaction(db, async (tx) => {
    await acquireLock(tx, 'switchyard seeds');
    await seedProfile(tx, areas, config.port);
    const heapLimit = Math.round(getHeapStatistics().heap_size_limit / MIB);
    for (const area of areas) {
      if (await find(tx, applications, area.name)) continue;
      await insert(tx, applications, area.name, newApplication(area, heapLimit));
    }
  });
}

async function seedProfile(tx: Database, areas: readonly Area[], port: number) {
  if (await find(tx, profiles, sql`active`)) return;
  const found = await find(tx, profiles, DEFAULT);
  if (found) {
    await replace(tx, profiles, found, found.doc, { active: true });
    return;
  }
  const services = [...areas.map(({ name }) => name), 'local_aaa'];
  const profile = { ...defaultSections({ services, port }), id: DEFAULT };
  await insert(tx, profiles, DEFAULT, profile, { active: true });
}
