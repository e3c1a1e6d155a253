import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { GitFailed } from './ports.ts';

/** Largest copy of a repository in bytes, and the interval at which its size is measured in milliseconds. */
const MOST_BYTES = 1024 * 1024 * 1024;
const CHECK_MS = 1000;

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  let sum = 0;
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    // A file may vanish meanwhile.
    const found = await stat(join(entry.parentPath, entry.name)).catch(() => undefined);
    sum += found?.size ?? 0;
  }
  return sum;
}

/**
 * Measures a folder at intervals.
 *
 * @param exceeded called once it has more than 1 GiB
 * @returns a function that ends it
 */
export function watchSize(folder: string, exceeded: (error: GitFailed) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  const next = () => {
    if (ended) return;
    timer = setTimeout(() => {
      sizeOf(folder)
        .then((size) => {
          if (size > MOST_BYTES) exceeded(new GitFailed('the repository is larger than 1 GiB'));
        })
        .finally(next);
    }, CHECK_MS);
  };
  next();
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}
