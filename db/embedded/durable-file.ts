import { randomBytes } from 'node:crypto';
import { link, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a file that only its owner may read, unless it exists. When this resolves, the whole file is on the disk, so that
 * a power failure leaves neither an empty file nor none. Of several processes at once, one writes and the others keep its
 * file. An empty file, which earlier versions could leave, is replaced.
 *
 * @param file path of the file
 * @param text its content
 * @throws Error of the file system
 */
export async function createOnce(file: string, text: string): Promise<void> {
  const found = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (found) return;
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    await handle
      .writeFile(text)
      .then(() => handle.sync())
      .finally(() => handle.close());
    if (found === '') await rename(draft, file);
    else
      await link(draft, file).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return undefined;
        // The file system has no links.
        if (['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(error.code ?? ''))
          return rename(draft, file);
        throw error;
      });
    await syncFolder(dirname(file));
  } finally {
    await rm(draft, { force: true });
  }
}

/** Makes files that were created or renamed in `folder` survive a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
