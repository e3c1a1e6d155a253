import { createServer as createHttp, type Server } from 'node:http';
import { createServer as createHttps, type Server as HttpsServer } from 'node:https';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { createApp } from '#server/http/app.ts';
import { holdContinue } from '#server/http/input/body.ts';
import { discardUnreadBodies } from '#server/http/input/unread-bodies.ts';
import { listReaderOf } from '#server/http/lists.ts';
import { openApi } from '#server/http/openapi/served.ts';
import { endpoints } from '#server/http/operations.ts';
import {
  answerAdaptorError,
  answerProtocolErrors,
  isAmbiguous,
  unreadableRequest,
} from '#server/http/protocol-errors.ts';
import { endUnreadAnswers } from '#server/http/unread-answers.ts';
import type { Platform } from '#server/kernel/platform.ts';
import { type ComposeOptions, composePlatform } from './compose.ts';
import type { TlsPair } from './tls.ts';

/** Time in which a TLS handshake must end and the headers of a request must arrive, and the interval of checks, in milliseconds. */
const HEADERS_MS = 15_000;
const CHECK_MS = 5000;

/**
 * How long a connection may rest between two requests, in milliseconds: longer than the 600 s of the proxies that rest longest
 * (docs/decisions/0019). Who closes first must be the client: a request that is on its way when the service closes is lost.
 */
const KEEP_ALIVE_MS = 620_000;

/**
 * Composes a service: what a request needs, and an HTTP server that is not listening yet.
 *
 * @param parts with `unreadMs`, the time after which a client that reads nothing is disconnected, in milliseconds
 */
export function composeService(parts: ComposeOptions & { tls?: TlsPair; unreadMs?: number }) {
  const joined = composePlatform(parts);
  const { gate } = joined;
  const platform: Platform = {
    ...joined.platform,
    catalogue: endpoints,
    listReader: listReaderOf,
    openApi,
  };
  const app = createApp({ db: parts.db, platform, gate });
  const serverOptions = {
    headersTimeout: HEADERS_MS,
    connectionsCheckingInterval: CHECK_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Node would answer without a body.
    requireHostHeader: false,
  };
  const listener = getRequestListener(
    (request, env) => {
      const { incoming } = env as HttpBindings;
      // The rest of what arrived together with the request for which the connection was closed.
      if (incoming.socket.destroyed) return unreadableRequest(incoming);
      return isAmbiguous(incoming) ? unreadableRequest(incoming) : app.fetch(request, env as HttpBindings);
    },
    {
      // It would disconnect a client that still sends half a second after its answer.
      autoCleanupIncoming: false,
      errorHandler: (error) => answerAdaptorError(error, parts.log),
      // The name of the service for requests of HTTP/1.0, which may have no `Host`.
      hostname: 'localhost',
    },
  );
  const server: Server | HttpsServer = parts.tls
    ? createHttps({ ...serverOptions, ...parts.tls, handshakeTimeout: HEADERS_MS }, listener)
    : createHttp(serverOptions, listener);
  server.on('checkContinue', (incoming, outgoing) => {
    holdContinue(incoming, outgoing);
    server.emit('request', incoming, outgoing);
  });
  answerProtocolErrors(server, parts.log);
  discardUnreadBodies(server);
  endUnreadAnswers(server, { ...(parts.unreadMs && { ms: parts.unreadMs }) });
  return { ...joined, platform, server };
}
