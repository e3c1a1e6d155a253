import { join, sep } from 'node:path';
import type { SecretProvider } from '#db/schemas/operations/secret-provider.ts';

/** Variables and files that the operator of the process allows providers to read (docs/operations.md). */
export type LocalSources = {
  /** SECRET_ENV_PREFIX: first characters of the names of allowed variables. */
  envPrefix: string;
  /** SECRET_FILES: the folder; undefined allows none. */
  folder: string | undefined;
};

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

/**
 * Returns whether a path is a folder or lies below it.
 *
 * @param path absolute, may contain `..`
 * @param folder absolute
 */
export const isBelow = (path: string, folder: string) =>
  join(path) === join(folder) || join(path).startsWith(`${join(folder)}${sep}`);
