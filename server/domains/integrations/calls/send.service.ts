import { setTimeout as sleep } from 'node:timers/promises';
import type { SystemContext } from '#server/kernel/contexts.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { retryAfterMs } from '#server/kernel/timing/retry-after.ts';
import type { HttpAnswer, HttpTarget } from '#server/southbound/http/ports.ts';
import type { CallEffect } from '../api-operation.ts';
import { concealing } from './answers/conceal.ts';
import { awsSignedHeaders } from './aws-signature.service.ts';
import { withSlot } from './call-slots.service.ts';
import type { OpenIntegration } from './integration.service.ts';
import { type Attempt, retryDelay } from './retry.ts';
import { isTokenScheme, type Signature, signatureOf } from './security.ts';
import { type CallSettings, credentialsOf } from './target.ts';
import { accessToken } from './tokens.service.ts';

/** A request without credentials, and how it is sent. */
export type Sending = {
  integration: OpenIntegration;
  settings: CallSettings;
  /** Names of the security schemes that it uses. */
  schemes: readonly string[];
  effect: CallEffect;
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  cookies: readonly string[];
  body?: Buffer | undefined;
  signal: AbortSignal;
  /** Most bytes of the response. */
  maxBytes: number;
};

const MOST_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Sends a request with its credentials, in the integration's turn: again after a failure as `retryDelay` allows, once more
 * with a new token after a 401, and to where a redirect leads if the connection says so.
 *
 * @returns the response, and the URL that it came from, without the secrets of the connection
 * @throws ServiceError with `reason`, unless there is a response; the reason of `signal`
 */
export async function send(
  call: SystemContext,
  sending: Sending,
): Promise<{ url: string; answer: HttpAnswer }> {
  let { url } = sending;
  for (let followed = 0; ; followed += 1) {
    const { answer, tokens } = await signedIn(call, { ...sending, url });
    const target = followed < MOST_REDIRECTS ? redirectOf(sending, url, answer) : null;
    if (target === null) return concealing(sending.integration, tokens.values())({ url, answer });
    url = target;
  }
}

/** Returns where a redirect leads: only GET is followed, and only on the same origin. */
function redirectOf(
  { integration, method }: Sending,
  url: string,
  { status, headers }: HttpAnswer,
): string | null {
  const { location } = headers;
  if (!integration.connection.followRedirects || method !== 'GET' || !REDIRECTS.has(status) || !location)
    return null;
  const target = URL.canParse(location, url) ? new URL(location, url) : null;
  if (target?.origin !== new URL(url).origin || target.username || target.password) return null;
  target.hash = '';
  return target.href;
}

/** Sends a request with its credentials. @returns the response, and the access tokens that were sent */
async function signedIn(
  call: SystemContext,
  sending: Sending,
): Promise<{ answer: HttpAnswer; tokens: ReadonlyMap<string, string> }> {
  const tokens = await tokensOf(call, sending, new Map());
  const answer = await withRetries(call, sending, tokens);
  if (answer.status !== 401 || tokens.size === 0) return { answer, tokens };
  // A request that was not authorized was not carried out, so that it is safe to send it again.
  const renewed = await tokensOf(call, sending, tokens);
  const isNew = [...renewed].some(([name, token]) => tokens.get(name) !== token);
  return isNew ? { answer: await withRetries(call, sending, renewed), tokens: renewed } : { answer, tokens };
}

/** Returns the access tokens of the schemes that have them. @param rejected tokens that must not be used again */
async function tokensOf(
  call: SystemContext,
  sending: Pick<Sending, 'integration' | 'settings' | 'schemes' | 'signal'>,
  rejected: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const tokens = new Map<string, string>();
  for (const name of sending.schemes) {
    const { integration, settings, signal } = sending;
    const scheme = integration.schemes[name];
    if (!scheme || !isTokenScheme(scheme)) continue;
    const wanted = {
      adapter: integration.name,
      name,
      scheme,
      credential: credentialsOf(integration.connection).authentication[name] ?? {},
      target: httpTargetOf(integration, settings.timeouts, false),
      rejected: rejected.get(name),
      signal,
    };
    tokens.set(name, await accessToken(call, wanted));
  }
  return tokens;
}

