import type { Database } from '#db/client.ts';
import { seedParsers } from '#server/domains/golden-config/index.ts';
import { seedAccess } from '#server/domains/identity/index.ts';
import { seedAdapters } from '#server/domains/network/index.ts';
import { seedPlatform } from '#server/domains/operations/index.ts';
import type { Platform } from '#server/kernel/platform.ts';

/**
 * Brings what the platform itself provides up to this version: roles, the group of API clients, the first profile,
 * applications, built-in adapters and parsers. Changes by an operator are kept; when several processes start at once,
 * one writes.
 */
export async function seed(db: Database, platform: Pick<Platform, 'catalogue' | 'config'>): Promise<void> {
  await seedAccess(db, platform);
  await seedPlatform(db, platform);
  await seedAdapters(db);
  await seedParsers(db);
}
