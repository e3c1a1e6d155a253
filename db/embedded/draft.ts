import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { lives } from './postmaster.ts';

/**
 * A new, empty folder beside `path`, to be renamed to it once it is whole.
 * Removes the drafts that processes which are gone have left there.
 */
export async function newDraft(path: string): Promise<string> {
  const prefix = `${basename(path)}.draft-`;
  for (const name of await readdir(dirname(path))) {
    if (name.startsWith(prefix) && !lives(Number.parseInt(name.slice(prefix.length), 10))) {
      await rm(join(dirname(path), name), { recursive: true, force: true });
    }
  }
  return mkdtemp(join(dirname(path), `${prefix}${process.pid}-`));
}
