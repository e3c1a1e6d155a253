import postgres from 'postgres';
import type { Connection } from '../embedded.ts';

/** One server of a URL that names several. */
export type Host = { host: string; port: number };

/** The servers that a URL names, of which one at a time accepts writes: a primary and its standbys. */
export type Hosts = {
  /** The URL with its first server only, for drivers that accept one; where they connect is `primary`. */
  url: string;
  /**
   * Returns the server that accepts writes. It is looked up once, and again after `forget`.
   *
   * @throws Error with code ECONNREFUSED when no server can be reached, 57P03 when all that answer are in recovery
   */
  primary: () => Promise<Host>;
  /** Reports that a connection to this server was lost: the next caller of `primary` looks again. */
  forget: (lost: Host) => void;
};

const DEFAULT_PORT = 5432;
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
  const { before, hosts, after } = parts(connection);
  if (hosts.length < 2) return undefined;
  const opened = openHosts(hosts, (only) => `${before}${only}${after}`);
  known.set(connection, opened);
  return opened;
}

/** Splits a URL at its servers, which are between the last @ of the authority and the path: passwords may contain commas. */
function parts(url: string): { before: string; hosts: string[]; after: string } {
  const [authority = ''] = /^[a-z]+:\/\/[^/?#]*/i.exec(url) ?? [];
  const start = Math.max(authority.lastIndexOf('@'), authority.indexOf('//') + 1) + 1;
  const rest = url.slice(authority.length);
  const after = rest.replace(/([?&])target_session_attrs=[^&]*(&|$)/, (_, first, next) =>
    next ? first : '',
  );
  return { before: url.slice(0, start), hosts: authority.slice(start).split(',').filter(Boolean), after };
}

function hostOf(text: string): Host {
  const [, host = text, port] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(text) ?? [];
  return { host, port: port === undefined ? DEFAULT_PORT : Number(port) };
}

function openHosts(names: readonly string[], urlOf: (name: string) => string): Hosts {
  let current: Promise<Host> | undefined;
  let at: Host | undefined;
  const primary = (): Promise<Host> => {
    if (current) return current;
    const looking = find(names, urlOf);
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
    url: urlOf(names[0] as string),
    primary,
    forget: ({ host, port }) => {
      if (at?.host !== host || at.port !== port) return;
      at = undefined;
      current = undefined;
    },
  };
}

/** Asks all servers at once, so that one that does not answer delays nobody. */
async function find(names: readonly string[], urlOf: (name: string) => string): Promise<Host> {
  try {
    return await Promise.any(
      names.map(async (name) => {
        if (await isInRecovery(urlOf(name))) throw new Error(`${name} is in recovery`);
        return hostOf(name);
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

async function isInRecovery(url: string): Promise<boolean> {
  const client = postgres(url, {
    max: 1,
    connect_timeout: PROBE_S,
    fetch_types: false,
    onnotice: () => undefined,
    connection: { application_name: 'switchyard', statement_timeout: PROBE_S * 1000 },
  });
  try {
    const [row] = await client<{ standby: boolean }[]>`select pg_is_in_recovery() as standby`;
    return row?.standby ?? true;
  } finally {
    void client.end({ timeout: 0 });
  }
}
