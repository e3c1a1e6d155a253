import { connect, Socket, setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import postgres, { type Sql } from 'postgres';
import type { Connection } from '../embedded.ts';
import { driverOptions, type Host, parseAddress } from './address.ts';
import { type Hosts, hostsOf } from './hosts.ts';

// How long each address of a name has to accept a connection, in milliseconds: as for all other names (server/southbound/lookup.ts).
setDefaultAutoSelectFamilyAttemptTimeout(1500);

/**
 * Opens a postgres.js client. Where the URL names several servers, each connection goes to the one that accepts writes.
 *
 * @param settings options of the driver, also those that its types do not know
 * @throws Error when a URL cannot be parsed
 */
export function openClient(connection: Connection, settings: object): Sql {
  if (typeof connection !== 'string') return postgres({ ...connection, ...settings } as Options);
  const address = parseAddress(connection);
  const [first] = address.hosts as [Host];
  const hosts = hostsOf(connection);
  let server = first;
  const toPrimary = () => socketToPrimary(hosts as Hosts, (chosen) => (server = chosen));
  const { connection: own, ...others } = settings as { connection?: object };
  return postgres({
    ...driverOptions(address, first, () => server.host),
    ...others,
    connection: { ...own, ...address.settings },
    ...(hosts && { socket: toPrimary }),
  } as Options);
}

type Options = postgres.Options<Record<string, never>>;

/**
 * Connects to the server that accepts writes. Never rejects, which the driver would not survive: the socket fails instead.
 *
 * @param chosen called with that server
 */
async function socketToPrimary(hosts: Hosts, chosen: (server: Host) => void): Promise<Socket> {
  try {
    const server = await hosts.primary();
    const { host, port } = server;
    chosen(server);
    const socket = openSocket({ path: false, host: [host], port: [port] }, () => hosts.forget(server));
    // With TLS the driver asks for the certificate of this name.
    return Object.assign(socket, { host });
  } catch (error) {
    return closedSocket(error);
  }
}

/**
 * Returns a socket that fails instead of connecting.
 *
 * @param failure the error of its connection attempt
 */
export function closedSocket(failure: unknown = connectionClosed()): Socket {
  const socket = withPairedEvents(new Socket(), undefined, failure);
  // The driver writes its first message in the next turn. A socket that closes before would leave it a message that it never
  // sends (postgres.js 3.4.9): its next connection to this client would be silent until the timeout of 5 s.
  setImmediate(() => setImmediate(() => socket.destroy()));
  return socket;
}

/**
 * Opens a socket to the only server of a client's options.
 *
 * @param path of a Unix socket; false: a host and a port are given
 * @param closed called once the socket is closed
 */
export function openSocket(
  { path, host, port }: { path: string | false; host: string[]; port: number[] },
  closed?: () => void,
): Socket {
  return withPairedEvents(path ? connect(path) : connect(port[0] ?? 5432, host[0]), closed);
}

/**
 * Makes a socket emit `error` and `close` together, whatever the cause. Between the two the driver would consider
 * the connection usable, and after a close without an error during login it would retry at once and for ever.
 *
 * @param failure what to emit instead of the socket's own error
 */
function withPairedEvents(socket: Socket, closed?: () => void, failure?: unknown): Socket {
  const emit = socket.emit.bind(socket);
  let reason = failure;
  socket.emit = (event: string, ...details: unknown[]) => {
    if (event === 'error') {
      reason ??= details[0];
      return true;
    }
    if (event === 'close') {
      closed?.();
      emit('error', reason ?? connectionClosed());
      return emit('close', false);
    }
    return emit(event, ...details);
  };
  return socket;
}

/** Returns the error of a statement on a connection that was closed, with the code that the driver gives it. */
export const connectionClosed = () =>
  Object.assign(new Error('The connection to the database is closed'), { code: 'CONNECTION_CLOSED' });
