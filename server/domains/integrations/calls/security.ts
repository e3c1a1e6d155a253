import { isObject } from '#server/kernel/json/objects.ts';
import type { ApiOperation, SecurityScheme } from '../api-operation.ts';
import type { GuardedNames } from './request/request.ts';

/** Security schemes of a document by name. */
export type SecuritySchemes = Readonly<Record<string, SecurityScheme>>;

/** Settings of an integration for one security scheme, with opened secrets. */
export type Credential = Readonly<Record<string, unknown>>;

/** The credentials of an integration. */
export type Credentials = {
  /** By the name of the scheme. */
  authentication: Readonly<Record<string, Credential>>;
  /** Whether the connection presents a certificate. */
  hasCertificate: boolean;
  /** Names of the schemes for operations that declare none. */
  fallback: readonly string[];
};

/** Additions of credentials to a request. */
export type Signature = {
  headers: Record<string, string>;
  query: string[];
  cookies: string[];
  /** Signs the whole request (AWS Signature Version 4). */
  aws?: Credential;
};

/** Returns a text field, or '' when it is absent or no text. */
export const textIn = (credential: Credential, ...names: readonly string[]): string => {
  for (const name of names) {
    const value = credential[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return '';
};

/** Returns the access token that was stored by hand. */
export const storedToken = ({ token }: Credential): string =>
  isObject(token) ? textIn(token, 'access_token') : typeof token === 'string' ? token : '';

/** Returns the token of a scheme `http` with bearer, by any of the names that clients use. */
const bearerOf = (credential: Credential): string =>
  textIn(credential, 'token', 'value', 'access_token') || storedToken(credential);

/** Returns whether a token can be fetched for this scheme. */
const canFetch = (scheme: SecurityScheme, credential: Credential): boolean =>
  textIn(credential, 'client_id') !== '' && tokenUrlOf(scheme, credential) !== '';

/** Returns the URL that issues tokens; for OpenID Connect the issuer's metadata, when none is set. */
export function tokenUrlOf(scheme: SecurityScheme, credential: Credential): string {
  const own = textIn(credential, 'token_url');
  if (own) return own;
  if (scheme.type === 'openIdConnect') return scheme.openIdConnectUrl;
  if (scheme.type !== 'oauth2') return '';
  return Object.values(scheme.flows).find(({ tokenUrl }) => tokenUrl)?.tokenUrl ?? '';
}

/** Returns the URL that renews tokens; '' when that is the URL that issues them. */
export function refreshUrlOf(scheme: SecurityScheme, credential: Credential): string {
  const own = textIn(credential, 'refresh_url');
  if (own || scheme.type !== 'oauth2' || textIn(credential, 'token_url')) return own;
  return Object.values(scheme.flows).find(({ refreshUrl }) => refreshUrl)?.refreshUrl ?? '';
}

/** Returns whether a scheme fetches its tokens, or presents one that was stored by hand. */
export const isTokenScheme = ({ type }: SecurityScheme): boolean =>
  type === 'oauth2' || type === 'openIdConnect';

/** Fields without which a request cannot be signed; a `sessionToken` belongs to temporary keys only. */
const AWS_FIELDS = ['accessKeyId', 'secretAccessKey', 'region', 'service'];

function hasValues(scheme: SecurityScheme, credential: Credential, hasCertificate: boolean): boolean {
  switch (scheme.type) {
    case 'apiKey':
      return scheme.sigV4
        ? AWS_FIELDS.every((name) => textIn(credential, name) !== '')
        : textIn(credential, 'value') !== '';
    case 'http': {
      const kind = scheme.scheme.toLowerCase();
      if (kind === 'basic') return textIn(credential, 'username', 'password') !== '';
      return kind === 'bearer' && bearerOf(credential) !== '';
    }
    case 'mutualTLS':
      return hasCertificate;
    default:
      return storedToken(credential) !== '' || canFetch(scheme, credential);
  }
}

/** Returns the names of the schemes that have values. */
export const usableSchemes = (
  schemes: SecuritySchemes,
  { authentication, hasCertificate }: Credentials,
): string[] =>
  Object.entries(schemes)
    .filter(([name, scheme]) => hasValues(scheme, authentication[name] ?? {}, hasCertificate))
    .map(([name]) => name);

/**
 * Returns the names of the schemes that a call uses: the first alternative all of whose schemes have values.
 *
 * @returns null when the operation needs a credential and no alternative has values
 */
export function chosenSchemes(
  { security }: Pick<ApiOperation, 'security'>,
  schemes: SecuritySchemes,
  credentials: Credentials,
): readonly string[] | null {
  const usable = new Set(usableSchemes(schemes, credentials));
  const fits = (names: readonly string[]) => names.length > 0 && names.every((name) => usable.has(name));
  const alternatives = security.map((one) => Object.keys(one));
  const chosen = alternatives.find(fits);
  if (chosen) return chosen;
  if (security.length === 0) return fits(credentials.fallback) ? credentials.fallback : [];
  return alternatives.some((names) => names.length === 0) ? [] : null;
}

/**
 * Returns what the credentials add to a request.
 *
 * @param tokens access tokens of the schemes that fetch them, by name
 */
export function signatureOf(
  names: readonly string[],
  schemes: SecuritySchemes,
  { authentication }: Credentials,
  tokens: ReadonlyMap<string, string>,
): Signature {
  const signature: Signature = { headers: {}, query: [], cookies: [] };
  for (const name of names) {
    const scheme = schemes[name];
    const credential = authentication[name] ?? {};
    if (scheme?.type === 'apiKey' && scheme.sigV4) signature.aws = credential;
    else if (scheme?.type === 'apiKey') addKey(signature, scheme, textIn(credential, 'value'));
    else if (scheme?.type === 'http' && scheme.scheme.toLowerCase() === 'basic') {
      const pair = `${textIn(credential, 'username')}:${textIn(credential, 'password')}`;
      signature.headers.Authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
    } else if (scheme?.type === 'http') signature.headers.Authorization = `Bearer ${bearerOf(credential)}`;
    else if (scheme && isTokenScheme(scheme))
      signature.headers.Authorization = `Bearer ${tokens.get(name) ?? ''}`;
  }
  return signature;
}

function addKey(
  { headers, query, cookies }: Signature,
  scheme: SecurityScheme & { type: 'apiKey' },
  value: string,
) {
  if (scheme.in === 'header') headers[scheme.name] = value;
  else if (scheme.in === 'query')
    query.push(`${encodeURIComponent(scheme.name)}=${encodeURIComponent(value)}`);
  else cookies.push(`${scheme.name}=${encodeURIComponent(value)}`);
}

/** Headers of a signed request, in lower case. */
const AWS_HEADERS = ['x-amz-date', 'x-amz-security-token', 'x-amz-content-sha256'];

/** Returns the names that values of a call must not use: only credentials may. */
export function guardedNames(schemes: SecuritySchemes): GuardedNames {
  const names = {
    header: new Set(['authorization', 'cookie']),
    query: new Set<string>(),
    cookie: new Set<string>(),
  };
  for (const scheme of Object.values(schemes)) {
    if (scheme.type !== 'apiKey') continue;
    if (scheme.sigV4) for (const name of AWS_HEADERS) names.header.add(name);
    names[scheme.in].add(scheme.in === 'header' ? scheme.name.toLowerCase() : scheme.name);
  }
  return names;
}
