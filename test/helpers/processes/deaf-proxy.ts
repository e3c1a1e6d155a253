import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connection } from '#db/embedded.ts';

/** What the server says when a transaction, or a statement that is one, is committed: ready, and idle. */
const COMMITTED = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/**
 * A way to a database on which commits go unheard: what is sent reaches the server and is done, and the connection is cut
 * in the place of the answer.
 */
export async function openDeafProxy(database: Connection) {
  if (typeof database === 'string') throw new Error('a database behind a socket is needed');
  const { host, port } = database;
  const folder = await mkdtemp(join(tmpdir(), 'deaf-'));
  const open = new Set<Socket>();
  let sought = '';
  let left = 0;
  let isAway = false;
  const server = createServer((client) => {
    if (isAway) {
      client.destroy();
      return;
    }
    const upstream = connect(join(host, `.s.PGSQL.${port}`));
    let isDeaf = false;
    client.on('data', (data) => {
      if (left > 0 && data.includes(sought)) isDeaf = true;
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (!isDeaf || !data.subarray(-COMMITTED.length).equals(COMMITTED)) {
        client.write(data);
        return;
      }
      left -= 1;
      client.destroy();
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(join(folder, `.s.PGSQL.${port}`), resolve));
  return {
    connection: { ...database, host: folder },
    /** The commits of the next statements that hold this text are not heard. */
    hush(text: string, times: number): void {
      sought = text;
      left = times;
    },
    /** How many of them are still to come. */
    left: () => left,
    /** Cuts every connection, and accepts none until `back`. */
    away(): void {
      isAway = true;
      for (const one of open) one.destroy();
    },
    back(): void {
      isAway = false;
    },
    async close(): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const one of open) one.destroy();
      await closed;
      await rm(folder, { recursive: true });
    },
  };
}
