import { createLocalJWKSet, type JWTVerifyGetKey } from 'jose';
import * as oauth from 'oauth4webapi';
import type { OidcSettings, SignInProvider } from '#db/schemas/identity/sign-in-provider.ts';
import { keepLatest } from '#server/kernel/calculations/latest.ts';
import type { Uses } from '#server/kernel/contexts.ts';
import { jsonOr } from '#server/kernel/json/json-or.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import { sha256 } from '#server/kernel/secrets/vault.ts';
import { fetchThrough } from '#server/kernel/targets/fetch-through.ts';
import { providerFailed } from '../provider-contacts.service.ts';
import { withReason } from './oidc-failures.ts';

/** Most bytes of any answer of a provider. */
const MOST_BYTES = 1024 * 1024;
/** Time limits of a request to a provider, in milliseconds. */
const TIMEOUTS = { connect: 5000, request: 10_000 };
/** How long metadata and keys are kept, and how long a failure to read them, in milliseconds. */
const KEPT_MS = 5 * 60_000;
const FAILURE_KEPT_MS = 2000;
/** Time between two reads of the keys because a token names an unknown one, in milliseconds. */
const KEYS_AGAIN_MS = 30_000;
/** Difference between the clocks of the provider and of this machine that is tolerated, in seconds. */
export const CLOCK_TOLERANCE_S = 30;
/** Algorithms of signatures by public keys: a shared secret proves nothing to a third party, and `none` nothing at all. */
export const SIGNATURES = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

const fetchOf = ({ platform }: Uses<'http' | 'config'>, { name, oidc }: SignInProvider) =>
  fetchThrough(
    platform.http,
    { adapter: name, tls: { ca: oidc?.ca }, timeouts: TIMEOUTS },
    () => ({ signal: AbortSignal.timeout(TIMEOUTS.request), maxBytes: MOST_BYTES }),
    (bytes) => bytes.toString('utf8'),
  );

/** Returns the options of every call of the library; http:// is only for laboratories. */
export const optionsOf = (ctx: Uses<'http' | 'config'>, provider: SignInProvider) => ({
  [oauth.customFetch]: fetchOf(ctx, provider),
  [oauth.allowInsecureRequests]: ctx.platform.config.allowPrivateTargets,
});

/** A provider as this process has discovered it. */
type Known = {
  until: number;
  server: Promise<oauth.AuthorizationServer>;
  keys?: { at: number; set: Promise<JWTVerifyGetKey> };
};

/** What providers publish of themselves, by their addresses; the least recently used are forgotten. */
const known = new Map<string, Known>();
const MOST_KNOWN = 200;

/**
 * Returns the settings of an OpenID Connect provider.
 *
 * @throws Error for a provider of another type, which is a fault of the caller
 */
export const settingsOf = ({ oidc }: SignInProvider): OidcSettings => {
  if (!oidc) throw new Error('the provider is of another type');
  return oidc;
};

/**
 * Returns the provider as the library describes this client.
 *
 * @returns the client id and the tolerance between clocks
 */
export function clientOf(provider: SignInProvider): oauth.Client {
  return { client_id: settingsOf(provider).clientId, [oauth.clockTolerance]: CLOCK_TOLERANCE_S };
}

/** Returns how this client proves itself to the provider: as its settings say, else in a way that the provider supports. */
export function authenticationOf(
  provider: SignInProvider,
  { token_endpoint_auth_methods_supported: methods = [BASIC] }: oauth.AuthorizationServer,
): oauth.ClientAuth {
  const { clientSecret, clientAuthentication } = settingsOf(provider);
  if (clientAuthentication === 'none' || !clientSecret) return oauth.None();
  const supported = methods.includes(POST) && !methods.includes(BASIC) ? POST : BASIC;
  return (clientAuthentication ?? supported) === POST
    ? oauth.ClientSecretPost(clientSecret)
    : oauth.ClientSecretBasic(clientSecret);
}

const BASIC = 'client_secret_basic';
const POST = 'client_secret_post';

/** Returns what this process knows of a provider, read again after five minutes and when its settings changed. */
function knownOf(ctx: Uses<'http' | 'config'>, provider: SignInProvider, fresh: boolean): Known {
  const { issuer, ca = '' } = settingsOf(provider);
  const key = `${provider._id} ${sha256(JSON.stringify([issuer, ca, provider.lastUpdated]))}`;
  const now = Date.now();
  const found = known.get(key);
  if (found && found.until > now && !fresh) return found;
  const made: Known = { until: now + KEPT_MS, server: discover(ctx, provider) };
  made.server.catch(() => {
    made.until = Math.min(made.until, Date.now() + FAILURE_KEPT_MS);
  });
  return keepLatest(known, MOST_KNOWN, key, made);
}

