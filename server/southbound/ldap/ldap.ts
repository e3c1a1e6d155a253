import { connect, isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AndFilter,
  Client,
  type Entry,
  EqualityFilter,
  ExtensibleFilter,
  type Filter,
  FilterParser,
  InvalidCredentialsError,
  OrFilter,
  ResultCodeError,
} from 'ldapts';
import { ServiceError } from '#server/kernel/errors.ts';
import { addressFault, hostFault } from '#server/kernel/targets/targets.ts';
import { connectionFailed, rejectedBy, tooSlow } from '../http/failures.ts';
import { lookupAll } from '../lookup.ts';
import { tlsNameOptions } from '../tls-name.ts';
import { type Bounded, boundAnswers, MOST_MS, TOO_MUCH } from './bounded-answers.ts';
import type { LdapCondition, LdapConnection, LdapPort, LdapSearch, LdapTarget } from './ports.ts';

/** Time limits of a connection and of each operation, in milliseconds. */
const CONNECT_MS = 5000;
const OPERATION_MS = 10_000;
const CLOSE_MS = 1000;
/** Time limit for each address of a name with several, in milliseconds, and how many of them are tried. */
const TRY_MS = 1500;
const MOST_ADDRESSES = 4;

/** Which addresses may be reached, how names become addresses, and for how long. */
type Reach = {
  allowPrivateTargets: boolean;
  resolve: (host: string) => Promise<readonly { address: string }[]>;
  /** How long a directory may send on one connection, in milliseconds. */
  mostMs: number;
};

/**
 * Opens the access to LDAP directories.
 *
 * @param allowPrivateTargets whether loopback and link-local addresses may be reached
 * @param resolve returns the addresses of a name; absent: those of the system
 * @param mostMs how long a directory may send on one connection, in milliseconds; absent: a minute
 */
export function openLdap({
  allowPrivateTargets,
  resolve = lookupAll,
  mostMs = MOST_MS,
}: Pick<Reach, 'allowPrivateTargets'> & Partial<Reach>): LdapPort {
  const reach = { allowPrivateTargets, resolve, mostMs };
  return {
    async connect(target, work) {
      const client = await bound(target, reach, target.bindDn, target.bindPassword ?? '');
      const connection: LdapConnection = {
        search: (search) => named(target, () => searchWith(client, search)),
        verify: (dn, password) => verify(target, reach, dn, password),
      };
      try {
        return await work(connection);
      } finally {
        await close(client);
      }
    },
  };
}

/** Returns a connection with TLS on which an account is bound. */
async function bound(target: LdapTarget, reach: Reach, dn: string | undefined, password: string) {
  const { client, startTls, answers } = await open(target, reach);
  try {
    return await named(target, async () => {
      if (startTls) await encrypted(client, startTls, answers);
      if (dn !== undefined) await client.bind(dn, password);
      return client;
    });
  } catch (error) {
    await close(client);
    throw error;
  }
}

async function verify(target: LdapTarget, reach: Reach, dn: string, password: string): Promise<boolean> {
  // A bind without a password is anonymous and always succeeds (RFC 4513 §5.1.2).
  if (password === '') return false;
  const { client, startTls, answers } = await open(target, reach);
  try {
    return await named(target, async () => {
      if (startTls) await encrypted(client, startTls, answers);
      try {
        await client.bind(dn, password);
        return true;
      } catch (error) {
        // Every result of a bind except success is a rejection: also locked, expired and restricted accounts.
        if (error instanceof InvalidCredentialsError || error instanceof ResultCodeError) return false;
        throw error;
      }
    });
  } finally {
    await close(client);
  }
}

/** Sends StartTLS and waits for the handshake, for which the library has no time limit. */
async function encrypted(
  client: Client,
  tls: Parameters<Client['startTLS']>[0],
  answers: Bounded,
): Promise<void> {
  await Promise.race([
    client.startTLS(tls),
    sleep(OPERATION_MS, undefined, { ref: false }).then(() => {
      throw new Error('StartTLS timed out');
    }),
  ]);
  // What came unencrypted would be read as the beginning of the first encrypted answer: whoever is on the way could
  // write that a bind succeeded.
  if (answers.hasPart())
    throw Object.assign(new Error('StartTLS was answered with more than its answer'), { code: 'EPROTO' });
}

/** Ends a connection; a server that does not take leave is not waited for. */
const close = (client: Client) =>
  Promise.race([client.unbind().catch(() => undefined), sleep(CLOSE_MS, undefined, { ref: false })]);

