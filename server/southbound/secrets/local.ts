import { open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { SecretProvider } from '#db/schemas/operations/secret-provider.ts';
import { secretFailure } from './failures.ts';

/** What the operator of the process allows providers to read (docs/operations.md). */
export type LocalSources = {
  /** SECRET_ENV_PREFIX: variables whose names begin so. */
  envPrefix: string;
  /** SECRET_FILES: the folder; undefined allows none. */
  folder: string | undefined;
};

/** Largest file of a secret, in bytes. */
const MOST_BYTES = 64 * 1024;

/** Returns what is wrong with a provider of variables or files; null when the operator allows it. */
export function localFault(
  { kind, prefix, folder }: Pick<SecretProvider, 'kind' | 'prefix' | 'folder'>,
  allowed: LocalSources,
): { path: string[]; message: string } | null {
  if (kind === 'environment' && !(prefix ?? allowed.envPrefix).startsWith(allowed.envPrefix))
    return { path: ['prefix'], message: `must begin with ${allowed.envPrefix} (SECRET_ENV_PREFIX)` };
  if (kind !== 'files') return null;
  if (allowed.folder === undefined)
    return { path: ['kind'], message: 'files are not allowed: the operator has not set SECRET_FILES' };
  const isInside = folder === undefined || folder === null || isBelow(folder, allowed.folder);
  return isInside ? null : { path: ['folder'], message: 'must lie in the folder of SECRET_FILES' };
}

/** Returns whether a path is a folder or lies below it; both are absolute. */
const isBelow = (path: string, folder: string) =>
  join(path) === join(folder) || join(path).startsWith(`${join(folder)}${sep}`);

/**
 * Returns the value of a variable.
 *
 * @param name with or without the provider's prefix
 * @throws ServiceError
 */
export function readVariable(provider: SecretProvider, name: string, { envPrefix }: LocalSources): string {
  const prefix = provider.prefix ?? envPrefix;
  const whole = name.startsWith(prefix) ? name : `${prefix}${name}`;
  const value = process.env[whole];
  if (value === undefined || value === '')
    throw secretFailure('SECRET_NOT_FOUND', `${provider.name}: the variable ${whole} is not set`);
  return value;
}

/**
 * Returns the text of a file without a line break at its end. Symbolic links may not lead out of the folder.
 *
 * @param path below the provider's folder
 * @throws ServiceError
 */
export async function readSecretFile(
  provider: SecretProvider,
  path: string,
  { folder: allowed }: LocalSources,
): Promise<string> {
  const missing = () =>
    secretFailure('SECRET_NOT_FOUND', `${provider.name}: the file ${path} cannot be read`);
  if (allowed === undefined)
    throw secretFailure('SECRET_PROVIDER_DENIED', `${provider.name}: the operator has not set SECRET_FILES`);
  const root = await realpath(allowed).catch(() => undefined);
  const folder = await realpath(provider.folder ?? allowed).catch(() => undefined);
  if (root === undefined || folder === undefined || !isBelow(folder, root)) throw missing();
  const file = await realpath(join(folder, path)).catch(() => undefined);
  if (file === undefined || !isBelow(file, folder)) throw missing();
  const handle = await open(file).catch(() => undefined);
  if (!handle) throw missing();
  try {
    const { size } = await handle.stat();
    if (size > MOST_BYTES)
      throw secretFailure('SECRET_NOT_FOUND', `${provider.name}: the file ${path} has more than 64 KiB`);
    return (await handle.readFile('utf8')).replace(/\r?\n$/, '');
  } catch (error) {
    if ((error as { code?: string }).code === 'CONFLICT') throw error;
    throw missing();
  } finally {
    await handle.close();
  }
}
