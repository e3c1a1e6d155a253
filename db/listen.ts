import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import type { Connection } from './embedded.ts';

/** Time between attempts to listen again after the server went away. */
const RETRY_MS = 250;

/**
 * Hear what other processes tell on a channel, on a connection of its own, for as long as the process lives: after a
 * loss it listens again. What was told in between cannot be heard, so `hear` is also called each time listening begins.
 *
 * @returns a function that ends it
 * @throws what the first attempt fails with
 */
export async function listen(
  connection: Connection,
  channel: string,
  hear: () => void,
): Promise<() => Promise<void>> {
  const closing = new AbortController();
  let current = await attend(connection, channel, hear);

  const keep = async () => {
    for (;;) {
      await current.lost;
      // The driver would listen again by itself, but gives up when the server is not back at once.
      await current.end();
      if (closing.signal.aborted) return;
      await sleep(RETRY_MS, undefined, { signal: closing.signal }).catch(() => undefined);
      current = await attend(connection, channel, hear).catch(() => ABSENT);
    }
  };
  const keeping = keep();
  return async () => {
    closing.abort();
    await current.end();
    await keeping;
  };
}

type Attendance = { lost: Promise<void>; end: () => Promise<void> };

/** Nobody to hear: the next attempt follows. */
const ABSENT: Attendance = { lost: Promise.resolve(), end: async () => {} };

async function attend(connection: Connection, channel: string, hear: () => void): Promise<Attendance> {
  const { promise: lost, resolve } = withResolvers();
  const settings = { max: 1, connect_timeout: 5, fetch_types: false, onnotice: () => {}, onclose: resolve };
  const client =
    typeof connection === 'string'
      ? postgres(connection, settings)
      : postgres({ ...connection, ...settings });
  const end = async () => {
    await client.end({ timeout: 0 });
    resolve();
  };
  try {
    await client.listen(channel, hear);
  } catch (error) {
    await end();
    throw error;
  }
  hear();
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
