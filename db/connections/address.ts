import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { type ConnectionOptions, checkServerIdentity } from 'node:tls';

/** One server of a URL: a host name, an address or the folder of a Unix socket. */
export type Host = { host: string; port: number };

/** What a URL of a database says, in the grammar of libpq. */
export interface Address {
  /** One, or a primary and its standbys. */
  hosts: readonly Host[];
  user: string | undefined;
  password: string | undefined;
  database: string | undefined;
  /** How connections are encrypted; undefined: connections are not encrypted. */
  tls: Tls | undefined;
  /** Settings of the session, such as `options`. */
  settings: Readonly<Record<string, string>>;
}

interface Tls {
  mode: (typeof TLS_MODES)[number];
  rootCertificates: string | undefined;
  certificate: string | undefined;
  key: string | undefined;
  passphrase: string | undefined;
}

const DEFAULT_PORT = 5432;
const TLS_MODES = ['require', 'verify-ca', 'verify-full'] as const;

/** Parameters of libpq without a meaning here: what they ask for is done in any case, or is not offered. */
const IGNORED = [
  'application_name',
  'channel_binding',
  'connect_timeout',
  'fallback_application_name',
  'gssencmode',
  'keepalives',
  'keepalives_count',
  'keepalives_idle',
  'keepalives_interval',
  'load_balance_hosts',
  'target_session_attrs',
  'tcp_user_timeout',
];

/**
 * Parses the URL of a database. Both drivers get its parts: each reads a URL in another way, and neither as libpq does.
 *
 * @param url such as `postgres://user:password@host:5432/database?sslmode=verify-full`
 * @throws Error with one line that says what is wrong, without the URL, which may contain a password
 */
