import {
  type Agent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as plainRequest,
} from 'node:http';
import { request as secureRequest } from 'node:https';
import type { OrchestratorConnection } from '#db/schemas/network/adapter.ts';
import { hostFault } from '#server/kernel/targets/targets.ts';
import { checkedLookup } from '../lookup.ts';
import { contentOf } from './content-encoding.ts';
import { connectionFailed, rejectedBy, type Stage, tooSlow } from './failures.ts';
import type { HttpAnswer } from './ports.ts';

/** A request to another system, as it is sent. */
export type Exchange = {
  secure: boolean;
  /** Host name or address; IPv6 without brackets. */
  host: string;
  port: number | string | undefined;
  method: string;
  /** Absolute path including the query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array | undefined;
  tls?: object | undefined;
  /** Keeps connections open for later requests; absent: a new connection, closed afterwards. */
  agent?: Agent | undefined;
  /** Host of the proxy that the agent goes through. */
  through?: string | undefined;
};

/** Options of a request. */
export type ExchangeOptions = {
  /** Name of the remote system in error messages. */
  called: string;
  /** ALLOW_PRIVATE_TARGETS */
  allowPrivateTargets: boolean;
  connectMs: number;
  /** Total time in milliseconds, after which `deadline` aborts. */
  requestMs: number;
  deadline: AbortSignal;
  /** Signal of the caller; its reason is thrown as is. */
  cancelled?: AbortSignal;
  /** Maximum size of a response in bytes; longer responses are rejected. */
  most: number;
  /**
   * Responses are cut off instead, where they are longer, and where their body breaks, does not end in time or cannot be
   * decoded: the status says all that matters.
   */
  truncate?: boolean | undefined;
  /** Returns why a resolved address must not be used, or null. */
  permits?: ((address: string) => string | null) | undefined;
  /** Stage to report once connected. */
  stage?: Stage | undefined;
  /** Decompresses the response (gzip, br); `most` then counts what comes out. */
  decompress?: boolean | undefined;
};

/** A response as received. */
export type HttpReply = { status: number; headers: IncomingHttpHeaders; text: string };

/** Sends one request like `exchangeBytes`, and returns the body as text. @throws ServiceError as exchangeBytes */
export async function exchange(wire: Exchange, terms: ExchangeOptions): Promise<HttpReply> {
  const { status, headers, bytes } = await exchangeBytes(wire, terms);
  return { status, headers, text: bytes.toString('utf8') };
}

/**
 * Sends one request and reads the whole response. Redirects are not followed: a credential is sent only to the host that
 * it belongs to (contract/lifecycle#9).
 *
 * @throws ServiceError with `reason`, unless there is an HTTP response; the reason of `cancelled`
 */
export async function exchangeBytes(wire: Exchange, terms: ExchangeOptions): Promise<HttpAnswer> {
  const { host, secure, body } = wire;
  let stage: Stage = 'connect';
  const where = () => ({ adapter: terms.called, host, stage });
  const fault = hostFault(host, terms.allowPrivateTargets);
  if (fault) throw rejectedBy(where(), `the host ${fault}`, 'TARGET_DENIED');
  const { deadline, cancelled } = terms;
  cancelled?.throwIfAborted();
  return new Promise<HttpAnswer>((resolve, reject) => {
    // Invalid PEM text, or a character that no header may contain, throws synchronously.
    let sent: ReturnType<typeof plainRequest>;
    try {
      sent = (secure ? secureRequest : plainRequest)({
        // The agent of a proxy finds connections to use again by it.
        protocol: secure ? 'https:' : 'http:',
        host,
        port: wire.port,
        method: wire.method,
        path: wire.path,
        headers: wire.headers,
        lookup: checkedLookup(terms.allowPrivateTargets, terms.permits),
        signal: cancelled ? AbortSignal.any([cancelled, deadline]) : deadline,
        agent: wire.agent ?? false,
        ...(secure && wire.tls),
      });
    } catch (error) {
      return reject(connectionFailed(where(), error as Error));
    }
    let hasResponse = false;
    const impatience = setTimeout(() => {
      reject(tooSlow(where(), terms.connectMs));
      sent.destroy();
    }, terms.connectMs);
    const failed = (error: Error) => {
      clearTimeout(impatience);
      if (cancelled?.aborted) return reject(cancelled.reason);
      reject(
        deadline.aborted
          ? tooSlow(where(), terms.requestMs)
          : connectionFailed(where(), error, stage === 'connect' ? wire.through : undefined),
      );
    };
    let ended = failed;
    const connected = () => {
      clearTimeout(impatience);
      stage = terms.stage ?? 'request';
    };
    sent.on('socket', (socket) => {
      // A connection that a proxy has made is open already.
      if (sent.reusedSocket || (!secure && !socket.connecting)) connected();
      else socket.once(secure ? 'secureConnect' : 'connect', connected);
    });
    sent.on('error', (error) => ended(error));
    const proxyRejects = (status: number) => {
      clearTimeout(impatience);
      const why = status === 407 ? 'the proxy rejects the credentials' : `the proxy answered ${status}`;
      const message = `no connection through ${wire.through}: ${why}`;
      reject(rejectedBy(where(), message, 'PROXY_REFUSED', status >= 500));
      sent.destroy();
    };
    // A proxy that makes no tunnel answers in place of the other system.
    sent.on('proxyConnect', ({ statusCode = 200 }: { statusCode?: number }) => {
      if (statusCode !== 200) proxyRejects(statusCode);
    });
    // A server that answers 101 to a request which asks for no other protocol: there is neither a response nor an error then.
    sent.on('close', () => {
      if (!hasResponse) failed(Object.assign(new Error('closed without a response'), { code: 'ECONNRESET' }));
    });
    sent.on('response', (got: IncomingMessage) => {
      hasResponse = true;
      if (wire.through !== undefined && got.statusCode === 407) return proxyRejects(407);
      const parts: Buffer[] = [];
      let size = 0;
      const content = terms.decompress ? contentOf(got, wire.method) : got;
      const answered = () =>
        resolve({ status: got.statusCode ?? 0, headers: got.headers, bytes: Buffer.concat(parts) });
      if (terms.truncate) {
        ended = (error) => (cancelled?.aborted ? failed(error) : answered());
        if (content === null) {
          answered();
          return void sent.destroy();
        }
      }
      if (content === null) {
        reject(rejectedBy(where(), 'the answer is compressed in a way that was not asked for', 'BROKEN'));
        return void sent.destroy();
      }
      if (content !== got)
        content.on('error', (error) => {
          ended(error);
          sent.destroy();
        });
      content.on('data', (part: Buffer) => {
        size += part.length;
        if (size <= terms.most) return void parts.push(part);
        const limit = `${terms.most / 1024 / 1024} MiB`;
        if (terms.truncate) answered();
        else reject(rejectedBy(where(), `the response is longer than ${limit}`, 'OUTPUT_LIMIT'));
        sent.destroy();
      });
      got.on('error', (error) => ended(error));
      got.on('aborted', () => ended(Object.assign(new Error('aborted'), { code: 'ECONNRESET' })));
      content.on('end', answered);
    });
    sent.end(body);
  });
}

/** Returns the TLS options of an adapter's document in Node's format. */
export const tlsOf = ({ tls }: OrchestratorConnection) => ({
  rejectUnauthorized: tls?.rejectUnauthorized !== false,
  ...(tls?.ca && { ca: tls.ca }),
  ...(tls?.cert && { cert: tls.cert }),
  ...(tls?.key && { key: tls.key }),
});
