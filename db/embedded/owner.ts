import { rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

const socketOf = (folder: string) => join(folder, 'owner.sock');

/** Says that this process owns the server whose socket is in `folder`, for as long as it lives. Gives how to take that back. */
export async function claimOwnership(folder: string): Promise<() => Promise<void>> {
  const path = socketOf(folder);
  // only who started the server comes here: what lies there is a dead owner's
  await rm(path, { force: true });
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  server.unref();
  return () => new Promise((resolve) => server.close(() => resolve()));
}

/** Whether a process says that it owns the server whose socket is in `folder`. */
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
