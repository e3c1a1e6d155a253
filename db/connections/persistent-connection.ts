import { setTimeout as sleep } from 'node:timers/promises';
import postgres, { type Sql } from 'postgres';
import type { Connection } from '../embedded.ts';

/** Time between attempts to connect again after the server went away. */
const RETRY_MS = 250;

/**
 * Keep a connection of its own for as long as the process lives: what listens, or holds a lock, does so on one session.
 * After a loss another is made.
 *
 * @param begin what a new connection starts with
 * @param notified told of each notification on a channel that the connection listens to
 * @returns a function that ends it
 * @throws what the first attempt fails with
 */
export async function keepConnected(
  connection: Connection,
  begin: (client: Sql) => Promise<unknown>,
  notified?: (channel: string) => void,
): Promise<() => Promise<void>> {
  const closing = new AbortController();
  const attendance = () => connect(connection, begin, notified, closing.signal);
  let current = await attendance();

  const keep = async () => {
    for (;;) {
      await current.lost;
      // The driver would connect again by itself, but gives up when the server is not back at once.
      await current.end();
      if (closing.signal.aborted) return;
      await sleep(RETRY_MS, undefined, { signal: closing.signal }).catch(() => undefined);
      current = await attendance().catch(() => ABSENT);
    }
  };
  const keeping = keep();
  return async () => {
    closing.abort();
    await keeping;
  };
}

type PersistentConnection = { lost: Promise<void>; end: () => Promise<void> };

/** Nobody there: the next attempt follows. */
const ABSENT: PersistentConnection = { lost: Promise.resolve(), end: async () => {} };

async function connect(
  connection: Connection,
  begin: (client: Sql) => Promise<unknown>,
  notified: ((channel: string) => void) | undefined,
  closing: AbortSignal,
): Promise<PersistentConnection> {
  const { promise: lost, resolve } = withResolvers();
  const settings = {
    max: 1,
    connect_timeout: 5,
    fetch_types: false,
    onnotice: () => {},
    onclose: resolve,
    // The driver takes it; its types know only of `listen`, which opens a connection whose loss it tells nobody.
    ...(notified && { onnotify: notified }),
  };
  const client =
    typeof connection === 'string'
      ? postgres(connection, settings)
      : postgres({ ...connection, ...settings });
  const end = async () => {
    closing.removeEventListener('abort', end);
    await client.end({ timeout: 0 });
    resolve();
  };
  // Also one that has not begun yet, and may wait for what others hold: nobody else would ever end it.
  closing.addEventListener('abort', end);
  if (closing.aborted) await end();
  try {
    await begin(client);
  } catch (error) {
    await end();
    throw error;
  }
  return { lost, end };
}

/** Promise.withResolvers, which Node 20 does not have. */
function withResolvers() {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
