import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { forbidden, ServiceError } from '#server/errors.ts';
import type { Principal, Request } from '#server/trpc.ts';
import { basicOf, type Credential, credentialOf } from './credential.ts';

/** What the HTTP face needs to know of the service to tell who is calling. */
export type Gate = {
  /** @throws ServiceError UNAUTHORIZED when the credential is wrong or expired, TOO_MANY_REQUESTS when throttled */
  principalOf: (
    credential: Credential,
    from: { address: string; requestId: string; background: boolean },
  ) => Promise<Principal>;
  /** From the active profile (interface §2.15, authenticationProps.cookieName). */
  cookieName: () => Promise<string>;
  allowedOrigins: () => Promise<readonly string[]>;
  trustProxy: boolean;
};

const SANE_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** Unlike any other process's, and counted: a random id for each would cost more than finding its endpoint. */
const PROCESS = randomBytes(9).toString('base64url');
let counter = 0;
const newRequestId = () => {
  counter += 1;
  return `${PROCESS}-${counter.toString(36)}`;
};

/** The caller's request id when it is a sane one, else a new one (decisions §1, Request id). */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && SANE_ID.test(given) ? given : newRequestId();
}

/** What a procedure may know of the request; the caller is looked up only when an endpoint asks. */
export function requestOf(
  { incoming, outgoing }: { incoming: IncomingMessage; outgoing: ServerResponse },
  gate: Gate,
  { id, face, token }: { id: string; face: Request['face']; token: string | null },
): Request {
  const address = addressOf(incoming, gate.trustProxy);
  const secure = schemeOf(incoming, gate.trustProxy) === 'https';
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
    if (credential.from === 'cookie') await assertSameOrigin(incoming, gate, writes);
    const background = unattended || incoming.headers['x-background'] === '1';
    return gate.principalOf(credential, { address, requestId: id, background });
  };
  return {
    id,
    face,
    address,
    secure,
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
 * A browser sends the cookie along whoever wrote the page: a write must come from a page of ours (decisions §3).
 *
 * @param writes whether the endpoint does, also one that a link can reach
 * @throws ServiceError FORBIDDEN
 */
async function assertSameOrigin(incoming: IncomingMessage, gate: Gate, writes: boolean) {
  const { method = 'GET', headers } = incoming;
  if (!writes && (method === 'GET' || method === 'HEAD' || method === 'OPTIONS')) return;
  const origin = headers.origin;
  if (origin === undefined) {
    if (headers['sec-fetch-site'] === 'cross-site')
      throw forbidden('A page of another site may not write here');
    return;
  }
  const own = `${schemeOf(incoming, gate.trustProxy)}://${headers.host ?? ''}`;
  if (origin === own || (await gate.allowedOrigins()).includes(origin)) return;
  throw forbidden('A page of another origin may not write here; name it in ALLOWED_ORIGINS if it should');
}

function addressOf({ headers, socket }: IncomingMessage, trustProxy: boolean): string {
  const forwarded = trustProxy ? headers['x-forwarded-for'] : undefined;
  const told = forwarded === undefined ? '' : proxied(String(forwarded));
  const address = told || socket.remoteAddress || 'unknown';
  return address.replace(/^::ffff:(?=\d+\.)/i, '').slice(0, 64);
}

/** The last entry is the proxy's own; those before it are whatever the caller wrote. */
const proxied = (forwarded: string) => (forwarded.split(',').at(-1) ?? '').trim().replace(WITH_PORT, '$1$2');

/** Some proxies name the port too, which is another one with each connection: `[2001:db8::1]:443`, `192.0.2.1:443`. */
const WITH_PORT = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/;

function schemeOf({ headers, socket }: IncomingMessage, trustProxy: boolean): string {
  if ((socket as TLSSocket).encrypted) return 'https';
  return trustProxy && headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
}
