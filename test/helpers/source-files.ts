import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** What stands in the folder without being part of the sources: `.gitignore`, and the history. */
const FOREIGN = /^(node_modules|data|coverage|dist|\.git|\.build-.*)$/;

/**
 * Returns the files of the sources. It asks the file system, so that the tests also run in an archive of the sources and
 * where git is not installed.
 *
 * @param folder in which they are, relative to the repository
 * @returns their paths, relative to the repository
 */
export const sourceFiles = (folder = '.'): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (FOREIGN.test(entry.name)) return [];
    return entry.isDirectory() ? sourceFiles(path) : [path];
  });
