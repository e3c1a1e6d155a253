import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { forbidden, ServiceError } from '#server/kernel/errors.ts';
import type { Principal, Request } from '#server/kernel/procedures.ts';
import { basicOf, type Credential, cookieOf, credentialOf } from './credential.ts';
import { plainAddress, type ReadForwarded } from './proxies.ts';

/** Services that the HTTP face uses to identify the caller. */
export type Gate = {
  /** @throws ServiceError UNAUTHORIZED when the credential is wrong or expired, TOO_MANY_REQUESTS when throttled */
  principalOf: (
    credential: Credential,
    from: { address: string; requestId: string; background: boolean; withoutDatabase?: boolean },
  ) => Promise<Principal>;
  /** From the active profile (contract/resources#2.15, authenticationProps.cookieName). */
  cookieName: () => Promise<string>;
  allowedOrigins: () => Promise<readonly string[]>;
};

const SANE_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** A random prefix per process and a counter: a random id per request would cost more than routing it. */
const PROCESS = randomBytes(9).toString('base64url');
let counter = 0;
/** Returns a unique request id. */
export const newRequestId = () => {
  counter += 1;
  return `${PROCESS}-${counter.toString(36)}`;
};

/** Returns the caller's request id when it is well-formed, else a new one (contract/decisions#request-id). */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && SANE_ID.test(given) ? given : newRequestId();
}

/** The parts of a request that the service determines before any endpoint runs. */
export type IncomingRequest = {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  requestId: string;
  /** Network address of the client; forwarded addresses count only behind a trusted proxy. */
  address: string;
  /** Whether the client's connection is encrypted. */
  secure: boolean;
  /** The host that the client addressed, with its port unless that is the usual one. */
  host: string;
  /** Name of the account, once it is known: for the log line of the request. */
  account?: string;
};

/**
 * Returns what procedures see of a request; the caller is looked up only when an endpoint needs it.
 *
 * @param face the face of the request
 * @param token of the query string; null: it had none
 */
export function requestOf(
  arrival: IncomingRequest,
  gate: Gate,
  { face, token }: { face: Request['face']; token: string | null },
): Request {
  const { incoming, outgoing, requestId: id, address, secure } = arrival;
  let caller: Promise<Principal | null> | undefined;
  let left: AbortSignal | undefined;
  const present = async () => {
    // The cookie's name is looked up only for requests that send a cookie.
    const cookieName = incoming.headers.cookie === undefined ? '' : await gate.cookieName();
    return credentialOf(incoming, cookieName, token);
  };
  const authenticate = async (writes: boolean, unattended: boolean, withoutDatabase: boolean) => {
    const credential = await present();
    if (!credential) return null;
    if (credential.from === 'cookie') await assertSameOrigin(arrival, gate, writes);
    const background = unattended || incoming.headers['x-background'] === '1';
    const from = { address, requestId: id, background, withoutDatabase };
    const principal = await gate.principalOf(credential, from);
    arrival.account = principal.username;
    return principal;
  };
  return {
    id,
    face,
    address,
    secure,
    userAgent: incoming.headers['user-agent'] ?? '',
    ifMatch: incoming.headers['if-match'] ?? null,
    // No getter: each object with a getter has its own hidden class, which outlives the request (bench/http).
    origin: ownOriginOf(incoming, secure),
    cookie: (name) => cookieOf(incoming.headers.cookie ?? '', name),
    basic: () => basicOf(incoming),
    authenticate: (writes, background = false, withoutDatabase = false) => {
      caller ??= authenticate(writes, background, withoutDatabase);
      return caller;
    },
    gone: () => {
      left ??= leaving(outgoing);
      return left;
    },
    again: async () => {
      const credential = await present();
      if (!credential) throw new ServiceError('UNAUTHORIZED', 'Sign in first: no credential was presented');
      return gate.principalOf(credential, { address, requestId: id, background: true });
    },
  };
}

const HOST = /^[A-Za-z0-9.-]{1,253}(:\d{1,5})?$|^\[[0-9A-Fa-f:.]{2,45}\](:\d{1,5})?$/;

/** Returns the origin that a request names; undefined when its Host header is missing or malformed. */
const ownOriginOf = ({ headers: { host = '' } }: IncomingMessage, secure: boolean): string | undefined =>
  HOST.test(host) ? `${secure ? 'https' : 'http'}://${host}` : undefined;

/** Returns a signal that aborts when the connection closes before the response was written; its reason is no fault of ours. */
function leaving(outgoing: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const leave = () => controller.abort(new ServiceError('CLIENT_CLOSED_REQUEST', 'The client has left'));
  if (outgoing.destroyed && !outgoing.writableFinished) leave();
  else outgoing.once('close', () => outgoing.writableFinished || leave());
  return controller.signal;
}

/**
 * Protects against cross-site request forgery: browsers send the cookie from pages of any origin, so a write must come
 * from our own origin or a configured one (contract/decisions#3, #answers). Programs send neither of the two headers.
 *
 * @param writes whether the endpoint writes, including a GET that a link can reach
 * @throws ServiceError FORBIDDEN
 */
async function assertSameOrigin({ incoming, secure, host }: IncomingRequest, gate: Gate, writes: boolean) {
  const { method = 'GET', headers } = incoming;
  const isRead = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
  if (!writes && isRead) return;
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin === undefined) {
    // `none`: the user typed the address or opened a bookmark.
    if (site === undefined || site === 'same-origin' || (site === 'none' && isRead)) return;
    throw forbidden('A page of another origin may not write here');
  }
  if ((await gate.allowedOrigins()).includes(origin)) return;
  // Behind a proxy that terminates TLS the scheme may differ from ours; the browser itself then reports `same-origin`.
  const isOwn = origin === `${secure ? 'https' : 'http'}://${host}`;
  const isOwnHost = site === 'same-origin' && origin.replace(/^https?:\/\//, '') === host;
  if (isOwnHost || (isOwn && (site === undefined || site === 'same-origin'))) return;
  throw forbidden(
    'A page of another origin may not write here: to allow it, add it to ALLOWED_ORIGINS; if it is the console behind a proxy, let the proxy pass the header Host, or set PUBLIC_URL',
  );
}

/** The address, the encryption and the host of a request, with what trusted proxies report. */
export type Origin = Pick<IncomingRequest, 'address' | 'secure' | 'host'>;

/** Returns where a request comes from; what proxies report counts only from trusted ones (proxies.ts). */
export function originOf({ headers, socket }: IncomingMessage, forwarded: ReadForwarded): Origin {
  const reported = forwarded(headers, socket.remoteAddress);
  return {
    address: plainAddress(reported.address ?? socket.remoteAddress ?? 'unknown').slice(0, 64),
    secure: (socket as TLSSocket).encrypted || (reported.secure ?? false),
    host: reported.host ?? headers.host ?? '',
  };
}
