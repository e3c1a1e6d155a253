import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from 'postgres';
import type { Connection } from '../embedded.ts';
import { openClient } from './connect.ts';
import { beginSession, END_IF_UNHEARD } from './session-settings.ts';
import { countUnanswered, pidOf, watchForSilence } from './silence.ts';

/** Time between attempts to reconnect after the server went away. */
const RETRY_MS = 250;
/** Interval between two statements that do nothing: a connection that only listens would not notice that it is lost. */
const PULSE_MS = 10_000;
const NOTHING = 'select 1';
/** The first statement. What waits for a lock has no time limit. */
const BEGIN = beginSession({ statement_timeout: '0', ...END_IF_UNHEARD });

/**
 * Keeps a dedicated connection open for the life of the process, for listening or for holding a lock, which both belong
 * to one session. A lost connection is replaced.
 *
 * @param begin runs first on each new connection
 * @param notified called with the channel and the payload of each notification that the connection receives
 * @returns a function that closes the connection
 * @throws the error of the first connection attempt
 */
export async function keepConnected(
  connection: Connection,
  begin: (client: Sql) => Promise<unknown>,
  notified?: (channel: string, payload: string) => void,
): Promise<() => Promise<void>> {
  const closing = new AbortController();
  const attendance = () => connect(connection, begin, notified, closing.signal);
  let current = await attendance();

  const keep = async () => {
    for (;;) {
      await current.lost;
      // The driver would reconnect by itself, but gives up when the server does not return at once.
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

/** Placeholder for a connection that could not be made: it counts as lost, so the next attempt follows. */
const ABSENT: PersistentConnection = { lost: Promise.resolve(), end: async () => {} };

async function connect(
  connection: Connection,
  begin: (client: Sql) => Promise<unknown>,
  notified: ((channel: string, payload: string) => void) | undefined,
  closing: AbortSignal,
): Promise<PersistentConnection> {
  const { promise: lost, resolve } = withResolvers();
  const settings = {
    max: 1,
    connect_timeout: 5,
    fetch_types: false,
    onnotice: () => {},
    onclose: resolve,
    // The driver accepts it; its types only cover `listen`, whose own connection does not report disconnects.
    ...(notified && { onnotify: notified }),
  };
  const client = openClient(connection, settings);
  const { sent, answered, since } = countUnanswered();
  let pid: number | undefined;
  const answerTo = async (work: PromiseLike<unknown>) => {
    sent();
    try {
      await work;
    } finally {
      answered();
    }
  };
  const answering = { since, pid: () => pid, lose: () => void end() };
  const endWatch = watchForSilence(connection, () => [answering]);
  let pulse: NodeJS.Timeout | undefined;
  const end = async () => {
    closing.removeEventListener('abort', end);
    endWatch();
    clearInterval(pulse);
    await client.end({ timeout: 0 });
    resolve();
  };
  // Also close a connection whose `begin` still waits for a lock of another session: nothing else would ever end it.
  closing.addEventListener('abort', end);
  if (closing.aborted) await end();
  try {
    const first = client.unsafe(BEGIN);
    await answerTo(first);
    pid = pidOf(first);
    await answerTo(begin(client));
    // A lost connection rejects it, and is reported by `onclose`.
    pulse = setInterval(() => answerTo(client.unsafe(NOTHING)).catch(() => undefined), PULSE_MS).unref();
  } catch (error) {
    await end();
    throw error;
  }
  return { lost, end };
}

/** Replaces Promise.withResolvers, which Node 20 does not have. */
function withResolvers() {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
