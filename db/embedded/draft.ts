import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isProcessAlive } from './postmaster.ts';

const prefixOf = (path: string) => `${basename(path)}.draft-`;

/**
 * Creates a new, empty folder beside `path`, to be renamed to `path` once it is complete.
 *
 * @returns the path of the new folder
 */
export function newDraft(path: string): Promise<string> {
  return mkdtemp(join(dirname(path), `${prefixOf(path)}${process.pid}-`));
}

/** Removes the drafts of `path` that were left behind by processes that have ended. */
export async function removeOldDrafts(path: string): Promise<void> {
  const prefix = prefixOf(path);
  for (const name of await readdir(dirname(path))) {
    if (name.startsWith(prefix) && !isProcessAlive(Number.parseInt(name.slice(prefix.length), 10))) {
      await rm(join(dirname(path), name), { recursive: true, force: true });
    }
  }
}
