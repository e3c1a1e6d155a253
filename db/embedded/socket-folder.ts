import { chown, lstat, mkdtemp, rename, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DataLocation, hashOf } from './data-location.ts';

/** Longest socket path: the system allows 104 bytes on macOS, 108 on Linux. */
const LONGEST_SOCKET = 100;

/**
 * Returns the folder for the server's socket, which only the database's account may enter: the cluster itself, or a folder
 * in the system's temporary folder when the path is too long or has a character that PostgreSQL or the driver would read
 * as a separator.
 */
export function socketFolderOf({ cluster }: DataLocation): string {
  const fits = Buffer.byteLength(join(cluster, '.s.PGSQL.5432.lock')) <= LONGEST_SOCKET;
  return fits && /^[\w./@+-]+$/.test(cluster) ? cluster : join(tmpdir(), `switchyard-${hashOf(cluster)}`);
}

/** Creates the folder when it is missing. @throws Error when a folder of another account has its name */
export async function makeSocketFolder(folder: string, { cluster, account }: DataLocation): Promise<void> {
  if (folder === cluster) return;
  // Created under another name, so that no process sees it incomplete; a folder in use is not replaced.
  const draft = await mkdtemp(`${folder}.`);
  if (account) await chown(draft, account.uid, account.gid);
  await rename(draft, folder).catch(() => rmdir(draft));
  const found = await lstat(folder);
  const isOurs = found.uid === (account?.uid ?? process.getuid?.());
  if (!found.isDirectory() || !isOurs || (found.mode & 0o077) !== 0) {
    throw new Error(`${folder} is not a private folder of the database's account: remove it`);
  }
}

/** Removes the folder if it was created for the socket and no other process uses it. */
export async function leaveSocketFolder(folder: string, { cluster }: DataLocation): Promise<void> {
  if (folder !== cluster) await rmdir(folder).catch(() => undefined);
}
