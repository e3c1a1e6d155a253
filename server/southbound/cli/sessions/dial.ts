import { createHash } from 'node:crypto';
import { connect as connectSocket } from 'node:net';
import type { Duplex } from 'node:stream';
import ssh2, { type Client, type ClientChannel } from 'ssh2';
import { hostFault } from '#server/kernel/targets/targets.ts';
import { openKeyedSemaphore } from '#server/kernel/timing/keyed-semaphore.ts';
import { checkedLookup, TargetDenied } from '../../lookup.ts';
import { codeOf } from '../../socket-errors.ts';
import { algorithmsOf, type Negotiated, namesOfKey } from '../algorithms.ts';
import { credentialsOf } from '../credentials.ts';
import { PASSWORD_EXPIRED } from '../failures.ts';
import type { HostKey } from '../ports.ts';
import {
  COLUMNS,
  ConnectError,
  type ConnectFailure,
  type Hop,
  type Route,
  type Wire,
  type WireFacts,
} from '../reading/wire.ts';

const KEEPALIVE_MS = 15_000;

/** Characters of banners that are kept: a device may send them without end. */
const LONGEST_BANNER = 10_000;

/** Algorithms of a device that an error names. */
const MOST_NAMED = 12;

/** Bytes that may wait to be sent: a device that asks without end and reads no answer would fill the memory. */
const MOST_UNSENT = 1024 * 1024;

/**
 * Minimum interval in milliseconds between the starts of handshakes, unless the previous one has finished. Each keeps
 * the event loop busy for some milliseconds; the interval spreads that load, and a slow device does not delay the
 * others.
 */
const APART_MS = 20;
const handshakes = openKeyedSemaphore(Number.MAX_SAFE_INTEGER);

/** Returns a key with its fingerprint as OpenSSH prints it. */
const fingerprintOf = (key: Buffer): HostKey => {
  const parsed = ssh2.utils.parseKey(key);
  return {
    algorithm: parsed instanceof Error ? 'unknown' : parsed.type,
    fingerprint: `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`,
  };
};

/**
 * Connects to a device, through other hosts if required, authenticates and opens a shell.
 *
 * @returns the shell, whose end closes all connections of the route
 * @throws what `refuse` makes of a failure: its kind, the number of the host and the stage
 */
export async function dial(route: Route, signal: AbortSignal): Promise<Wire> {
  const clients: Client[] = [];
  const sockets: Duplex[] = [];
  const hangUp = () => {
    for (const client of clients.reverse()) client.end();
    // `end` leaves the socket open, and `destroy` of a client that has ended does nothing: a device that keeps sending would
    // be read forever.
    for (const socket of sockets.reverse()) socket.destroy();
  };
  const until = performance.now() + route.ms;
  try {
    let through: Duplex | null = null;
    let facts: WireFacts | undefined;
    for (const [index, hop] of route.hops.entries()) {
      const ms = () => Math.max(1, until - performance.now());
      const socket: Duplex = through ?? (await openSocket(route, index, hop, ms(), signal));
      sockets.push(socket);
      const client = new ssh2.Client();
      clients.push(client);
      const shaken = await handshakes(
        '',
        1,
        AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(ms()))]),
      ).catch(() => {
        socket.destroy();
        throw connectError({ kind: 'timeout', hop: index, stage: 'handshake' });
      });
      const enough = setTimeout(() => shaken?.(), APART_MS);
      const release = () => {
        clearTimeout(enough);
        shaken?.();
      };
      if (!socket.writable) {
        release();
        throw connectError({ kind: 'full', hop: index });
      }
      facts = await signIn(client, socket, { hop, index, ms: ms(), signal, shaken: release }).finally(
        release,
      );
      const next = route.hops[index + 1];
      if (next) through = await forward(client, hop.name, next, index + 1, route.allowPrivateTargets);
    }
    const last = clients.at(-1);
    if (!last || !facts) throw new Error('a route has at least one hop');
    const channel = await openShell(last, route, Math.max(1, until - performance.now()));
    return wireOf({ channel, client: last, socket: sockets[0] }, facts, hangUp);
  } catch (error) {
    hangUp();
    throw error;
  }
}

const connectError = (rejection: ConnectFailure) => new ConnectError(rejection);

