import { open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecretProvider } from '#db/schemas/operations/secret-provider.ts';
import { isBelow, type LocalSources } from '#server/kernel/secrets/local-sources.ts';
import { secretFailure } from './failures.ts';

/** Largest file of a secret, in bytes. */
const MOST_BYTES = 64 * 1024;

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
