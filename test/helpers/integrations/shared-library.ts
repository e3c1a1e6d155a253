import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Folder of packages whose shared modules are fetched once, and kept for later runs. */
export const PACKAGES_FOLDER = join(process.cwd(), 'node_modules/.cache/peers/adapters');

/** The library that public packages share. */
export const LIBRARY = '@itentialopensource/adapter-utils';

/** Folder of that library. */
export const LIBRARY_FOLDER = join(PACKAGES_FOLDER, '.runtime/node_modules', LIBRARY);

const MODULES = [`${LIBRARY}@5.10.1`, 'ajv@8', 'axios@1', 'fs-extra@11', 'json-query@2'];

/**
 * Fetches the modules that public packages share, as `npm run adapter -- add` does (decision 0098).
 *
 * @returns why they are not there; null: they are
 */
export async function fetchLibrary(): Promise<string | null> {
  if (await isThere()) return null;
  await mkdir(PACKAGES_FOLDER, { recursive: true });
  // Test files may do this at the same time: each fetches for itself, and the first to be ready wins.
  const folder = await mkdtemp(join(PACKAGES_FOLDER, '.fetch-'));
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder];
  try {
    await run('npm', ['install', ...options, ...MODULES], { timeout: 90_000 });
    await rename(folder, join(PACKAGES_FOLDER, '.runtime'));
  } catch {
    await rm(folder, { recursive: true, force: true });
  }
  return (await isThere()) ? null : 'npm could not fetch the library: no network';
}

const isThere = (): Promise<boolean> =>
  access(LIBRARY_FOLDER).then(
    () => true,
    () => false,
  );
