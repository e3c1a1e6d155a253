import { rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

const socketOf = (folder: string) => join(folder, 'owner.sock');

/** Claims the server whose socket is in `folder` for the life of this process, and returns a release function. */
export async function claimOwnership(folder: string): Promise<() => Promise<void>> {
  const path = socketOf(folder);
  // only the process that started the server gets here: an existing socket is left over from a dead owner
  await rm(path, { force: true });
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  server.unref();
  return () => new Promise((resolve) => server.close(() => resolve()));
}

/** Returns whether a live process claims the server whose socket is in `folder`. */
export function hasOwner(folder: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketOf(folder));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
