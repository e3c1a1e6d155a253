import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Sends bytes as they are and returns all that is answered until the other side closes, the answer is complete, or nothing
 * more arrives for a while.
 *
 * @param quietMs time without an answer after which the connection is given up
 * @param complete matches an answer after which nothing is awaited
 */
export async function sendRaw(
  port: number,
  parts: readonly (string | Buffer)[],
  { quietMs = 1500, pauseMs = 0, complete }: { quietMs?: number; pauseMs?: number; complete?: RegExp } = {},
): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const chunks: Buffer[] = [];
  const ended = new Promise<void>((resolve) => {
    let timer = setTimeout(resolve, quietMs + parts.length * pauseMs);
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      clearTimeout(timer);
      if (complete?.test(Buffer.concat(chunks).toString('utf8'))) resolve();
      else timer = setTimeout(resolve, quietMs);
    });
    socket.on('error', () => resolve());
    socket.on('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  for (const part of parts) {
    if (socket.destroyed) break;
    socket.write(part);
    if (pauseMs > 0) await sleep(pauseMs);
  }
  await ended;
  socket.destroy();
  return Buffer.concat(chunks).toString('utf8');
}
