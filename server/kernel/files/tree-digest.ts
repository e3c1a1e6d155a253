import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/** Most files of a folder, and most bytes of them together. */
const MOST_FILES = 50_000;
const MOST_BYTES = 1024 * 1024 * 1024;

/** Thrown for a folder that has no digest; the message may be shown. */
export class DigestError extends Error {}

/**
 * Returns the SHA-256 over every file of a folder: over names, kinds and contents, whatever the order on the disk.
 * Symbolic links count by their target.
 *
 * @throws DigestError for a link that leads out of the folder, for what is neither file, folder nor link, and beyond the
 *   limits
 */
export async function treeDigest(folder: string): Promise<string> {
  const hash = createHash('sha256');
  const root = await realpath(folder);
  let bytes = 0;
  const entries = await entriesOf(root);
  for (const { path, kind } of entries) {
    hash.update(`${kind} ${relative(root, path).split(sep).join('/')}\0`);
    if (kind === 'link') {
      await assertInside(root, path);
      hash.update(`${await readlink(path)}\0`);
      continue;
    }
    if (kind !== 'file') continue;
    const { size } = await lstat(path);
    bytes += size;
    if (bytes > MOST_BYTES)
      throw new DigestError(`${folder} holds more than ${MOST_BYTES / 1024 / 1024} MiB`);
    hash.update(`${size}\0`);
    for await (const part of createReadStream(path)) hash.update(part as Buffer);
  }
  return hash.digest('hex');
}

type Entry = { path: string; kind: 'file' | 'folder' | 'link' };

async function entriesOf(root: string): Promise<Entry[]> {
  const found: Entry[] = [];
  const walk = async (folder: string) => {
    const entries = await readdir(folder, { withFileTypes: true });
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (found.length >= MOST_FILES) throw new DigestError(`${root} holds more than ${MOST_FILES} files`);
      if (entry.isSymbolicLink()) found.push({ path, kind: 'link' });
      else if (entry.isFile()) found.push({ path, kind: 'file' });
      else if (entry.isDirectory()) {
        found.push({ path, kind: 'folder' });
        await walk(path);
      } else throw new DigestError(`${relative(root, path)} is neither a file nor a folder`);
    }
  };
  await walk(root);
  return found;
}

async function assertInside(root: string, link: string): Promise<void> {
  const target = await realpath(link).catch(() => null);
  if (target !== null && (target === root || target.startsWith(`${root}${sep}`))) return;
  throw new DigestError(`the symbolic link ${relative(root, link)} leads out of the package`);
}