function openSocket(
  { allowPrivateTargets }: Route,
  index: number,
  { host, port }: Hop,
  ms: number,
  signal: AbortSignal,
) {
  return new Promise<Duplex>((resolve, reject) => {
    const fault = hostFault(host, allowPrivateTargets);
    if (fault)
      return reject(connectError({ kind: 'socket', hop: index, code: '', denied: `the host ${fault}` }));
    const socket = connectSocket({ host, port, lookup: checkedLookup(allowPrivateTargets), noDelay: true });
    const leave = (rejection: ConnectFailure) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', aborted);
      socket.destroy();
      reject(connectError(rejection));
    };
    const aborted = () => leave({ kind: 'timeout', hop: index, stage: 'connect' });
    const timer = setTimeout(aborted, ms);
    signal.addEventListener('abort', aborted, { once: true });
    socket.on('error', (error: Error & { code?: string }) => {
      leave({
        kind: 'socket',
        hop: index,
        code: codeOf(error),
        denied: error instanceof TargetDenied ? error.message : null,
      });
    });
    socket.once('connect', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', aborted);
      resolve(socket);
    });
    if (signal.aborted) aborted();
  });
}

type DialOptions = {
  hop: Hop;
  index: number;
  ms: number;
  signal: AbortSignal;
  /** Called when the handshake has finished. */
  shaken: () => void;
};

/** Names in the list of key exchanges that announce extensions (RFC 8308, and the strict key exchange of OpenSSH). */
const EXTENSIONS = /^(?:ext-info|kex-strict)-/;

/** Returns what a device offered of the kind of algorithms that has none in common; of names that are none, nothing. */
function offerOf(remote: Partial<Record<string, string>>, what: string): string {
  const list = what === 'key exchange algorithm' ? 'KEX method' : what;
  const names = (remote[list] ?? remote[list.replace(/^h/, 'H')] ?? '').split(',');
  return names
    .filter((name) => /^[a-z\d][\w@.+-]{1,63}$/i.test(name) && !EXTENSIONS.test(name))
    .slice(0, MOST_NAMED)
    .join(', ');
}

function signIn(
  client: Client,
  sock: Duplex,
  { hop, index, ms, signal, shaken }: DialOptions,
): Promise<WireFacts> {
  return new Promise((resolve, reject) => {
    let stage: 'handshake' | 'auth' = 'handshake';
    let algorithms: Negotiated = { kex: '', serverHostKey: '', cipher: '', mac: '' };
    const remote: Partial<Record<string, string>> = {};
    let ident = '';
    let banner = '';
    let seen: HostKey = { algorithm: '', fingerprint: '' };
    let settled = false;
    const settle = (act: () => void) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', onTime);
      act();
    };
    const leave = (rejection: ConnectFailure) => settle(() => reject(connectError(rejection)));
    const onTime = () => leave({ kind: 'timeout', hop: index, stage });
    const timer = setTimeout(onTime, ms);
    signal.addEventListener('abort', onTime, { once: true });
    const credentials = credentialsOf(hop);

    client.on('handshake', ({ kex, serverHostKey, cs }) => {
      stage = 'auth';
      shaken();
      algorithms = { kex, serverHostKey, cipher: cs.cipher, mac: cs.mac ?? '' };
    });
    client.on('banner', (text) => {
      if (banner.length < LONGEST_BANNER) banner += String(text).slice(0, LONGEST_BANNER);
    });
    client.on('change password', () => leave({ kind: 'auth', hop: index, message: PASSWORD_EXPIRED }));
    client.on('ready', () => settle(() => resolve({ algorithms, hostKey: seen, ident, banner })));
    // A failed handshake emits two errors: the first one counts, and both need a listener.
    client.on('error', (error: Error & { level?: string; code?: string }) => {
      if (error.level === 'client-authentication') {
        return leave({ kind: 'auth', hop: index, message: credentials.failureText() });
      }
      if (/no matching/i.test(error.message)) {
        const what = error.message.replace(/^.*no matching /i, '');
        const remoteKex = remote['KEX method']?.split(',') ?? [];
        return leave({ kind: 'algorithms', hop: index, remoteKex, what, offer: offerOf(remote, what) });
      }
      if (error.level === 'client-socket' && stage === 'handshake' && ident !== '') {
        return leave({ kind: 'socket', hop: index, code: error.code ?? 'ECONNRESET', denied: null });
      }
      brokeOff();
    });
    const brokeOff = () => {
      if (ident === '') return leave({ kind: 'full', hop: index });
      if (stage === 'handshake' || !credentials.shown())
        return leave({ kind: 'broken', hop: index, stage: 'handshake', message: 'the connection was lost' });
      const message = credentials.failureText() ?? 'the device closed the connection during authentication';
      leave({ kind: 'auth', hop: index, message });
    };
    client.on('close', brokeOff);
    client.on('end', brokeOff);

    try {
      client.connect({
        sock,
        username: hop.username,
        readyTimeout: 0,
        keepaliveInterval: KEEPALIVE_MS,
        keepaliveCountMax: 4,
        algorithms: algorithmsOf(hop.profile, hop.slow, namesOfKey(hop.hostKey.algorithm)),
        hostVerifier: (key: Buffer) => {
          seen = fingerprintOf(key);
          const { policy, fingerprint } = hop.hostKey;
          if (policy === 'insecure' || seen.fingerprint === fingerprint) return true;
          if (fingerprint === null && policy === 'accept-new') return true;
          leave({ kind: 'key', hop: index, seen });
          return false;
        },
        authHandler: credentials.next,
        // The library reports these only in its debug output.
        debug: (line: string) => {
          const [, list = '', names] = /^Handshake: \(remote\) ([^:]+): (.*)$/.exec(line) ?? [];
          if (names !== undefined) remote[list] = names;
          else if (line.startsWith('Remote ident: ')) ident = line.slice(15, -1);
        },
      });
    } catch {
      leave({
        kind: 'broken',
        hop: index,
        stage: 'handshake',
        message: 'the connection could not be started',
      });
    }
  });
}

