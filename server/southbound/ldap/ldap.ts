import { lookup as resolve } from 'node:dns/promises';
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
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
import { connectionFailed, refusedBy, tooSlow } from '../http/failures.ts';
import type { LdapCondition, LdapConnection, LdapPort, LdapSearch, LdapTarget } from './ports.ts';

/** Time limits of a connection and of each operation, in milliseconds. */
const CONNECT_MS = 5000;
const OPERATION_MS = 10_000;
const CLOSE_MS = 1000;

/** @param allowNear ALLOW_PRIVATE_TARGETS */
export function openLdap({ allowNear }: { allowNear: boolean }): LdapPort {
  return {
    async connect(target, work) {
      const client = await bound(target, allowNear, target.bindDn, target.bindPassword ?? '');
      const connection: LdapConnection = {
        search: (search) => named(target, () => searchWith(client, search)),
        verify: (dn, password) => verify(target, allowNear, dn, password),
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
async function bound(target: LdapTarget, allowNear: boolean, dn: string | undefined, password: string) {
  const { client, startTls } = await open(target, allowNear);
  try {
    return await named(target, async () => {
      if (startTls) await encrypted(client, startTls);
      if (dn !== undefined) await client.bind(dn, password);
      return client;
    });
  } catch (error) {
    await close(client);
    throw error;
  }
}

async function verify(
  target: LdapTarget,
  allowNear: boolean,
  dn: string,
  password: string,
): Promise<boolean> {
  // A bind without a password is anonymous and always succeeds (RFC 4513 §5.1.2).
  if (password === '') return false;
  const { client, startTls } = await open(target, allowNear);
  try {
    return await named(target, async () => {
      if (startTls) await encrypted(client, startTls);
      try {
        await client.bind(dn, password);
        return true;
      } catch (error) {
        // Every answer to a bind but success is a refusal: also locked, expired and restricted accounts.
        if (error instanceof InvalidCredentialsError || error instanceof ResultCodeError) return false;
        throw error;
      }
    });
  } finally {
    await close(client);
  }
}

/** Sends StartTLS and waits for the handshake, for which the library has no time limit. */
const encrypted = (client: Client, tls: Parameters<Client['startTLS']>[0]) =>
  Promise.race([
    client.startTLS(tls),
    sleep(OPERATION_MS, undefined, { ref: false }).then(() => {
      throw new Error('StartTLS timed out');
    }),
  ]);

/** Ends a connection; a server that does not take leave is not waited for. */
const close = (client: Client) =>
  Promise.race([client.unbind().catch(() => undefined), sleep(CLOSE_MS, undefined, { ref: false })]);

async function open(target: LdapTarget, allowNear: boolean) {
  const url = new URL(target.url);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const where = { adapter: target.name, host, stage: 'connect' as const };
  const fault = hostFault(host, allowNear);
  if (fault) throw refusedBy(where, `the host ${fault}`, 'TARGET_DENIED');
  const address = await addressOf(host).catch((error: Error) => {
    throw connectionFailed(where, error);
  });
  const denied = addressFault(address, allowNear);
  if (denied) throw refusedBy(where, `${host} ${denied}`, 'TARGET_DENIED');
  const secure = url.protocol === 'ldaps:';
  const serverName = target.serverName ?? host;
  // Without `host`: it would be dialled instead of the address that was checked.
  const tls = {
    checkServerIdentity: (_: string, certificate: PeerCertificate) =>
      checkServerIdentity(serverName, certificate),
    ...(isIP(serverName) === 0 && { servername: serverName }),
    ...(target.ca && { ca: target.ca }),
    minVersion: 'TLSv1.2' as const,
  };
  const at = isIP(address) === 6 ? `[${address}]` : address;
  const client = new Client({
    url: `${secure ? 'ldaps' : 'ldap'}://${at}:${url.port || (secure ? 636 : 389)}`,
    connectTimeout: CONNECT_MS,
    timeout: OPERATION_MS,
    ...(secure && { tlsOptions: tls }),
  });
  return { client, startTls: secure ? null : tls };
}

const addressOf = async (host: string): Promise<string> =>
  isIP(host) === 0 ? (await resolve(host)).address : host;

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
      throw refusedBy(where, 'the directory does not accept bindDn and bindPassword', 'BIND_REFUSED');
    if (cause instanceof ResultCodeError)
      throw refusedBy(
        where,
        `the directory answers with the error ${cause.code} (${cause.name})`,
        'LDAP_ERROR',
      );
    if (/timeout|timed out/i.test(cause.message)) throw tooSlow(where, OPERATION_MS);
    throw connectionFailed(where, cause as Error & { code?: string });
  }
}