/** Requests the tokens of these schemes unless valid ones are stored. @throws ServiceError with the reason AUTH_FAILED */
export const signIn = async (
  call: SystemContext,
  sending: Pick<Sending, 'integration' | 'settings' | 'schemes' | 'signal'>,
): Promise<void> => void (await tokensOf(call, sending, new Map()));

/**
 * Returns the target of an integration's requests.
 *
 * @param isKept whether the connection may be one that is open already, and stays open
 */
export const httpTargetOf = (
  { name, connection, row, isStored }: OpenIntegration,
  timeouts: HttpTarget['timeouts'],
  isKept: boolean,
): HttpTarget => ({
  adapter: name,
  tls: connection.tls ?? {},
  timeouts,
  ...(isKept && isStored && { connectionKey: `${name} ${row.rev}` }),
});

async function withRetries(
  call: SystemContext,
  sending: Sending,
  tokens: ReadonlyMap<string, string>,
): Promise<HttpAnswer> {
  const { integration, settings, schemes, effect, signal } = sending;
  const credentials = credentialsOf(integration.connection);
  const signature = signatureOf(schemes, integration.schemes, credentials, tokens);
  const log = call.platform.logOf('adapter', integration.name);
  for (let made = 1; ; made += 1) {
    const result = await once(call, sending, signature).then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error }),
    );
    signal.throwIfAborted();
    const attempt = attemptOf(result, call.platform.now().getTime());
    const delay = attempt && retryDelay(attempt, made, effect, settings.retry, Math.random());
    if (delay === null) {
      if ('error' in result) throw result.error;
      return result.answer;
    }
    log.debug({ attempt: made, delay: Math.round(delay), ...attempt }, 'the call is repeated');
    await sleep(delay, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

function attemptOf(result: { answer: HttpAnswer } | { error: unknown }, now: number): Attempt | null {
  if ('answer' in result) {
    const { status, headers } = result.answer;
    return { status, retryAfterMs: retryAfterMs(headers, now) };
  }
  const { error } = result;
  if (!(error instanceof ServiceError) || !error.extra) return null;
  const { stage, reason, retryable } = error.extra;
  return { stage: String(stage), reason: String(reason), retryable: retryable === true };
}

function once(call: SystemContext, sending: Sending, signature: Signature): Promise<HttpAnswer> {
  const { integration, settings, effect, method, body, signal } = sending;
  const { connection } = integration;
  const url = new URL(withQuery(sending.url, signature.query));
  const limits = {
    adapter: integration.name,
    host: url.hostname,
    maxConcurrent: settings.maxConcurrent,
    rateLimit: connection.rateLimit,
    requestMs: settings.timeouts.request,
  };
  return withSlot(call.db, limits, signal, async (leftMs) => {
    const plain = { method, url, headers: signedHeaders(sending, signature), body };
    const { aws } = signature;
    const headers = aws ? await awsSignedHeaders(plain, aws, call.platform.now()) : plain.headers;
    return call.platform.http.send(
      // A server may close a connection that is open already just as a request is sent. Nobody knows then whether the
      // request was carried out, so that a write uses a new connection.
      httpTargetOf(integration, { ...settings.timeouts, request: leftMs }, effect !== 'unsafe'),
      { ...plain, headers },
      { signal, maxBytes: sending.maxBytes },
    );
  });
}

/** Returns a URL with pairs appended to its query. */
export const withQuery = (url: string, pairs: readonly string[]): string =>
  pairs.length === 0 ? url : `${url}${url.includes('?') ? '&' : '?'}${pairs.join('&')}`;

function signedHeaders({ headers, cookies }: Sending, signature: Signature): Record<string, string> {
  const signed = new Set(Object.keys(signature.headers).map((name) => name.toLowerCase()));
  const all = [...cookies, ...signature.cookies];
  return {
    ...Object.fromEntries(Object.entries(headers).filter(([name]) => !signed.has(name.toLowerCase()))),
    ...signature.headers,
    ...(all.length > 0 && { Cookie: all.join('; ') }),
  };
}
