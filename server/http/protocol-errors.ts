import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { RequestError } from '@hono/node-server';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import type { Logger } from 'pino';
import { newRequestId, requestIdOf } from './input/request.ts';
import { baseHeaders, JSON_TYPE } from './rest.ts';

type ProtocolError = Error & { code?: string };
type ErrorResponse = { status: string; code: string; message: string };

/**
 * Responds to what Node's HTTP parser rejects before a request exists, in the common error shape: malformed HTTP,
 * headers over 16 KiB, requests that do not arrive in time; and expectations other than `100-continue`.
 */
export function answerProtocolErrors(server: Server, log: Pick<Logger, 'debug'>): void {
  server.on('clientError', (error: ProtocolError, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable || isHandshaking(socket)) {
      socket.destroy();
      return;
    }
    const requestId = newRequestId();
    const { status, code, message } = errorResponseOf(error.code);
    log.debug({ requestId, code, reason: error.code }, 'rejected before it was parsed');
    const common = { code, message, requestId };
    // Whether a typed client sent the query is not known: it would report an answer that it cannot read.
    const isQuery = error.code === 'HPE_HEADER_OVERFLOW';
    const body = JSON.stringify(isQuery ? { ...common, error: typedError(message, requestId) } : common);
    const headers = {
      ...jsonHeaders(requestId),
      'Content-Length': Buffer.byteLength(body),
      Connection: 'close',
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`, () => socket.destroy());
  });
  server.on('checkExpectation', (incoming, outgoing) => {
    const requestId = requestIdOf(incoming);
    const message = 'The only expectation that can be met is 100-continue';
    outgoing.writeHead(417, { ...jsonHeaders(requestId), Connection: 'close' });
    outgoing.end(JSON.stringify({ code: 'BAD_REQUEST', message, requestId }));
  });
}

/** Returns whether a TLS handshake has not ended: an answer would wait for that, and the connection would stay open with it. */
const isHandshaking = (socket: Duplex): boolean =>
  socket instanceof TLSSocket && socket.getPeerFinished() === undefined;

/** Returns 431 as tRPC's clients read an error. */
const typedError = (message: string, requestId: string) => ({
  message,
  code: TRPC_ERROR_CODES_BY_KEY.BAD_REQUEST,
  data: { code: 'BAD_REQUEST', httpStatus: 431, requestId },
});

/**
 * Returns whether a request does not say which host it means, or who sends it: it lacks the `Host` that HTTP/1.1 requires, or has
 * several of it or of `Authorization`, of which a proxy may read another one (RFC 9112 §3.2, RFC 9110 §5.3). HTTP/1.0, which health
 * checks use, has no host.
 */
export function isAmbiguous({ httpVersion, rawHeaders }: IncomingMessage): boolean {
  let [hosts, credentials] = [0, 0];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    else if (name?.length === 13 && name.toLowerCase() === 'authorization') credentials += 1;
  }
  return hosts > 1 || credentials > 1 || (hosts === 0 && httpVersion === '1.1');
}

/** Returns the answer to a request whose target, `Host` or `Authorization` cannot be read, such as `OPTIONS *`. */
export const unreadableRequest = (incoming?: IncomingMessage): Response =>
  errorResponse(400, {
    code: 'PARSE_ERROR',
    message: 'The target, the Host or the Authorization of the request is not valid',
    requestId: incoming ? requestIdOf(incoming) : newRequestId(),
  });

type ErrorBody = { code: string; message: string; requestId: string };

const errorResponse = (status: number, body: ErrorBody): Response =>
  Response.json(body, { status, headers: jsonHeaders(body.requestId) });

const jsonHeaders = (requestId: string) => ({
  ...baseHeaders({ requestId, secure: false }),
  'Content-Type': JSON_TYPE,
});

/**
 * Answers what the HTTP adaptor throws: a request that it cannot read, or a fault.
 *
 * @param error that the adaptor of the HTTP server caught
 */
export function answerAdaptorError(error: unknown, log: Pick<Logger, 'error'>): Response {
  if (error instanceof RequestError) return unreadableRequest();
  const requestId = newRequestId();
  log.error({ err: error, requestId }, 'internal error');
  return errorResponse(500, { code: 'INTERNAL_SERVER_ERROR', message: 'Internal error', requestId });
}

function errorResponseOf(code = ''): ErrorResponse {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return {
        status: '431 Request Header Fields Too Large',
        code: 'BAD_REQUEST',
        message: 'The URL and the headers together are larger than 16 KiB: send long input in a body',
      };
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return {
        status: '413 Payload Too Large',
        code: 'PAYLOAD_TOO_LARGE',
        message: 'The chunk extensions of the body are too large',
      };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return {
        status: '408 Request Timeout',
        code: 'TIMEOUT',
        message: 'The request did not arrive in time; send it again',
      };
    default:
      return { status: '400 Bad Request', code: 'PARSE_ERROR', message: 'The request is not valid HTTP/1.1' };
  }
}