async function discover(
  ctx: Uses<'http' | 'config'>,
  provider: SignInProvider,
): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(settingsOf(provider).issuer);
  const server = await withReason(
    provider,
    'DISCOVERY_FAILED',
    'its discovery document cannot be used',
    async () => {
      const response = await oauth.discoveryRequest(issuer, {
        algorithm: 'oidc',
        ...optionsOf(ctx, provider),
      });
      return oauth.processDiscoveryResponse(issuer, response);
    },
  );
  const refused = (what: string) => providerFailed('DISCOVERY_FAILED', `${provider.name}: ${what}`);
  for (const name of ENDPOINTS) {
    if (!isAddress(server[name])) throw refused(`its discovery document has no usable ${name}`);
  }
  // Over plain HTTP, whoever is on the way could issue keys of his own, or read codes and secrets.
  const plain = [...ENDPOINTS, ...FURTHER_ENDPOINTS].find(
    (name) => issuer.protocol === 'https:' && isAddress(server[name]) && !isSecure(server[name]),
  );
  if (plain) throw refused(`${plain} in its discovery document must begin with https://, as the issuer does`);
  return server;
}

/** Endpoints that a discovery document must name, and those that are used where it does. */
const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;
const FURTHER_ENDPOINTS = ['userinfo_endpoint', 'end_session_endpoint'] as const;

const isSecure = (address: string) => new URL(address).protocol === 'https:';

/** Returns whether a browser or this platform may be sent to an address: other schemes run code or open files. */
export const isAddress = (text: unknown): text is string =>
  typeof text === 'string' && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/**
 * Returns the metadata of a provider.
 *
 * @param fresh whether it is read now, whatever is kept
 * @throws ServiceError with `reason` when it cannot be read
 */
export const serverOf = (ctx: Uses<'http' | 'config'>, provider: SignInProvider, fresh = false) =>
  knownOf(ctx, provider, fresh).server;

/**
 * Returns the keys with which a provider signs; read again at most every thirty seconds.
 *
 * @returns the function with which jose finds the key of a token
 * @throws ServiceError with `reason` when the discovery document or the keys cannot be read
 */
export async function keysOf(
  ctx: Uses<'http' | 'config'>,
  provider: SignInProvider,
): Promise<JWTVerifyGetKey> {
  const entry = knownOf(ctx, provider, false);
  const server = await entry.server;
  const load = () => {
    const set = loadKeys(ctx, provider, server.jwks_uri ?? '');
    entry.keys = { at: Date.now(), set };
    // Whoever waits for the keys gets the failure.
    set.catch(() => undefined);
    return set;
  };
  return async (header, token) => {
    const keys = entry.keys?.set ?? load();
    try {
      return await (await keys)(header, token);
    } catch (error) {
      if (Date.now() - (entry.keys?.at ?? 0) < KEYS_AGAIN_MS) throw error;
      return (await load())(header, token);
    }
  };
}

async function loadKeys(
  ctx: Uses<'http' | 'config'>,
  provider: SignInProvider,
  url: string,
): Promise<JWTVerifyGetKey> {
  const response = await fetchOf(ctx, provider)(url, { method: 'GET', headers: {} });
  const body: unknown = jsonOr(await response.text(), null);
  if (response.status !== 200 || !isObject(body) || !Array.isArray(body.keys))
    throw providerFailed('KEYS_FAILED', `${provider.name}: its keys cannot be read`);
  return createLocalJWKSet({ keys: body.keys });
}

/** The tokens of a provider for one session. */
export type ProviderTokens = {
  idToken?: string | undefined;
  accessToken: string;
  refreshToken?: string | undefined;
  /** When the access token expires, in milliseconds since 1970. */
  expires: number;
};

/** Claims about a user, from the identity token and the endpoint for user information. */
export type Claims = Readonly<Record<string, unknown>> & { sub: string };

const tokensOf = (issued: oauth.TokenEndpointResponse, before?: ProviderTokens): ProviderTokens => ({
  idToken: issued.id_token ?? before?.idToken,
  accessToken: issued.access_token,
  refreshToken: issued.refresh_token ?? before?.refreshToken,
  expires: Date.now() + Math.min(issued.expires_in ?? 300, 86_400) * 1000,
});

/** State of a sign-in between its start and its end. */
export type Expected = { state: string; nonce: string; verifier: string; redirectUri: string };

