import { keepLatest } from '../calculations/latest.ts';

/** Which kind of secret a member holds: it decides the placeholder that a profile shows. */
export type SecretKind = 'password' | 'passphrase' | 'token';

/**
 * Decides by its name which secret a member holds; null when it holds none. This is the one place that decides, for
 * settings and for the values of jobs (docs/decisions/0020, 0027). The words count anywhere in the name, whatever its
 * case and separators: `adminPassword`, `client_secret`, `x-api-key`.
 *
 * @param around name of the member that the member stands in
 */
export function secretKind(name: string, around?: string): SecretKind | null {
  const known = kindByName(name);
  if (known !== null || around === undefined) return known;
  // `key` alone is any key of any table, but beside a certificate it is the path of a private one
  // (contract/resources#2.15).
  return plainName(name) === 'key' && /https|tls|ssl/.test(plainName(around)) ? 'password' : null;
}

/** Values of jobs are walked again and again, and most members have names that were met before. */
const known = new Map<string, SecretKind | null>();
const MOST_KNOWN = 20_000;

function kindByName(name: string): SecretKind | null {
  const found = known.get(name);
  if (found !== undefined) return found;
  // Names of members may be data, and then there is no end of them.
  return keepLatest(known, MOST_KNOWN, name, kindOf(plainName(name)));
}

function kindOf(name: string): SecretKind | null {
  if (ABOUT_SECRETS.test(name)) return null;
  if (name.includes('passphrase')) return 'passphrase';
  if (/password|passwd|^pwd$|^pass$/.test(name)) return 'password';
  if (/token|apikey/.test(name)) return 'token';
  if (/secret|privatekey|keypath$|^authorization$/.test(name)) return 'password';
  return COMMUNITY.test(name) ? 'password' : null;
}

/** What tells something about a secret, and is none: `passwordPolicy`, `token_lifetime`, `minPasswordLength`. */
const ABOUT_SECRETS = /(policy|length|lifetime|expiry|expires|expiresin|expiration|ttl)$/;

/** An SNMP community is a password. A list of BGP communities is not, and neither is `extcommunity`. */
const COMMUNITY = /^(snmp(v[12]c?)?)?(ro|rw|read|write|readonly|readwrite|trap)?community(string|name)?$/;

const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Whether a value under such a name is a secret: null and "" say that there is none, true and false tell nothing. */
export const isSet = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== '' && typeof value !== 'boolean';
