import * as oauth from 'oauth4webapi';
import type { Uses } from '#server/kernel/contexts.ts';
import { jsonOr } from '#server/kernel/json/json-or.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import { fetchThrough } from '#server/kernel/targets/fetch-through.ts';
import type { HttpTarget } from '#server/southbound/http/ports.ts';
import type { SecurityScheme } from '../api-operation.ts';
import { noAnswer } from './failures.ts';
import { type Credential, refreshUrlOf, textIn, tokenUrlOf } from './security.ts';

/** A token as an authorization server issued it. */
export type IssuedToken = { accessToken: string; refreshToken?: string; expiresInS?: number };

/** Parameters of a token request. */
export type TokenRequest = {
  target: HttpTarget;
  scheme: SecurityScheme;
  credential: Credential;
  /** Renews a token instead of requesting one, when it is known. */
  refreshToken?: string | undefined;
  signal: AbortSignal;
};

/** Most bytes of a token response or of an issuer's metadata. */
const MOST_BYTES = 1024 * 1024;
const METADATA = '/.well-known/openid-configuration';

/**
 * Requests a token: with the refresh token, else with username and password, else with the client's own credentials
 * (RFC 6749). The requests pass the same checks of addresses as calls.
 *
 * @throws ServiceError with the reason AUTH_FAILED when the server rejects the request; its message holds no secret
 */
export async function requestToken(call: Uses<'http'>, request: TokenRequest): Promise<IssuedToken> {
  const { scheme, credential, refreshToken } = request;
  const written = (refreshToken && refreshUrlOf(scheme, credential)) || tokenUrlOf(scheme, credential);
  const url = parsed(request, written);
  const options = { [oauth.allowInsecureRequests]: true, [oauth.customFetch]: fetchOf(call, request) };
  const client: oauth.Client = { client_id: textIn(credential, 'client_id') };
  try {
    const server = await serverAt(url, options);
    const [grant, parameters] = grantOf(request);
    const response = await oauth.genericTokenEndpointRequest(
      server,
      client,
      clientAuthentication(credential),
      grant,
      parameters,
      options,
    );
    const issued = await oauth.processGenericTokenEndpointResponse(server, client, response);
    // A server that renews a token without a new refresh token leaves the old one valid (RFC 6749 §6).
    const renewal = issued.refresh_token ?? refreshToken;
    return {
      accessToken: issued.access_token,
      ...(renewal !== undefined && { refreshToken: renewal }),
      ...(issued.expires_in !== undefined && { expiresInS: issued.expires_in }),
    };
  } catch (error) {
    throw failureOf(error, request, url);
  }
}

type Options = { [oauth.allowInsecureRequests]: boolean; [oauth.customFetch]: ReturnType<typeof fetchOf> };

/** Returns the server that issues tokens at a URL, which may be that of an issuer's metadata (OpenID Connect Discovery). */
async function serverAt(url: URL, options: Options): Promise<oauth.AuthorizationServer> {
  if (!url.pathname.includes('/.well-known/')) return { issuer: url.origin, token_endpoint: url.href };
  const issuer = new URL(url.href.split(METADATA, 1)[0] ?? url.href);
  const response = await options[oauth.customFetch](url.href, { method: 'GET', headers: {} });
  return oauth.processDiscoveryResponse(issuer, response);
}

function grantOf({ credential, refreshToken, scheme }: TokenRequest): [string, Record<string, string>] {
  if (refreshToken) return ['refresh_token', { refresh_token: refreshToken }];
  const scope = textIn(credential, 'scope');
  const more = scope ? { scope } : {};
  const [username, password] = [textIn(credential, 'username'), textIn(credential, 'password')];
  const hasFlow =
    scheme.type !== 'oauth2' || !('clientCredentials' in scheme.flows) || 'password' in scheme.flows;
  if (username && password && hasFlow) return ['password', { username, password, ...more }];
  return ['client_credentials', more];
}

function clientAuthentication(credential: Credential): oauth.ClientAuth {
  const secret = textIn(credential, 'client_secret');
  if (!secret) return oauth.None();
  return textIn(credential, 'auth_method') === 'post'
    ? oauth.ClientSecretPost(secret)
    : oauth.ClientSecretBasic(secret);
}

const fetchOf = ({ platform }: Uses<'http'>, { target, signal }: TokenRequest) =>
  fetchThrough(
    platform.http,
    target,
    () => ({ signal, maxBytes: MOST_BYTES, stage: 'login' }),
    withoutIdToken,
  );

/** Returns a response without the identity token, which the platform does not use and the library would verify. */
function withoutIdToken(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  const value: unknown = jsonOr(text, null);
  if (!isObject(value) || !('id_token' in value)) return text;
  const { id_token: _, ...rest } = value;
  return JSON.stringify(rest);
}

function parsed({ target }: TokenRequest, written: string): URL {
  const url = URL.canParse(written) ? new URL(written) : null;
  if (url && (url.protocol === 'https:' || url.protocol === 'http:') && !url.username && !url.password)
    return url;
  const where = { adapter: target.adapter, host: '', stage: 'login' as const };
  throw noAnswer(where, 'AUTH_FAILED', 'token_url is no URL that begins with https:// or http://');
}

/** Returns the error for a failed token request. The library's texts may quote the response and are not passed on. */
function failureOf(error: unknown, { target, signal }: TokenRequest, url: URL): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof Error && error.name === 'ServiceError') return error;
  const where = { adapter: target.adapter, host: url.hostname, stage: 'login' as const };
  const code =
    error instanceof oauth.ResponseBodyError && /^[\w.-]{1,60}$/.test(error.error) ? error.error : '';
  const status =
    error instanceof oauth.ResponseBodyError || error instanceof oauth.WWWAuthenticateChallengeError
      ? `rejects our sign-in with status ${error.status}${code && ` (${code})`}`
      : 'did not answer with a token';
  return noAnswer(where, 'AUTH_FAILED', `${url.host} ${status}`);
}
