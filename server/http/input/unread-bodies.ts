import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';

/** Most time in which an unread body is discarded, and longest pause in it, in milliseconds. */
const DISCARD_MS = 30_000;
const PAUSE_MS = 5000;

/**
 * Discards the rest of a body that is answered before it was read whole, such as one over a limit. Closing a connection
 * while its client still sends would reset it, and the client would lose the answer (RFC 9112 §9.6). A client that sends
 * for longer than 30 s, or pauses for 5 s, is disconnected.
 */
export function discardUnreadBodies(server: Server | HttpsServer): void {
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    outgoing.once('finish', () => {
      if (!incoming.complete) discard(incoming);
    });
  });
}

function discard(incoming: IncomingMessage) {
  const disconnect = () => incoming.socket.destroy();
  const deadline = setTimeout(disconnect, DISCARD_MS);
  const pause = setTimeout(disconnect, PAUSE_MS);
  incoming.on('data', () => pause.refresh()).resume();
  incoming.once('close', () => {
    clearTimeout(deadline);
    clearTimeout(pause);
  });
}
