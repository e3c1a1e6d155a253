import { and, eq, inArray, sql } from 'drizzle-orm';
import { decodeJwt, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import { type Database, inTransaction } from '#db/client.ts';
import type { SignInProvider } from '#db/schemas/identity/sign-in-provider.ts';
import { accounts, sessions } from '#db/tables/identity/accounts.ts';
import type { Attempt as AttemptCount } from '#server/kernel/access.ts';
import { writeAuditRecord } from '#server/kernel/audit/audit.service.ts';
import type { Uses } from '#server/kernel/contexts.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { jsonOr } from '#server/kernel/json/json-or.ts';
import type { Context, SignedIn } from '#server/kernel/platform.ts';
import { sha256 } from '#server/kernel/secrets/vault.ts';
import { isStorable } from '#server/kernel/validation/input-sanity.ts';
import { publicOriginOf } from '../../sessions/public-origin.ts';
import { startSession } from '../../sessions/sign-in.service.ts';
import { storeDirectoryAccount } from '../directory-accounts.service.ts';
import { recordingContact } from '../provider-contacts.service.ts';
import { openProvider } from '../providers.service.ts';
import { takeOnce } from '../used-once.service.ts';
import { userOf } from './oidc-claims.ts';
import {
  authorizationUrl,
  CLOCK_TOLERANCE_S,
  type Expected,
  exchangeCode,
  isAddress,
  keysOf,
  type ProviderTokens,
  SIGNATURES,
  serverOf,
  settingsOf,
} from './oidc-client.service.ts';

/** How long a sign-in at the provider may take, in seconds. */
const ATTEMPT_S = 600;

/** Reason of failed sign-ins that says nothing about whether the provider works. */
const OF_THE_USER = 'TOKEN_REFUSED';

/** State that the browser keeps, sealed, between the start of a sign-in and its end. */
type Attempt = Expected & { returnTo: string; expires: number };

const placeOfAttempt = (id: string) => ['sign_in_attempt', id] as const;
/**
 * The place for which the tokens of a session are sealed.
 *
 * @param subject identifier of the user at the provider
 */
export const placeOfTokens = (providerId: string, subject: string) =>
  ['sessions', providerId, subject, 'provider_tokens'] as const;

/** One cookie for each attempt, so that two tabs do not disturb each other. */
const cookieNameOf = (state: string) => `sign_in_${sha256(state).slice(0, 16)}`;

/**
 * Begins a sign-in at a provider.
 *
 * @param returnTo path of this platform to open afterwards, such as that of a page of the console
 * @returns where the browser goes; also in the headers
 * @throws ServiceError NOT_FOUND; BAD_GATEWAY or GATEWAY_TIMEOUT with `reason` while the provider cannot be used
 */
export async function startOidc(ctx: Context, id: string, returnTo: string): Promise<{ location: string }> {
  const { platform, request, answer } = ctx;
  const provider = await openProvider(ctx, id, { type: 'oidc' });
  const attempt: Attempt = {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
    redirectUri: `${publicOriginOf(ctx)}/sign_in/oidc/${id}/callback`,
    returnTo,
    expires: platform.now().getTime() + ATTEMPT_S * 1000,
  };
  const location = await recorded(ctx, provider, () => authorizationUrl(ctx, provider, attempt));
  const sealed = platform.vault.seal(JSON.stringify(attempt), placeOfAttempt(id));
  answer.headers['Set-Cookie'] = attemptCookie(attempt.state, sealed, ATTEMPT_S, request.secure);
  answer.headers.Location = location;
  return { location };
}

const attemptCookie = (state: string, value: string, seconds: number, secure: boolean) =>
  `${cookieNameOf(state)}=${value}; Path=/sign_in; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure ? '; Secure' : ''}`;

/** The query with which a provider sends the browser back. */
export type CallbackQuery = Readonly<Record<string, unknown>> & { state?: string | undefined };

/**
 * Ends a sign-in at a provider: creates or updates the account, and starts a session.
 *
 * @returns where the browser goes: the console's page, or its sign-in page with the reason of a failure
 * @throws ServiceError NOT_FOUND; TOO_MANY_REQUESTS
 */
export async function finishOidc(
  ctx: Context,
  id: string,
  query: CallbackQuery,
): Promise<{ location: string }> {
  const { platform, request, answer } = ctx;
  const provider = await openProvider(ctx, id, { type: 'oidc' });
  const headers = answer.headers;
  const goTo = (location: string) => {
    headers.Location = location;
    return { location };
  };
  let throttled: AttemptCount | undefined;
  try {
    const attempt = attemptOf(ctx, id, query.state);
    // Counted for the address alone: many users share one, and each attempt is another.
    throttled = await platform.access.throttle.begin(`provider ${id} ${attempt.state}`, request.address);
    const entries = Object.entries(query).filter(
      (one): one is [string, string] => typeof one[1] === 'string',
    );
    const { tokens, claims } = await recorded(ctx, provider, () =>
      exchangeCode(ctx, provider, new URLSearchParams(entries), attempt),
    );
    const user = userOf(claims, settingsOf(provider));
    const { setCookie } = await startSession(
      ctx,
      { operation: 'signIn.finishOidc', status: 302 },
      async (tx) => {
        // The provider accepts a code once; that an attempt ends once does not depend on it.
        if (!(await takeOnce(tx, `sign-in ${id} ${attempt.state}`, new Date(attempt.expires))))
          throw unknownAttempt();
        const account = await storeDirectoryAccount(tx, provider, user, platform);
        await tx.update(accounts).set({ lastLogin: sql`now()` }).where(eq(accounts.id, account.id));
        const { sid } = claims;
        return {
          ...account,
          provider: {
            providerId: id,
            providerSession: isNamed(sid) ? sid : null,
            subject: user.subject,
            providerTokens: platform.vault.seal(JSON.stringify(tokens), placeOfTokens(id, user.subject)),
          },
        };
      },
    );
    await throttled.succeeded();
    platform.access.tried('ok');
    platform.accessChanged();
    headers['Set-Cookie'] = setCookie;
    return goTo(attempt.returnTo);
  } catch (error) {
    const failure = failureOf(error);
    if (failure === null) throw error;
    const { reason } = failure;
    platform.access.tried('refused');
    platform.log.info(
      { provider: provider.name, ...failure, requestId: request.id },
      'a sign-in at a provider failed',
    );
    if (await throttled?.isRecorded()) {
      const nobody = { account: null, accountId: null, credential: null, changes: [] };
      const from = { address: request.address, requestId: request.id };
      await writeAuditRecord(
        platform.access.db,
        { ...nobody, ...from, operation: 'signIn.finishOidc', outcome: 'refused', status: 401 },
        platform.now(),
      );
    }
    // Only rejected codes are guesses: an unreachable provider, or a user without rights, does not block an address.
    if (reason !== 'TOKEN_REFUSED') await throttled?.succeeded();
    return goTo(`/?${new URLSearchParams({ signInError: reason, provider: provider.name })}`);
  }
}

/**
 * Returns why a sign-in failed: the reason, which the sign-in page shows, and details for the log, without values of the
 * answer; null for a fault of this platform.
 */
function failureOf(error: unknown): { reason: string; detail: string } | null {
  if (!(error instanceof ServiceError)) return null;
  const { message: detail, code, extra } = error;
  if (typeof extra?.reason === 'string') return { reason: extra.reason, detail };
  return code === 'FORBIDDEN' ? { reason: 'NO_ACCESS', detail } : null;
}

/**
 * Returns the attempt that this browser began, by the state that the provider sent back.
 *
 * @throws ServiceError with the reason ATTEMPT_UNKNOWN
 */
function attemptOf({ platform, request }: Context, id: string, state: string | undefined): Attempt {
  const sealed = state === undefined ? null : (request.cookie?.(cookieNameOf(state)) ?? null);
  const attempt = sealed === null ? null : opened(platform.vault, sealed, id);
  if (!attempt || attempt.state !== state || attempt.expires < platform.now().getTime())
    throw unknownAttempt();
  return attempt;
}

const unknownAttempt = () =>
  new ServiceError('UNAUTHORIZED', 'This browser began no such sign-in, or too long ago: begin again', {
    extra: { reason: 'ATTEMPT_UNKNOWN' },
  });

function opened(vault: Context['platform']['vault'], sealed: string, id: string): Attempt | null {
  try {
    return jsonOr(vault.open(sealed, placeOfAttempt(id)), null) as Attempt | null;
  } catch {
    return null;
  }
}

/** Runs a request to a provider, and records whether it could be used. */
const recorded = <Value>(ctx: Pick<Context, 'db'>, provider: SignInProvider, request: () => Promise<Value>) =>
  recordingContact(ctx.db, provider, OF_THE_USER, request);

/** The event of a logout token, as OpenID Connect Back-Channel Logout 1.0 defines it. */
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** How old a logout token may be, in seconds. */
const LOGOUT_AGE_S = 300;

const badLogout = (message: string) =>
  new ServiceError('BAD_REQUEST', message, { extra: { error: 'invalid_request' } });

/**
 * Ends the sessions that a provider names in a logout token (OpenID Connect Back-Channel Logout 1.0).
 *
 * @param token JSON Web Token, as the provider sends it
 * @returns an empty object, also when no session matched
 * @throws ServiceError NOT_FOUND; BAD_REQUEST for a token that is not valid, or was used before
 */
export async function endByProvider(ctx: Context, id: string, token: string): Promise<Record<string, never>> {
  const { platform, request } = ctx;
  const provider = await openProvider(ctx, id, { type: 'oidc' });
  const claims = await logoutClaims(ctx, provider, token);
  const { sid, sub, jti } = claims;
  const ended = await inTransaction(ctx.db, async (tx) => {
    const until = new Date(platform.now().getTime() + (LOGOUT_AGE_S + 2 * CLOCK_TOLERANCE_S) * 1000);
    if (!(await takeOnce(tx, `logout ${id} ${jti}`, until)))
      throw badLogout('The logout token was used before');
    const isSid = typeof sid === 'string' ? eq(sessions.providerSession, sid) : undefined;
    const isSub = typeof sub === 'string' ? eq(sessions.subject, sub) : undefined;
    const gone = await tx
      .delete(sessions)
      .where(and(eq(sessions.providerId, id), isSid, isSub))
      .returning({ id: sessions.id, accountId: sessions.accountId });
    const users = await usernamesOf(
      tx,
      gone.map(({ accountId }) => accountId),
    );
    const nobody = { account: null, accountId: null, credential: null };
    const from = { address: request.address, requestId: request.id };
    const changes = gone
      .slice(0, 20)
      .map((one) => ({ kind: 'sessions', id: one.id, name: users.get(one.accountId) ?? null }));
    const audited = { ...nobody, ...from, operation: 'signIn.endByProvider', changes };
    await writeAuditRecord(tx, { ...audited, outcome: 'ok', status: 200 }, platform.now());
    return gone.length;
  });
  if (ended > 0) platform.accessChanged();
  return {};
}

/** Returns the names of accounts by their ids. */
async function usernamesOf(tx: Database, ids: readonly string[]): Promise<Map<string, string>> {
  const found = await tx
    .select({ id: accounts.id, username: accounts.username })
    .from(accounts)
    .where(inArray(accounts.id, [...new Set(ids)]));
  return new Map(found.map(({ id, username }) => [id, username]));
}

async function logoutClaims(ctx: Context, provider: SignInProvider, token: string) {
  // A token that names another issuer or client is rejected before any key is fetched for it.
  const claimed = readable(token);
  const { issuer, clientId } = settingsOf(provider);
  const audience = [claimed.aud ?? []].flat();
  if (claimed.iss !== issuer || !audience.includes(clientId))
    throw badLogout('The logout token is for others');
  const keys = await recorded(ctx, provider, () => keysOf(ctx, provider));
  const verified = await jwtVerify(token, keys, {
    issuer,
    audience: clientId,
    algorithms: SIGNATURES,
    clockTolerance: CLOCK_TOLERANCE_S,
    maxTokenAge: LOGOUT_AGE_S,
    requiredClaims: ['iat', 'jti', 'events'],
    currentDate: ctx.platform.now(),
  }).catch((error: unknown) => {
    if (error instanceof ServiceError) throw error;
    throw badLogout('The logout token is not valid');
  });
  const { payload, protectedHeader } = verified;
  const { events, jti, sid, sub, nonce } = payload;
  const type = protectedHeader.typ?.toLowerCase().replace(/^application\//, '');
  if (type !== undefined && type !== 'logout+jwt' && type !== 'jwt')
    throw badLogout('The token is of another type');
  const isEvent = typeof events === 'object' && events !== null && Object.hasOwn(events, LOGOUT_EVENT);
  if (!isEvent) throw badLogout('The token is no logout token');
  if (nonce !== undefined) throw badLogout('A logout token has no nonce');
  if (!isNamed(sid) && !isNamed(sub)) throw badLogout('The logout token names neither sid nor sub');
  if ((sid !== undefined && !isNamed(sid)) || (sub !== undefined && !isNamed(sub)))
    throw badLogout('The logout token names an invalid sid or sub');
  if (!isNamed(jti)) throw badLogout('The logout token has no jti');
  return { sid, sub, jti: String(jti) };
}

/** Most characters of an identifier of a session, user or token. */
const LONGEST = 500;

const isNamed = (name: unknown): name is string =>
  typeof name === 'string' && name !== '' && name.length <= LONGEST && isStorable(name);

function readable(token: string) {
  try {
    return decodeJwt(token);
  } catch {
    throw badLogout('The logout token is not a JWT');
  }
}

/**
 * Returns where the caller may also end the session at the provider (OpenID Connect RP-Initiated Logout); null when the
 * session did not begin there.
 *
 * @returns the address; null also for a caller without a session
 * @throws ServiceError with `reason` when the provider cannot be used
 */
export async function readLogoutLink(ctx: SignedIn): Promise<{ url: string | null }> {
  const { db, platform, principal } = ctx;
  if (!principal.session) return { url: null };
  const { providerId, subject, providerTokens } = sessions;
  const [found] = await db
    .select({ providerId, subject, tokens: providerTokens })
    .from(sessions)
    .where(eq(sessions.tokenHash, principal.session));
  if (!found?.providerId || !found.tokens) return { url: null };
  const provider = await openProvider(ctx, found.providerId, { type: 'oidc', disabled: true });
  const place = placeOfTokens(found.providerId, found.subject ?? '');
  const { idToken } = JSON.parse(platform.vault.open(found.tokens, place)) as ProviderTokens;
  return { url: await logoutUrl(ctx, provider, { idToken, returnTo: `${publicOriginOf(ctx)}/` }) };
}

/**
 * Returns where the user may also end the session at the provider; null when the provider has no such page.
 *
 * @param idToken the identity token of the session, by which the provider finds its own session
 * @param returnTo where the provider sends the browser afterwards
 * @throws ServiceError with `reason` when the provider cannot be used
 */
async function logoutUrl(
  ctx: Uses<'http' | 'config'>,
  provider: SignInProvider,
  { idToken, returnTo }: { idToken: string | undefined; returnTo: string },
): Promise<string | null> {
  const { end_session_endpoint: endpoint } = await serverOf(ctx, provider);
  if (!isAddress(endpoint)) return null;
  const url = new URL(endpoint);
  if (idToken !== undefined) url.searchParams.set('id_token_hint', idToken);
  url.searchParams.set('client_id', settingsOf(provider).clientId);
  url.searchParams.set('post_logout_redirect_uri', returnTo);
  return url.href;
}
