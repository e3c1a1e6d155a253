import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';

/** When clients that read nothing are disconnected. */
const LIMITS = {
  /** Time after which it is checked whether a client has read anything of an answer that waits for it, in milliseconds. */
  ms: 60_000,
  /** Most bytes of answers that wait for clients of which some have read nothing for a second. */
  mostBytes: 512 * 1024 * 1024,
};
/** Most requests of one connection that are not answered: no client needs more, and each is worked on at once. */
const MOST_REQUESTS = 32;
/** How often it is measured what waits, while there are requests, in milliseconds. */
const LOOK_MS = 250;
/** So many looks without progress, a second: not a time, because while this process is held up it sends nobody anything. */
const STALLED_LOOKS = 4;

/** What a connection had to send when it was last seen to progress, and at how many looks it has not since. */
type Progress = { bytes: number; queued: number | undefined; looks: number };

/**
 * Disconnects clients that stop reading their answers: each would hold the rest of the answer in memory, and an event
 * stream, for as long as it likes. An answer that is still being made, and a stream without events, wait for no reader.
 * Many large answers would fill the memory before that time is over, also of one connection whose client sends several requests at
 * once: then those that hold most are disconnected first. A client that sends more than 32 at once is disconnected.
 *
 * @param given other limits; a connection without progress is closed after `ms`, or twice as long
 */
export function endUnreadAnswers(server: Server | HttpsServer, given: Partial<typeof LIMITS> = {}): void {
  const { ms, mostBytes } = { ...LIMITS, ...given };
  const open = openAnswers();
  const seen = new WeakMap<Socket, Progress>();
  let isLooking = false;
  const look = () => {
    endLargest(waitingOf(open.answers), seen, mostBytes);
    isLooking = open.answers.size > 0;
    if (isLooking) setTimeout(look, LOOK_MS).unref();
  };
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (open.add(incoming.socket, outgoing) > MOST_REQUESTS) incoming.socket.destroy();
    if (!isLooking) setTimeout(look, LOOK_MS).unref();
    isLooking = true;
    outgoing.setTimeout(ms, () => {
      const { socket } = outgoing;
      if (socket && socket.writableLength > 0) socket.destroy();
    });
  });
}

/**
 * Keeps the answers of each connection that are not sent. Node closes only the first of those of a connection that is closed:
 * the others would be kept for ever. `add` returns how many the connection has.
 */
function openAnswers() {
  const answers = new Map<Socket, Set<ServerResponse>>();
  const watched = new WeakSet<Socket>();
  const add = (socket: Socket, outgoing: ServerResponse): number => {
    const own = answers.get(socket) ?? new Set();
    answers.set(socket, own.add(outgoing));
    outgoing.once('close', () => {
      own.delete(outgoing);
      if (own.size === 0 && answers.get(socket) === own) answers.delete(socket);
    });
    if (!watched.has(socket)) socket.once('close', () => answers.delete(socket));
    watched.add(socket);
    return own.size;
  };
  return { answers, add };
}

/** Returns how many bytes wait for each client: one that sends many requests at once has as many answers. */
const waitingOf = (answers: ReadonlyMap<Socket, ReadonlySet<ServerResponse>>): Map<Socket, number> =>
  new Map(
    [...answers].map(([socket, own]) => [
      socket,
      [...own].reduce((sum, { writableLength }) => sum + writableLength, 0),
    ]),
  );

/** Closes the connections without progress that hold most, until all together hold less than the limit. */
function endLargest(
  waiting: ReadonlyMap<Socket, number>,
  seen: WeakMap<Socket, Progress>,
  mostBytes: number,
): void {
  let total = 0;
  for (const [socket, bytes] of waiting) {
    total += bytes;
    const before = seen.get(socket);
    const queued = queuedIn(socket);
    const isSame = before !== undefined && bytes >= before.bytes && queued === before.queued;
    seen.set(socket, { bytes, queued, looks: isSame ? before.looks + 1 : 0 });
  }
  if (total <= mostBytes) return;
  for (const [socket, bytes] of [...waiting].sort(([, one], [, other]) => other - one)) {
    if (total <= mostBytes) return;
    if (bytes === 0 || (seen.get(socket)?.looks ?? 0) < STALLED_LOOKS) continue;
    socket.destroy();
    total -= bytes;
  }
}

/** Returns how much of what was written the operating system has not taken yet, by which Node itself sees progress. */
const queuedIn = (socket: Socket): number | undefined =>
  (socket as { _handle?: { writeQueueSize?: number } | null })._handle?.writeQueueSize;
