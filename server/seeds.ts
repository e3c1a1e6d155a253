import type { Database } from '#db/client.ts';
import { seedAccess } from './engines/access/seed.service.ts';
import { seedAdapters } from './engines/adapters/seed.service.ts';
import { seedParsers } from './engines/configuration/parser-import.service.ts';
import { seedPlatform } from './engines/platform/seed.service.ts';
import type { Platform } from './platform.ts';

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
