import type { Sql } from 'postgres';
import type { Connection } from '../embedded.ts';
import { openClient } from './connect.ts';

/*
 * Connections that have become silent (docs/decisions/0184). A server that is gone with its machine, or a firewall that has
 * forgotten a connection, closes nothing: the statement under way would wait for a quarter of an hour, or for ever behind a
 * proxy that still accepts what is sent.
 */

/** A connection of which an answer may be due. */
export type Answering = {
  since: Unanswered['since'];
  /** The server's process for this connection; undefined until it is known. */
  pid: () => number | undefined;
  /** Gives the connection up. */
  lose: () => void;
};

/** What was sent over one connection and has no answer yet. */
export type Unanswered = {
  /** Notes a statement that was sent. */
  sent: () => void;
  /** Notes the answer to the oldest one. */
  answered: () => void;
  /** When the connection last moved, by `performance.now()`: its last answer, or the first statement; undefined: nothing is due. */
  since: () => number | undefined;
};

/**
 * Counts what has no answer yet. One for each connection: functions for each statement would outlive it (decision 0178).
 *
 * @returns the count of a connection over which nothing was sent
 */
export function countUnanswered(): Unanswered {
  let count = 0;
  let moved = 0;
  return {
    sent: () => {
      if (count === 0) moved = performance.now();
      count += 1;
    },
    answered: () => {
      count -= 1;
      moved = performance.now();
    },
    since: () => (count > 0 ? moved : undefined),
  };
}

/** How often connections are looked at, in milliseconds; only one that waits costs a question to the server. */
const LOOK_MS = 1000;
/** An answer that takes longer is asked about, and again each time it has taken twice as long, in milliseconds. */
const SILENT_MS = 3000;
/** The server counts as gone when this many questions in succession get no answer; each waits for three seconds. */
const UNANSWERED = 2;

/**
 * Looks for connections whose server does not work on what was sent to it, until the returned function is called. Whether it does
 * is asked over a connection of its own, so that a slow statement is never taken for a lost one. Behind a pooler, which hides the
 * server's processes, only a server that answers nothing at all is noticed.
 *
 * @param connection of the database
 * @param answering returns the connections at that moment
 * @returns a function that ends the watch
 */
export function watchForSilence(connection: Connection, answering: () => Iterable<Answering>): () => void {
  const asked = new WeakMap<Answering, number>();
  let isAsking = false;
  let unanswered = 0;

  /** Returns those that wait for so long that it is time to ask. */
  const overdue = (now: number): Answering[] =>
    [...answering()].filter((one) => {
      const since = one.since();
      if (since === undefined || one.pid() === undefined) {
        asked.delete(one);
        return false;
      }
      return now - since >= Math.max(SILENT_MS, 2 * ((asked.get(one) ?? since) - since));
    });

  const look = async () => {
    const now = performance.now();
    const silent = overdue(now);
    if (isAsking || silent.length === 0) return;
    isAsking = true;
    const known = [...answering()].map((one) => ({ one, pid: one.pid() }));
    const found = await processesOf(connection).finally(() => {
      isAsking = false;
    });
    // Some may have had their answers meanwhile.
    const waiting = silent.filter((one) => (one.since() ?? now) <= now - SILENT_MS);
    if (found === 'no answer') {
      unanswered += 1;
      if (unanswered >= UNANSWERED) loseAll(waiting);
      return;
    }
    unanswered = 0;
    for (const one of waiting) asked.set(one, now);
    if (found === 'hidden') return;
    loseAll(waiting.filter((one) => found.get(one.pid() ?? 0) !== true));
    // What the server does not know at all is lost as well, before anybody waits for it.
    loseAll(known.flatMap(({ one, pid }) => (pid !== undefined && !found.has(pid) ? [one] : [])));
  };
  return everySecond(() => void look());
}

const loseAll = (lost: readonly Answering[]): void => {
  for (const one of lost) one.lose();
};

/** How often a session that works for long is asked about, and how many questions in succession may have no answer. */
const SESSION_MS = 10_000;
const SESSION_UNANSWERED = 3;

/**
 * Watches one session that may work for hours, such as that of a backup, until the returned function is called.
 *
 * @param pid the server's process for it. It must end by itself when this machine confirms nothing (`tcp_user_timeout`)
 * @param lose called once the server does not know the session any more, or does not answer at all
 * @returns ends the watch
 */
export function watchSession(connection: Connection, pid: number, lose: () => void): () => void {
  let unanswered = 0;
  const look = async () => {
    const found = await processesOf(connection);
    unanswered = found === 'no answer' ? unanswered + 1 : 0;
    if (unanswered >= SESSION_UNANSWERED || (found instanceof Map && !found.has(pid))) lose();
  };
  const timer = setInterval(() => void look(), SESSION_MS);
  return () => clearInterval(timer);
}

const looks = new Set<() => void>();
let timer: NodeJS.Timeout | undefined;

/** Calls a function every second, all of them together: each time at which an idle process wakes costs as much as the calls. */
function everySecond(look: () => void): () => void {
  looks.add(look);
  timer ??= setInterval(() => {
    for (const one of looks) one();
  }, LOOK_MS).unref();
  return () => {
    looks.delete(look);
    if (looks.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** A process that has been idle for so long does not work on a statement that was sent before. */
const PROCESSES = `select pg_backend_pid() as own, array_to_json(array(select array[pid,
    (coalesce(state not like 'idle%', true) or state_change > clock_timestamp() - interval '2 s')::int]
  from pg_stat_activity where pid is not null))::text as all`;
const LONGEST_S = 3;

/**
 * Asks the server for its processes.
 *
 * @returns whether each works, by its number; `hidden` where the server does not say; `no answer` where none can be had
 */
async function processesOf(connection: Connection): Promise<Map<number, boolean> | 'hidden' | 'no answer'> {
  const client = clientOf(connection);
  // A file of TLS that cannot be read says nothing about the server.
  if (!client) return 'hidden';
  const tooLate = setTimeout(() => void client.end({ timeout: 0 }), LONGEST_S * 1000);
  const statement = client.unsafe<{ own: number; all: string }[]>(PROCESSES);
  try {
    const [row] = await statement;
    // A pooler gives a connection another number than the server does.
    if (!row || row.own !== pidOf(statement)) return 'hidden';
    return new Map((JSON.parse(row.all) as [number, number][]).map(([pid, works]) => [pid, works === 1]));
  } catch (error) {
    // A server that rejects the connection responds.
    return (error as { severity?: string }).severity === undefined ? 'no answer' : 'hidden';
  } finally {
    clearTimeout(tooLate);
    void client.end({ timeout: 0 });
  }
}

function clientOf(connection: Connection): Sql | undefined {
  try {
    return openClient(connection, {
      max: 1,
      connect_timeout: LONGEST_S,
      fetch_types: false,
      prepare: false,
      onnotice: () => undefined,
    });
  } catch {
    return undefined;
  }
}

/** Returns the server's process that a statement of postgres.js (3.4.9) was sent to; the driver uses it to cancel statements. */
export const pidOf = (statement: object): number | undefined =>
  (statement as { state?: { pid: number | null } | null }).state?.pid ?? undefined;
