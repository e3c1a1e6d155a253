import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ServerHealth } from '#db/schemas/operations/server-health.ts';
import { RELEASE } from '#server/kernel/config.ts';

const require = createRequire(import.meta.url);

/** Returns the version of an installed package, from the package itself: the installed version, not the requested one. */
function versionOf(name: string): string {
  for (let folder = dirname(require.resolve(name)); ; folder = dirname(folder)) {
    const found = manifestIn(folder);
    if (found?.name === name) return found.version;
    if (folder === dirname(folder)) throw new Error(`${name} is installed without its package.json`);
  }
}

type Manifest = { name?: string; version: string };

function manifestIn(folder: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  } catch {
    return undefined;
  }
}

/**
 * The versions of our parts under the documented keys: a part that a library implements has the library's version, a part
 * of our own has the version of our release (contract/resources#2.4; docs/decisions/0024).
 */
export const PARTS: ServerHealth['dependencies'] = {
  '@vendor/audit-trail': RELEASE,
  '@vendor/event-system': RELEASE,
  '@vendor/network': versionOf('hono'),
  '@vendor/service': versionOf('@trpc/server'),
  '@vendor/logger': versionOf('pino'),
  '@vendor/database': versionOf('postgres'),
  '@vendor/utils': versionOf('zod'),
};
