import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';

/** When clients that read nothing are disconnected. */
const LIMITS = {
  /** Time after which it is checked whether a client has read anything of an answer that waits for it, in milliseconds. */
  ms: 60_000,
  /** The same while answers of more than `mostBytes` wait for their clients. */
  hurryMs: 2000,
  mostBytes: 512 * 1024 * 1024,
};
/** How often it is measured what waits, while there are requests, in milliseconds. */
const LOOK_MS = 500;

/**
 * Disconnects clients that stop reading their answers: each would hold the rest of the answer in memory, and an event
 * stream, for as long as it likes. An answer that is still being made, and a stream without events, wait for no reader.
 * Many large answers would fill the memory before that time is over, also of one connection whose client sends many requests at
 * once: then only clients that go on reading are waited for.
 *
 * @param given other limits: times without progress after which a connection is closed, which may take twice as long
 */
export function endUnreadAnswers(server: Server | HttpsServer, given: Partial<typeof LIMITS> = {}): void {
  const { ms, hurryMs, mostBytes } = { ...LIMITS, ...given };
  const open = new Set<ServerResponse>();
  let timer: NodeJS.Timeout | undefined;
  let isHurried = false;
  const look = () => {
    let waiting = 0;
    for (const { writableLength } of open) waiting += writableLength;
    const hurries = waiting > mostBytes;
    if (hurries || isHurried) setLimits(open, hurries ? hurryMs : ms);
    isHurried = hurries;
    timer = open.size > 0 ? setTimeout(look, LOOK_MS).unref() : undefined;
  };
  server.on('request', (_: IncomingMessage, outgoing: ServerResponse) => {
    open.add(outgoing);
    timer ??= setTimeout(look, LOOK_MS).unref();
    outgoing.once('close', () => open.delete(outgoing));
    outgoing.setTimeout(ms, () => {
      const { socket } = outgoing;
      if (socket && socket.writableLength > 0) socket.destroy();
    });
  });
}

/** Gives connections with an answer another time without progress; it begins anew. */
function setLimits(open: Iterable<ServerResponse>, ms: number): void {
  for (const { socket } of open) if (socket && socket.timeout !== ms) socket.setTimeout(ms);
}
