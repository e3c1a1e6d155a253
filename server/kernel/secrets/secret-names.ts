/** The kind of a secret: it decides the placeholder in a profile. */
export type SecretKind = 'password' | 'passphrase' | 'token';

/**
 * Returns which secret a field holds by its name; null when it holds none. This is the only place that decides, for
 * settings and for values of jobs (docs/decisions/0020, 0027). The words count anywhere in the name, whatever its case
 * and separators: `adminPassword`, `client_secret`, `x-api-key`.
 *
 * @param around name of the field that contains this field
 */
export function secretKind(name: string, around?: string): SecretKind | null {
  const known = kindByName(name);
  if (known !== null || around === undefined) return known;
  // `key` alone is a key of any table, but next to a certificate it is the path of a private key
  // (contract/resources#2.15).
  return plainName(name) === 'key' && /https|tls|ssl/.test(plainName(around)) ? 'password' : null;
}

/** A cache: values of jobs are walked repeatedly, and most of their field names recur. */
const known = new Map<string, SecretKind | null>();
const MOST_KNOWN = 20_000;
/** Longer names are data, which would stay in memory: a request may have some of a million characters. */
const LONGEST_KNOWN = 100;

function kindByName(name: string): SecretKind | null {
  if (name.length > LONGEST_KNOWN) return kindOf(plainName(name));
  const found = known.get(name);
  if (found !== undefined) return found;
  // Field names may be data, and then their number is unbounded. To drop only the oldest costs more than to find a kind.
  if (known.size >= MOST_KNOWN) known.clear();
  const kind = kindOf(plainName(name));
  known.set(name, kind);
  return kind;
}

function kindOf(name: string): SecretKind | null {
  if (!MAY_BE_SECRET.test(name) || ABOUT_SECRETS.test(name)) return null;
  if (name.includes('passphrase')) return 'passphrase';
  if (/password|passwd|^pwd$|^pass$/.test(name)) return 'password';
  if (/token|apikey/.test(name)) return 'token';
  if (/secret|privatekey|keypath$|^authorization$/.test(name)) return 'password';
  return COMMUNITY.test(name) ? 'password' : null;
}

/** What the names of all secrets contain: few names do, and the others need no closer look. */
const MAY_BE_SECRET = /pass|pwd|token|apikey|secret|privatekey|keypath|authorization|community/;

/** Names of fields about a secret that hold none: `passwordPolicy`, `token_lifetime`, `token_url`. */
const ABOUT_SECRETS =
  /(policy|length|lifetime|expiry|expires|expiresin|expiration|ttl|token(url|uri|endpoint))$/;

/** An SNMP community is a password. A list of BGP communities is not, and neither is `extcommunity`. */
const COMMUNITY = /^(snmp(v[12]c?)?)?(ro|rw|read|write|readonly|readwrite|trap)?community(string|name)?$/;

const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Returns whether a value under such a name is a secret: null and "" mean that none is set, booleans reveal nothing. */
export const isSet = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== '' && typeof value !== 'boolean';
