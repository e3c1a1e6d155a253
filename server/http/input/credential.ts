import type { IncomingMessage } from 'node:http';
import { isSessionToken } from '#server/kernel/secrets/session-token.ts';
import { percentDecoded } from '#server/kernel/text/percent-decoded.ts';

/** The credential that a request presents, and where it was found. A token is a session token or an OAuth token. */
export type Credential =
  | { kind: 'token'; token: string; from: 'header' | 'cookie' | 'query' }
  | { kind: 'basic'; username: string; password: string; from: 'header' }
  | { kind: 'unreadable'; from: 'header' };

/**
 * Returns the credential of a request. The first one present counts, and a wrong one never falls through to the next:
 * `Authorization`, the cookie, `?token=` (contract/lifecycle#1).
 *
 * @param cookieName from the active profile
 * @param queryToken the query's `token`, already removed from the query
 */
export function credentialOf(
  { headers }: IncomingMessage,
  cookieName: string,
  queryToken: string | null,
): Credential | null {
  const { authorization } = headers;
  if (authorization !== undefined) return fromHeader(authorization);
  const cookie = sessionCookieOf(headers.cookie ?? '', cookieName);
  if (cookie !== undefined) return { kind: 'token', token: cookie, from: 'cookie' };
  if (queryToken !== null) return { kind: 'token', token: queryToken, from: 'query' };
  return null;
}

/**
 * Returns the session cookie. A page of another host of the domain can set one of the same name. Its value is ignored unless it could be a
 * session: then which of the two its user was given cannot be known, and neither counts.
 *
 * @returns undefined without a cookie; a text that is no token where several could be sessions
 */
function sessionCookieOf(header: string, name: string): string | undefined {
  const values = cookiesOf(header, name).filter((value) => value !== '');
  const [token, other] = values.filter(isSessionToken);
  if (other !== undefined) return '';
  return token ?? values[0];
}

function fromHeader(authorization: string): Credential {
  const [, scheme = '', value = ''] = /^(\S+) +(\S+) *$/.exec(authorization) ?? [];
  if (scheme.toLowerCase() === 'bearer') return { kind: 'token', token: value, from: 'header' };
  if (scheme.toLowerCase() === 'basic') {
    const text = Buffer.from(value, 'base64').toString('utf8');
    const colon = text.indexOf(':');
    // No username contains NUL, and PostgreSQL rejects it even in a query.
    if (colon > 0 && !text.includes('\0')) {
      return {
        kind: 'basic',
        username: text.slice(0, colon),
        password: text.slice(colon + 1),
        from: 'header',
      };
    }
  }
  return { kind: 'unreadable', from: 'header' };
}

/** Returns username and password of `Authorization: Basic`; null when the header is missing or malformed. */
export function basicOf({ headers }: IncomingMessage): { username: string; password: string } | null {
  const credential = headers.authorization === undefined ? null : fromHeader(headers.authorization);
  return credential?.kind === 'basic' ? credential : null;
}

/**
 * Returns the value of a cookie of a request.
 *
 * @param header the Cookie header
 * @returns null when the request has none of this name, or several with different values
 */
export function cookieOf(header: string, name: string): string | null {
  const [value, other] = cookiesOf(header, name);
  return other === undefined ? (value ?? null) : null;
}

/** Returns the different values of the cookies of a name. */
function cookiesOf(header: string, name: string): string[] {
  const values = new Set<string>();
  for (const part of header.split(';')) {
    const equals = part.indexOf('=');
    if (equals > 0 && part.slice(0, equals).trim() === name) {
      values.add(
        part
          .slice(equals + 1)
          .trim()
          .replace(/^"(.*)"$/, '$1'),
      );
    }
  }
  return [...values];
}

/**
 * Removes `token` from a query string, so that no schema, log or error ever contains it.
 *
 * @returns the token, null without one and "" for one that cannot be decoded; and the rest of the query
 */
export function takeToken(query: string): { token: string | null; rest: string } {
  if (query === '' || !/(^|&)token=/.test(query)) return { token: null, rest: query };
  const parts = query.split('&');
  const found = parts.find((part) => part.startsWith('token='));
  const rest = parts.filter((part) => !part.startsWith('token=')).join('&');
  return { token: percentDecoded(found?.slice('token='.length) ?? '', ''), rest };
}