function forward(
  client: Client,
  through: string,
  { host, port }: Hop,
  index: number,
  allowPrivateTargets: boolean,
): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const fault = hostFault(host, allowPrivateTargets);
    if (fault)
      return reject(connectError({ kind: 'socket', hop: index, code: '', denied: `the host ${fault}` }));
    client.forwardOut('127.0.0.1', 0, host, port, (error, channel) =>
      error
        ? reject(connectError({ kind: 'forward', hop: index, through, isAllowed: isAllowed(error) }))
        : resolve(channel),
    );
  });
}

/** Codes of a rejected channel (RFC 4254, 5.1): prohibited, and a kind of channel that is unknown. */
const NOT_ALLOWED = [1, 3];

const isAllowed = (error: Error & { reason?: unknown }) => !NOT_ALLOWED.includes(Number(error.reason));

function openShell(client: Client, { rows, hops }: Route, ms: number): Promise<ClientChannel> {
  const hop = hops.length - 1;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(connectError({ kind: 'timeout', hop, stage: 'login' })), ms);
    const lost = () =>
      reject(
        connectError({
          kind: 'broken',
          hop,
          stage: 'login',
          message: 'the connection was lost before a shell was open',
        }),
      );
    client.once('close', lost);
    const opened = (error: Error | undefined, channel: ClientChannel) => {
      clearTimeout(timer);
      client.removeListener('close', lost);
      if (error)
        reject(
          connectError({ kind: 'broken', hop, stage: 'login', message: 'the device does not open a shell' }),
        );
      else resolve(channel);
    };
    const terminal = { term: 'vt100', cols: COLUMNS, rows, width: 0, height: 0, modes: {} };
    // Some devices open a shell only without a terminal.
    client.shell(terminal, (error, channel) => {
      if (!error) return opened(undefined, channel);
      try {
        client.shell(false, opened);
      } catch {
        // The library throws when the connection is what was lost: nobody else would catch it.
        lost();
      }
    });
  });
}

type Connection = {
  channel: ClientChannel;
  client: Client;
  /** Socket of the first hop, over which everything comes. */
  socket: Duplex | undefined;
};

function wireOf({ channel, client, socket }: Connection, facts: WireFacts, hangUp: () => void): Wire {
  let early: Buffer[] | null = [];
  let closed = false;
  let take: (bytes: Buffer) => void = (bytes) => early?.push(bytes);
  const closers: (() => void)[] = [];
  const close = () => {
    if (closed) return;
    closed = true;
    for (const notify of closers) notify();
    hangUp();
  };
  channel.on('data', (bytes: Buffer) => take(bytes));
  channel.stderr.on('data', (bytes: Buffer) => take(bytes));
  channel.on('error', close);
  channel.on('close', close);
  // Nothing follows: some devices close the channel only when the client has, which would wait for a prompt.
  channel.on('end', close);
  client.on('close', close);
  socket?.on('data', () => {
    if (socket.writableLength > MOST_UNSENT) close();
  });
  return {
    facts,
    write: (text) => {
      if (!closed && channel.writable) channel.write(text);
    },
    onData: (listener) => {
      const before = early ?? [];
      early = null;
      take = listener;
      for (const bytes of before) listener(bytes);
    },
    onClose: (listener) => {
      if (closed) listener();
      else closers.push(listener);
    },
    // Not the channel: it buffers whatever comes for it.
    pause: () => void socket?.pause(),
    resume: () => void socket?.resume(),
    close,
  };
}
