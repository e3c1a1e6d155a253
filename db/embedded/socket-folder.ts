import { chown, lstat, mkdtemp, rename, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DataLocation, hashOf } from './data-location.ts';

/** A socket's whole path must fit into 104 bytes on macOS, 108 on Linux. */
const LONGEST_SOCKET = 100;

/**
 * The folder for the server's socket, which none but the database's account may enter: the cluster itself; one in the system's temporary
 * folder when that path is too long, or holds a sign that PostgreSQL or the driver would read as a separator.
 */
export function socketFolderOf({ cluster }: DataLocation): string {
  const fits = Buffer.byteLength(join(cluster, '.s.PGSQL.5432.lock')) <= LONGEST_SOCKET;
  return fits && /^[\w./@+-]+$/.test(cluster) ? cluster : join(tmpdir(), `switchyard-${hashOf(cluster)}`);
}

/** Makes the folder when it is missing. Throws when someone else's stands in its place. */
export async function makeSocketFolder(folder: string, { cluster, account }: DataLocation): Promise<void> {
  if (folder === cluster) return;
  // made under another name, so that no other process meets it half made; a folder in use is not replaced
  const draft = await mkdtemp(`${folder}.`);
  if (account) await chown(draft, account.uid, account.gid);
  await rename(draft, folder).catch(() => rmdir(draft));
  const found = await lstat(folder);
  const isOurs = found.uid === (account?.uid ?? process.getuid?.());
  if (!found.isDirectory() || !isOurs || (found.mode & 0o077) !== 0) {
    throw new Error(`${folder} is not a private folder of the database's account: remove it`);
  }
}

/** Removes the folder if it was made for the socket and no other process uses it by now. */
export async function leaveSocketFolder(folder: string, { cluster }: DataLocation): Promise<void> {
  if (folder !== cluster) await rmdir(folder).catch(() => undefined);
}