/** Returns the URL at which the user signs in. @throws ServiceError with `reason` */
export async function authorizationUrl(
  ctx: Uses<'http' | 'config'>,
  provider: SignInProvider,
  expected: Expected,
): Promise<string> {
  const server = await serverOf(ctx, provider);
  const { clientId, scopes = ['profile', 'email'] } = settingsOf(provider);
  const url = new URL(server.authorization_endpoint ?? '');
  const parameters = {
    client_id: clientId,
    response_type: 'code',
    redirect_uri: expected.redirectUri,
    scope: [...new Set(['openid', ...scopes])].join(' '),
    state: expected.state,
    nonce: expected.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(expected.verifier),
    code_challenge_method: 'S256',
    // Providers issue refresh tokens for this scope only when they ask the user.
    ...(scopes.includes('offline_access') && { prompt: 'consent' }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/**
 * Exchanges the code of a finished sign-in. The identity token is checked: signature, issuer, audience, time, nonce.
 *
 * @param answer the query of the callback
 * @throws ServiceError with `reason`
 */
export async function exchangeCode(
  ctx: Uses<'http' | 'config'>,
  provider: SignInProvider,
  answer: URLSearchParams,
  expected: Expected,
): Promise<{ tokens: ProviderTokens; claims: Claims }> {
  const server = await serverOf(ctx, provider);
  const client = clientOf(provider);
  const options = optionsOf(ctx, provider);
  const issued = await withReason(provider, 'TOKEN_REFUSED', 'the sign-in was not accepted', async () => {
    const parameters = oauth.validateAuthResponse(server, client, answer, expected.state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authenticationOf(provider, server),
      parameters,
      expected.redirectUri,
      expected.verifier,
      options,
    );
    const processed = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: expected.nonce,
      requireIdToken: true,
    });
    await oauth.validateApplicationLevelSignature(server, response, options);
    return processed;
  });
  const identity = oauth.getValidatedIdTokenClaims(issued);
  if (!identity) throw providerFailed('TOKEN_REFUSED', `${provider.name}: it sent no identity token`);
  if (identity.iat > Date.now() / 1000 + CLOCK_TOLERANCE_S)
    throw providerFailed('TOKEN_REFUSED', `${provider.name}: its identity token is issued in the future`);
  const tokens = tokensOf(issued);
  return { tokens, claims: await withUserInfo(ctx, provider, tokens, { ...identity }) };
}

/** Returns claims together with those of the endpoint for user information, where there is one. */
async function withUserInfo(
  ctx: Uses<'http' | 'config'>,
  provider: SignInProvider,
  tokens: ProviderTokens,
  claims: Claims,
): Promise<Claims> {
  const server = await serverOf(ctx, provider);
  if (!server.userinfo_endpoint) return claims;
  const client = clientOf(provider);
  const info = await withReason(provider, 'USERINFO_REFUSED', 'it does not describe the user', async () => {
    const response = await oauth.userInfoRequest(
      server,
      client,
      tokens.accessToken,
      optionsOf(ctx, provider),
    );
    return oauth.processUserInfoResponse(server, client, claims.sub, response);
  });
  return { ...claims, ...info };
}

/**
 * Reads the claims about a user of a session again, with its refresh token or, while it is valid, its access token.
 *
 * @returns null when the tokens no longer allow it, because there is no refresh token
 * @throws ServiceError with `reason`; SESSION_ENDED when the provider no longer accepts the tokens
 */
export async function readAgain(
  ctx: Uses<'http' | 'config'>,
  provider: SignInProvider,
  tokens: ProviderTokens,
  subject: string,
): Promise<{ tokens: ProviderTokens; claims: Claims } | null> {
  const server = await serverOf(ctx, provider);
  if (tokens.refreshToken === undefined) {
    if (!server.userinfo_endpoint || tokens.expires <= Date.now()) return null;
    return { tokens, claims: await withUserInfo(ctx, provider, tokens, { sub: subject }) };
  }
  const { refreshToken } = tokens;
  const client = clientOf(provider);
  const options = optionsOf(ctx, provider);
  const issued = await withReason(provider, 'REFRESH_FAILED', 'it did not renew the session', async () => {
    const response = await oauth.refreshTokenGrantRequest(
      server,
      client,
      authenticationOf(provider, server),
      refreshToken,
      options,
    );
    const processed = await oauth.processRefreshTokenResponse(server, client, response);
    if (processed.id_token) await oauth.validateApplicationLevelSignature(server, response, options);
    return processed;
  });
  const renewed = tokensOf(issued, tokens);
  const identity = oauth.getValidatedIdTokenClaims(issued) ?? { sub: subject };
  if (identity.sub !== subject)
    throw providerFailed('SESSION_ENDED', `${provider.name}: it names another user`);
  return { tokens: renewed, claims: await withUserInfo(ctx, provider, renewed, { ...identity }) };
}
