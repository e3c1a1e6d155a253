import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { type Database, inTransaction } from '#db/client.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { DigestError, treeDigest } from '#server/kernel/files/tree-digest.ts';
import { assertTypeIsFree } from '../types/names.service.ts';
import {
  discardPackage,
  fetchPackage,
  installModules,
  modulesIn,
  placePackage,
  readPackageFiles,
} from './package-files.service.ts';
import { type PackageFacts, readPackage } from './package-reading.ts';
import { findPackage, folderOf, removePackage, storePackage } from './packages.service.ts';

/** Folder of the modules that all packages share, in the folder of the packages. */
const RUNTIME = '.runtime';

/** The modules that public packages share, in versions that run them unchanged (docs/adapters.md). */
const SHARED = [
  '@itentialopensource/adapter-utils@5.10.1',
  'ajv@8',
  'axios@1',
  'fs-extra@11',
  'json-query@2',
] as const;

const SHARED_NAMES: readonly string[] = SHARED.map((name) => name.replace(/(.)@.*$/, '$1'));

/** Report of `check` and `add` about a package. */
export type CheckedPackage = PackageFacts & {
  digest: string;
  /** Modules that neither the package nor the shared ones have. */
  missing: readonly string[];
};

/**
 * Reads a package without loading it.
 *
 * @param source path of a folder or .tgz file, or `name@version`
 * @param directory ADAPTERS_DIR, where a copy is kept meanwhile
 * @throws ServiceError BAD_REQUEST for what cannot be used
 */
export async function checkPackage(source: string, directory: string): Promise<CheckedPackage> {
  const { folder, discard } = await fetchPackage(source, directory);
  try {
    return await checked(folder, directory);
  } finally {
    await discard();
  }
}

async function checked(folder: string, directory: string): Promise<CheckedPackage> {
  const facts = readPackage(await readPackageFiles(folder));
  const digest = await treeDigest(folder).catch((error: unknown) => {
    if (error instanceof DigestError) throw new ServiceError('BAD_REQUEST', error.message);
    throw error;
  });
  const shared = await modulesIn(join(directory, RUNTIME));
  return { ...facts, digest, missing: facts.needs.filter((name) => !shared.includes(name)) };
}

/**
 * Adds a package, or another version of it: copies its files to `directory`, stores what it says of itself, and fetches the
 * modules that packages share when it needs them and they are missing.
 *
 * @param directory ADAPTERS_DIR
 * @param source path of a folder or .tgz file, or `name@version`
 * @throws ServiceError BAD_REQUEST for what cannot be used; CONFLICT when its type is taken
 */
export async function addPackage(
  db: Database,
  directory: string,
  source: string,
  now: Date,
): Promise<CheckedPackage> {
  const { folder, discard } = await fetchPackage(source, directory);
  try {
    // Processes of packages run as another account where they can.
    await chmod(directory, 0o755);
    const found = await checked(folder, directory);
    const previous = await inTransaction(db, async (tx) => {
      const known = await findPackage(tx, found.type);
      if (!known) await assertTypeIsFree({ db: tx }, found.type, 'package');
      if (known && known.package !== found.id) {
        throw new ServiceError(
          'CONFLICT',
          `The adapter type ${found.type} belongs to the package ${known.package}`,
        );
      }
      await storePackage(tx, found, found.digest, now);
      await placePackage(folder, folderOf(directory, found));
      return known;
    });
    if (previous && previous.version !== found.version) await discardPackage(folderOf(directory, previous));
    return { ...found, missing: await withShared(directory, found.missing) };
  } finally {
    await discard();
  }
}

/** Fetches the shared modules when some of them are missing. @returns the modules that are still missing */
async function withShared(directory: string, missing: readonly string[]): Promise<readonly string[]> {
  if (!missing.some((name) => SHARED_NAMES.includes(name))) return missing;
  await installModules(join(directory, RUNTIME), SHARED);
  const shared = await modulesIn(join(directory, RUNTIME));
  return missing.filter((name) => !shared.includes(name));
}

/**
 * Removes a package and its files.
 *
 * @param directory ADAPTERS_DIR
 * @param type name of the adapter type
 * @returns the version that was removed
 * @throws ServiceError NOT_FOUND; CONFLICT while adapters of its type exist
 */
export async function deletePackage(db: Database, directory: string, type: string): Promise<string> {
  const { version } = await inTransaction(db, (tx) => removePackage(tx, type));
  await discardPackage(join(directory, type));
  return version;
}