export function parseAddress(url: string): Address {
  const [, authority = '', path = '', query = ''] =
    /^postgres(?:ql)?:\/\/([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(url) ?? fail('is no URL of PostgreSQL');
  const parameters = new Map([...new URLSearchParams(query)]);
  const take = (name: string) => {
    const value = parameters.get(name);
    parameters.delete(name);
    return value === '' ? undefined : value;
  };
  const at = authority.lastIndexOf('@');
  const [, user = '', password] = /^([^:]*)(?::(.*))?$/s.exec(authority.slice(0, Math.max(at, 0))) ?? [];
  const hosts = hostsIn(authority.slice(at + 1), take('host'), take('port'));
  const address = {
    hosts,
    user: take('user') ?? (decoded(user) || undefined),
    password: take('password') ?? (password === undefined ? undefined : decoded(password)),
    database: take('dbname') ?? (decoded(path) || undefined),
    tls: tlsIn(take, hosts),
  };
  for (const name of IGNORED) take(name);
  return { ...address, settings: Object.fromEntries(parameters) };
}

/**
 * Checks the URL of a database.
 *
 * @param url of a variable
 * @returns what is wrong, to follow the name of the variable; null when nothing is
 */
export function addressFault(url: string): string | null {
  try {
    parseAddress(url);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

function fail(what: string): never {
  throw new Error(
    `${what}: it must be like postgres://user:password@host:5432/database, with @ : / ? % of a password written as %40 %3A %2F %3F %25`,
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return fail('has a % that no hexadecimal digits follow');
  }
}

/** Returns the servers between the last @ and the path, or those of the parameters `host` and `port`, separated by commas. */
function hostsIn(authority: string, host: string | undefined, port: string | undefined): Host[] {
  const ports = (port ?? '').split(',');
  const names = authority === '' ? (host ?? 'localhost') : authority;
  return names.split(',').flatMap((name, at) => {
    if (name === '') return [];
    const isNamed = authority === '' && host !== undefined;
    const [, inBrackets, plain = name, ownPort] =
      (isNamed ? undefined : /^(?:\[(.*)\]|([^:]*))(?::(.*))?$/s.exec(name)) ?? [];
    if (!isNamed && inBrackets === undefined && name.split(':').length > 2)
      fail('has an IPv6 address without brackets');
    const chosen = ownPort || ports[at] || ports[0] || String(DEFAULT_PORT);
    if (!/^\d{1,5}$/.test(chosen) || Number(chosen) > 65_535)
      fail('has a port that is no number up to 65535');
    return [{ host: decoded(inBrackets ?? plain), port: Number(chosen) }];
  });
}

/** @param take removes a parameter and returns its value */
function tlsIn(take: (name: string) => string | undefined, hosts: readonly Host[]): Tls | undefined {
  const files = {
    rootCertificates: take('sslrootcert'),
    certificate: take('sslcert'),
    key: take('sslkey'),
    passphrase: take('sslpassword'),
  };
  const asked = take('sslmode') ?? take('ssl');
  const isSystem = files.rootCertificates === 'system';
  const named = asked === 'true' ? 'require' : asked === 'false' ? 'disable' : asked;
  const mode = named ?? (isSystem ? 'verify-full' : 'disable');
  // A socket of the file system has no TLS, as with libpq.
  if (mode === 'disable' || hosts.every(({ host }) => host.startsWith('/'))) return undefined;
  const known = TLS_MODES.find((one) => one === mode);
  if (!known)
    throw new Error(
      `has an sslmode that is not supported: use ${TLS_MODES.join(', ')} or disable; prefer and allow encrypt nothing for certain`,
    );
  // As libpq does: a file of authorities is there to be used.
  const isChecked = known === 'require' && files.rootCertificates !== undefined;
  return {
    ...files,
    mode: isChecked ? 'verify-ca' : known,
    rootCertificates: isSystem ? undefined : files.rootCertificates,
  };
}

/**
 * Returns the options of TLS for the connections of one client. The files are read each time, so that renewed ones are used.
 *
 * @param host returns the name or address that the certificate must be for, with `verify-full`
 * @returns false for connections that are not encrypted
 * @throws Error that names the parameter whose file cannot be read
 */
export function tlsOf({ tls }: Address, host: () => string): ConnectionOptions | false {
  if (!tls) return false;
  const ca = fileOf('sslrootcert', tls.rootCertificates);
  const cert = fileOf('sslcert', tls.certificate);
  const key = fileOf('sslkey', tls.key);
  return {
    rejectUnauthorized: tls.mode !== 'require',
    // One of the drivers passes no name for an address, and Node would look for `localhost`.
    checkServerIdentity: (_, certificate) =>
      tls.mode === 'verify-full' ? checkServerIdentity(host(), certificate) : undefined,
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    ...(tls.passphrase && { passphrase: tls.passphrase }),
  };
}

function fileOf(parameter: string, file: string | undefined): Buffer | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new Error(`${parameter} cannot be read: ${(cause as Error).message}`);
  }
}

/**
 * Returns where postgres.js connects, and as whom.
 *
 * @param address of a URL
 * @param server one of its servers
 * @param nameOf returns the name of the server whose certificate is checked, where that changes
 * @throws Error that names a file of TLS that cannot be read
 */
export function driverOptions(address: Address, { host, port }: Host, nameOf = () => host) {
  const { user, password, database } = address;
  return {
    // As lists: the driver would take an address of IPv6 for a name and a port. A folder is no host.
    host: host.startsWith('/') ? host : [host],
    port: host.startsWith('/') ? port : [port],
    ...(user !== undefined && { username: user }),
    ...(password !== undefined && { password }),
    ...(database !== undefined && { database }),
    ssl: tlsOf(address, nameOf),
  };
}

/** Returns the servers of a URL for a line of text: `HOST:PORT`, or the folder of a socket; several are separated by commas. */
export const namesOf = ({ hosts }: Address): string =>
  hosts
    .map(({ host, port }) =>
      host.startsWith('/') ? host : `${isIP(host) === 6 ? `[${host}]` : host}:${port}`,
    )
    .join(',');
