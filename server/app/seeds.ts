import type { Database } from '#db/client.ts';
import { seedParsers } from '#server/domains/golden-config/index.ts';
import { seedAccess } from '#server/domains/identity/index.ts';
import { seedAdapters } from '#server/domains/network/index.ts';
import { seedPlatform } from '#server/domains/operations/index.ts';
import type { Platform } from '#server/kernel/platform.ts';

/**
 * Bring what the platform itself provides up to this version: roles and the group of API clients, the first profile,
 * applications, built-in adapters and parsers. What an operator changed stays; of processes that start at once, one writes.
 */
export async function seed(db: Database, platform: Platform): Promise<void> {
  await seedAccess(db, platform);
  await seedPlatform(db, platform);
  await seedAdapters(db);
  await seedParsers(db);
}