async function open(target: LdapTarget, { allowPrivateTargets, resolve, mostMs }: Reach) {
  const url = new URL(target.url);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const where = { adapter: target.name, host, stage: 'connect' as const };
  const fault = hostFault(host, allowPrivateTargets);
  if (fault) throw rejectedBy(where, `the host ${fault}`, 'TARGET_DENIED');
  const found = isIP(host) === 0 ? await resolve(host).catch(failed(where)) : [{ address: host }];
  const addresses = found.map(({ address }) => address);
  const denied = addresses.map((one) => addressFault(one, allowPrivateTargets)).find((one) => one !== null);
  if (denied) throw rejectedBy(where, `${host} ${denied}`, 'TARGET_DENIED');
  const secure = url.protocol === 'ldaps:';
  const port = Number(url.port || (secure ? 636 : 389));
  const address = await answeringOf(addresses.slice(0, MOST_ADDRESSES), port);
  // Without `host`: it would be dialled instead of the address that was checked.
  const tls = {
    ...tlsNameOptions(target.serverName ?? host),
    ...(target.ca && { ca: target.ca }),
    minVersion: 'TLSv1.2' as const,
  };
  const at = isIP(address) === 6 ? `[${address}]` : address;
  const client = new Client({
    url: `${secure ? 'ldaps' : 'ldap'}://${at}:${port}`,
    connectTimeout: CONNECT_MS,
    timeout: OPERATION_MS,
    ...(secure && { tlsOptions: tls }),
  });
  const answers = boundAnswers(client, mostMs);
  return { client, answers, startTls: secure ? null : tls };
}

const failed =
  (where: Parameters<typeof connectionFailed>[0]) =>
  (error: Error): never => {
    throw connectionFailed(where, error);
  };

/**
 * Returns the first address that accepts a connection: a name such as that of a domain has one for each server.
 *
 * @returns the first of all when none does, whose failure is then reported
 */
async function answeringOf(addresses: readonly string[], port: number): Promise<string> {
  const [first = '', ...others] = addresses;
  if (others.length === 0) return first;
  for (const address of addresses) if (await accepts(address, port)) return address;
  return first;
}

const accepts = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (does: boolean) => {
      socket.destroy();
      resolve(does);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
    socket.setTimeout(TRY_MS, () => end(false));
  });

async function searchWith(client: Client, { base, scope, where, attributes, most }: LdapSearch) {
  const pages = client.searchPaginated(base, {
    scope,
    filter: filterOf(where),
    attributes: [...attributes],
    explicitBufferAttributes: [...attributes],
    // Pages, because Active Directory returns at most a thousand entries at once (RFC 2696).
    paged: { pageSize: Math.min(500, most) },
    timeLimit: OPERATION_MS / 1000,
  });
  const found: Entry[] = [];
  for await (const { searchEntries } of pages) {
    found.push(...searchEntries);
    if (found.length > most)
      throw new ServiceError('BAD_GATEWAY', `a search finds more than ${most} entries`, {
        extra: { reason: 'TOO_MANY_ENTRIES' },
      });
  }
  return found.map((entry) => {
    const values = new Map(Object.entries(entry).map(([name, value]) => [name.toLowerCase(), value]));
    const buffers = (attribute: string) =>
      [values.get(attribute.toLowerCase()) ?? []].flat().map((value) => Buffer.from(value as string));
    return {
      dn: entry.dn,
      values: (attribute: string) => buffers(attribute).map((value) => value.toString('utf8')),
      bytes: (attribute: string) => buffers(attribute)[0] ?? null,
    };
  });
}

/** Returns a condition as the library sends it. @throws Error when its text is no filter */
export function filterOf(condition: LdapCondition): Filter {
  if ('and' in condition) return new AndFilter({ filters: condition.and.map(filterOf) });
  if ('or' in condition) return new OrFilter({ filters: condition.or.map(filterOf) });
  if ('text' in condition) return FilterParser.parseString(condition.text);
  const [attribute, value] = condition.equals;
  if ('rule' in condition)
    return new ExtensibleFilter({ rule: condition.rule, matchType: attribute, value: String(value) });
  return new EqualityFilter({ attribute, value });
}

/** Runs a step; an error of the library becomes a ServiceError with a reason, without the directory's own text. */
async function named<Value>(target: LdapTarget, step: () => Promise<Value>): Promise<Value> {
  const where = { adapter: target.name, host: new URL(target.url).hostname, stage: 'connect' as const };
  try {
    return await step();
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const cause = error as Error & { code?: string | number };
    if (cause instanceof InvalidCredentialsError)
      throw rejectedBy(where, 'the directory does not accept bindDn and bindPassword', 'BIND_REFUSED');
    if (cause instanceof ResultCodeError)
      throw rejectedBy(
        where,
        `the directory answers with the error ${cause.code} (${cause.name})`,
        'LDAP_ERROR',
      );
    // The library puts it after a text of its own.
    if (cause.message.includes(TOO_MUCH)) throw rejectedBy(where, TOO_MUCH, 'OUTPUT_LIMIT');
    if (/timeout|timed out/i.test(cause.message)) throw tooSlow(where, OPERATION_MS);
    const failed = connectionFailed(where, cause as Error & { code?: string });
    if (failed.extra?.reason !== 'BROKEN') throw failed;
    throw rejectedBy(where, 'the connection ended, or the response is not LDAP', 'BROKEN', true);
  }
}
