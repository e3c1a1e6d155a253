import postgres from 'postgres';
import type { Connection } from '../embedded.ts';
import { type Address, driverOptions, type Host, namesOf, parseAddress } from './address.ts';

/** The servers that a URL names, of which one at a time accepts writes: a primary and its standbys. */
export type Hosts = {
  /**
   * Returns the server that accepts writes. It is looked up once, and again after `forget`.
   *
   * @throws Error with code ECONNREFUSED when no server can be reached, 57P03 when all that answer are in recovery
   */
  primary: () => Promise<Host>;
  /** Reports that a connection to this server was lost: the next caller of `primary` looks again. */
  forget: (lost: Host) => void;
};

/** How long a server may take to say whether it is in recovery, in seconds. */
const PROBE_S = 2;

const known = new Map<string, Hosts>();

/**
 * Returns the servers of a connection that names several, the same object for the same URL in this thread.
 *
 * @returns undefined for a connection with one server
 */
export function hostsOf(connection: Connection): Hosts | undefined {
  if (typeof connection !== 'string') return undefined;
  const found = known.get(connection);
  if (found) return found;
  const address = parseAddress(connection);
  if (address.hosts.length < 2) return undefined;
  const opened = openHosts(address);
  known.set(connection, opened);
  return opened;
}

function openHosts(address: Address): Hosts {
  let current: Promise<Host> | undefined;
  let at: Host | undefined;
  const primary = (): Promise<Host> => {
    if (current) return current;
    const looking = find(address);
    current = looking;
    looking.then(
      (host) => {
        at = host;
      },
      () => {
        if (current === looking) current = undefined;
      },
    );
    return looking;
  };
  return {
    primary,
    forget: ({ host, port }) => {
      if (at?.host !== host || at.port !== port) return;
      at = undefined;
      current = undefined;
    },
  };
}

/** Asks all servers at once, so that one that does not answer delays nobody. */
async function find(address: Address): Promise<Host> {
  try {
    return await Promise.any(
      address.hosts.map(async (host) => {
        if (await isInRecovery(address, host))
          throw new Error(`${namesOf({ ...address, hosts: [host] })} is in recovery`);
        return host;
      }),
    );
  } catch (error) {
    const reasons = (error as AggregateError).errors as (Error & { code?: string })[];
    const message = `no server accepts writes: ${reasons.map((reason) => reason.message).join('; ')}`;
    // A wrong password stays one: waiting would not help.
    const rejection = reasons.find(({ code }) => code?.startsWith('28') || code?.startsWith('3D'));
    const isStandby = reasons.some(({ code }) => code === undefined || code === '57P03');
    throw Object.assign(new Error(message), {
      code: rejection?.code ?? (isStandby ? '57P03' : 'ECONNREFUSED'),
    });
  }
}

async function isInRecovery(address: Address, host: Host): Promise<boolean> {
  const client = postgres({
    ...driverOptions(address, host),
    max: 1,
    connect_timeout: PROBE_S,
    fetch_types: false,
    onnotice: () => undefined,
    connection: { application_name: 'switchyard', statement_timeout: PROBE_S * 1000, ...address.settings },
  } as postgres.Options<Record<string, never>>);
  try {
    const [row] = await client<{ standby: boolean }[]>`select pg_is_in_recovery() as standby`;
    return row?.standby ?? true;
  } finally {
    void client.end({ timeout: 0 });
  }
}
