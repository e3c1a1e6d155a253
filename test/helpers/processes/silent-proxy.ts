import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The message with which a server names its process: `K`, its length, the process and the key. */
const KEY = Buffer.from([0x4b, 0, 0, 0, 12]);

/**
 * Starts a proxy in front of a database. Its connections can fall silent, as when the machine is gone: nothing arrives, nothing is closed.
 *
 * @param upstream port of the database on this machine
 * @param hidesProcesses it gives connections other numbers of processes than the server's, as poolers do
 */
export async function openSilentProxy(upstream: number, { hidesProcesses = false } = {}) {
  const pairs = new Set<{ near: Socket; far: Socket }>();
  let answers = true;
  const server = createServer((near) => {
    if (!answers) {
      pairs.add({ near, far: near });
      return;
    }
    const far = connect(upstream, '127.0.0.1');
    pairs.add({ near, far });
    near.pipe(far);
    far.on('data', (data) => {
      const at = hidesProcesses ? data.indexOf(KEY) : -1;
      if (at >= 0) data.writeUInt32BE(1, at + KEY.length);
      near.write(data);
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on('error', () => undefined).on('close', () => other.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    /** Silences the connections that there are; the server's ends are closed. @param all new ones get no answer either */
    silence({ all = false } = {}): void {
      answers = !all;
      for (const { near, far } of pairs) {
        near.unpipe(far);
        far.removeAllListeners('close');
        far.removeAllListeners('data');
        far.destroy();
      }
    },
    close(): void {
      server.close();
      for (const { near, far } of pairs) {
        near.destroy();
        far.destroy();
      }
    },
  };
}
