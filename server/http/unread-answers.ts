import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';

/** Time after which it is checked whether a client has read anything of an answer that waits for it, in milliseconds. */
const UNREAD_MS = 60_000;

/**
 * Disconnects clients that stop reading their answers: each would hold the rest of the answer in memory, and an event
 * stream, for as long as it likes. An answer that is still being made, and a stream without events, wait for no reader.
 *
 * @param ms time without progress after which the connection is closed, in milliseconds; it may take twice as long
 */
export function endUnreadAnswers(server: Server | HttpsServer, ms = UNREAD_MS): void {
  server.on('request', (_: IncomingMessage, outgoing: ServerResponse) => {
    outgoing.setTimeout(ms, () => {
      const { socket } = outgoing;
      if (socket && socket.writableLength > 0) socket.destroy();
    });
  });
}
