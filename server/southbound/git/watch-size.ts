import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { GitFailed } from './ports.ts';

const MIB = 1024 * 1024;
/** Interval at which the size of a copy is measured, in milliseconds. */
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
 * @param folder with everything below it
 * @param mostBytes its limit
 * @param exceeded called once it has more
 * @returns functions that measure it at once, and that end it
 */
export function watchSize(
  folder: string,
  mostBytes: number,
  exceeded: (error: GitFailed) => void,
): { check: () => Promise<void>; end: () => void } {
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  const check = async () => {
    const size = await sizeOf(folder);
    if (size > mostBytes) exceeded(new GitFailed(`the repository is larger than ${mostBytes / MIB} MiB`));
  };
  const next = () => {
    if (ended) return;
    timer = setTimeout(() => void check().finally(next), CHECK_MS);
  };
  next();
  return {
    check,
    end: () => {
      ended = true;
      clearTimeout(timer);
    },
  };
}
