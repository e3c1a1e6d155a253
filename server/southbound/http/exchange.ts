import { type IncomingHttpHeaders, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { OrchestratorConnection } from '#db/schemas/network/adapter.ts';
import { hostFault } from '#server/kernel/targets/targets.ts';
import { checkedLookup } from '../lookup.ts';
import { connectionFailed, refusedBy, type Stage, tooSlow } from './failures.ts';

/** A request to another system, as it goes on the wire. */
export type Exchange = {
  secure: boolean;
  /** Name or address, an IPv6 one without its brackets. */
  host: string;
  port: number | string | undefined;
  method: string;
  /** Absolute path with its query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
  tls?: object | undefined;
};

/** How it is sent. */
export type ExchangeOptions = {
  /** What messages call the other side. */
  called: string;
  /** ALLOW_PRIVATE_TARGETS */
  allowNear: boolean;
  connectMs: number;
  /** Time for all of it, which ends with `deadline`. */
  requestMs: number;
  deadline: AbortSignal;
  /** The caller's own: its reason is what is thrown. */
  cancelled?: AbortSignal;
  /** Most bytes of an answer: what is longer is refused, not cut. */
  most: number;
  /** Why an address that the host resolves to may not be dialled; null when it may. */
  permits?: ((address: string) => string | null) | undefined;
  /** Where it is once it is connected. */
  stage?: Stage | undefined;
};

/** An answer as it came. */
export type HttpReply = { status: number; headers: IncomingHttpHeaders; text: string };

/**
 * Sends one request over a connection of its own and reads the whole answer. No redirect is followed: a credential goes to
 * the host that it is for (contract/lifecycle#9).
 *
 * @throws ServiceError with `reason`, for all but an answer of HTTP; the reason of `cancelled`
 */
export async function exchange(wire: Exchange, terms: ExchangeOptions): Promise<HttpReply> {
  const { host, secure, body } = wire;
  let stage: Stage = 'connect';
  const where = () => ({ adapter: terms.called, host, stage });
  const fault = hostFault(host, terms.allowNear);
  if (fault) throw refusedBy(where(), `the host ${fault}`, 'TARGET_DENIED');
  const { deadline, cancelled } = terms;
  cancelled?.throwIfAborted();
  return new Promise<HttpReply>((resolve, reject) => {
    // Wrong PEM text, or a sign that no header can carry, is thrown at once.
    let sent: ReturnType<typeof plainRequest>;
    try {
      sent = (secure ? secureRequest : plainRequest)({
        host,
        port: wire.port,
        method: wire.method,
        path: wire.path,
        headers: wire.headers,
        lookup: checkedLookup(terms.allowNear, terms.permits),
        signal: cancelled ? AbortSignal.any([cancelled, deadline]) : deadline,
        agent: false,
        ...(secure && wire.tls),
      });
    } catch (error) {
      return reject(connectionFailed(where(), error as Error));
    }
    const impatience = setTimeout(() => {
      reject(tooSlow(where(), terms.connectMs));
      sent.destroy();
    }, terms.connectMs);
    const failed = (error: Error) => {
      clearTimeout(impatience);
      if (cancelled?.aborted) return reject(cancelled.reason);
      reject(deadline.aborted ? tooSlow(where(), terms.requestMs) : connectionFailed(where(), error));
    };
    sent.on('socket', (socket) =>
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        clearTimeout(impatience);
        stage = terms.stage ?? 'request';
      }),
    );
    sent.on('error', failed);
    sent.on('response', (got: IncomingMessage) => {
      const parts: Buffer[] = [];
      let size = 0;
      got.on('data', (part: Buffer) => {
        size += part.length;
        if (size <= terms.most) return void parts.push(part);
        const limit = `${terms.most / 1024 / 1024} MiB`;
        reject(refusedBy(where(), `the answer is longer than ${limit}`, 'OUTPUT_LIMIT'));
        sent.destroy();
      });
      got.on('error', failed);
      got.on('aborted', () => failed(Object.assign(new Error('aborted'), { code: 'ECONNRESET' })));
      got.on('end', () => {
        const text = Buffer.concat(parts).toString('utf8');
        resolve({ status: got.statusCode ?? 0, headers: got.headers, text });
      });
    });
    sent.end(body);
  });
}

/** What an adapter's document says of TLS, as Node takes it. */
export const tlsOf = ({ tls }: OrchestratorConnection) => ({
  rejectUnauthorized: tls?.rejectUnauthorized !== false,
  ...(tls?.ca && { ca: tls.ca }),
  ...(tls?.cert && { cert: tls.cert }),
  ...(tls?.key && { key: tls.key }),
});
