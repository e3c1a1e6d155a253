import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { forbidden, ServiceError } from '#server/kernel/errors.ts';
import type { Principal, Request } from '#server/kernel/procedures.ts';
import { basicOf, type Credential, credentialOf } from '../credential.ts';

/** What the HTTP face needs to know of the service to tell who is calling. */
export type Gate = {
  /** @throws ServiceError UNAUTHORIZED when the credential is wrong or expired, TOO_MANY_REQUESTS when throttled */
  principalOf: (
    credential: Credential,
    from: { address: string; requestId: string; background: boolean },
  ) => Promise<Principal>;
  /** From the active profile (contract/resources#2.15, authenticationProps.cookieName). */
  cookieName: () => Promise<string>;
  allowedOrigins: () => Promise<readonly string[]>;
  trustProxy: boolean;
};

const SANE_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** Unlike any other process's, and counted: a random id for each would cost more than finding its endpoint. */
const PROCESS = randomBytes(9).toString('base64url');
let counter = 0;
/** Returns a request id that no other request has. */
export const newRequestId = () => {
  counter += 1;
  return `${PROCESS}-${counter.toString(36)}`;
};

/** The caller's request id when it is a sane one, else a new one (contract/decisions#request-id). */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && SANE_ID.test(given) ? given : newRequestId();
}

/** The parts of a request that the service looks at before any endpoint does. */
export type IncomingRequest = {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  requestId: string;
  /** Network address of the client, as far as the configuration trusts what a proxy says. */
  address: string;
  /** Whether the client's connection is encrypted. */
  secure: boolean;
  /** Name of the account, once it is known: for the log line of the request. */
  account?: string;
};

/** What a procedure may know of the request; the caller is looked up only when an endpoint asks. */
export function requestOf(
  arrival: IncomingRequest,
  gate: Gate,
  { face, token }: { face: Request['face']; token: string | null },
): Request {
  const { incoming, outgoing, requestId: id, address, secure } = arrival;
  let caller: Promise<Principal | null> | undefined;
  let left: AbortSignal | undefined;
  const present = async () => {
    // The cookie's name is looked up only for those who sent one.
    const cookieName = incoming.headers.cookie === undefined ? '' : await gate.cookieName();
    return credentialOf(incoming, cookieName, token);
  };
  const authenticate = async (writes: boolean, unattended: boolean) => {
    const credential = await present();
    if (!credential) return null;
    if (credential.from === 'cookie') await assertSameOrigin(arrival, gate, writes);
    const background = unattended || incoming.headers['x-background'] === '1';
    const principal = await gate.principalOf(credential, { address, requestId: id, background });
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
    // No getter: each object that has one gets a hidden class to itself, which outlives the request (bench/http).
    basic: () => basicOf(incoming),
    authenticate: (writes, background = false) => {
      caller ??= authenticate(writes, background);
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

/** Aborts when the connection ends before the answer was written. */
function leaving(outgoing: ServerResponse): AbortSignal {
  const controller = new AbortController();
  if (outgoing.destroyed && !outgoing.writableFinished) controller.abort();
  else outgoing.once('close', () => outgoing.writableFinished || controller.abort());
  return controller.signal;
}

/**
 * A browser sends the cookie along whoever wrote the page: a write must come from a page of ours, or of an origin that
 * the configuration names (contract/decisions#3, #answers). Programs send neither header.
 *
 * @param writes whether the endpoint does, also one that a link can reach
 * @throws ServiceError FORBIDDEN
 */
async function assertSameOrigin({ incoming, secure }: IncomingRequest, gate: Gate, writes: boolean) {
  const { method = 'GET', headers } = incoming;
  const isRead = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
  if (!writes && isRead) return;
  const { origin, host = '', 'sec-fetch-site': site } = headers;
  if (origin === undefined) {
    // `none`: the user typed the address or opened a bookmark.
    if (site === undefined || site === 'same-origin' || (site === 'none' && isRead)) return;
    throw forbidden('A page of another origin may not write here');
  }
  if ((await gate.allowedOrigins()).includes(origin)) return;
  // Behind a proxy that ends TLS the scheme may differ from ours; the browser itself then says that it is the same.
  const isOwn = origin === `${secure ? 'https' : 'http'}://${host}`;
  const isOwnHost = site === 'same-origin' && origin.replace(/^https?:\/\//, '') === host;
  if (isOwnHost || (isOwn && (site === undefined || site === 'same-origin'))) return;
  throw forbidden('A page of another origin may not write here; name it in ALLOWED_ORIGINS if it should');
}

/** The client's network address; what a proxy says counts only when the configuration trusts it. */
export function addressOf({ headers, socket }: IncomingMessage, trustProxy: boolean): string {
  const forwarded = trustProxy ? headers['x-forwarded-for'] : undefined;
  const told = forwarded === undefined ? '' : proxied(String(forwarded));
  const address = told || socket.remoteAddress || 'unknown';
  return address.replace(/^::ffff:(?=\d+\.)/i, '').slice(0, 64);
}

/** The last entry is the proxy's own; those before it are whatever the caller wrote. */
const proxied = (forwarded: string) => (forwarded.split(',').at(-1) ?? '').trim().replace(WITH_PORT, '$1$2');

/** Some proxies name the port too, which is another one with each connection: `[2001:db8::1]:443`, `192.0.2.1:443`. */
const WITH_PORT = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/;

/** Whether the client's connection is encrypted; what a proxy says counts only when the configuration trusts it. */
export function isSecure({ headers, socket }: IncomingMessage, trustProxy: boolean): boolean {
  return (socket as TLSSocket).encrypted || (trustProxy && headers['x-forwarded-proto'] === 'https');
}
