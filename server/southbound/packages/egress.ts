import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect, createServer, isIP, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jsonOr } from '#server/kernel/json/json-or.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import { canonicalHost, matchTargets } from '#server/kernel/targets/listed-targets.ts';
import { hostFault } from '#server/kernel/targets/targets.ts';
import { checkedLookup, TargetDenied } from '../lookup.ts';

/** The targets that one process may reach, and the callbacks for its connections. */
export type EgressRules = {
  /** Hosts as `matchTargets` reads them. */
  hosts: readonly string[];
  onDenied: (host: string, reason: string) => void;
  onBytes: (direction: 'sent' | 'received', count: number) => void;
};

/** The proxy through which processes of packages reach the network. */
export type Egress = {
  /** Path of the socket. */
  path: string;
  /** Admits a process. @returns the token that its connections begin with, and a function that closes them for good */
  admit: (terms: EgressRules) => { token: string; revoke: () => void };
  close: () => Promise<void>;
};

/** Longest first line in bytes, the time for it and for a connection in milliseconds, and most connections of a process. */
const LONGEST_LINE = 1024;
const LINE_MS = 5000;
const CONNECT_MS = 30_000;
const MOST_CONNECTIONS = 64;

/** Beginning of the names of folders that hold a socket. */
const PREFIX = 'switchyard-egress-';

const UNLISTED = 'is not named by the connection of the adapter: allowHosts can list it';

type Admitted = EgressRules & { sockets: Set<Socket> };

/**
 * Opens the socket that the processes of packages connect to in place of the network. A connection begins with one line,
 * `{"token","host","port"}`; what follows goes to that host unchanged, so that TLS stays between the package and the host.
 * Names are looked up here, with the checks that every outgoing connection passes.
 *
 * @param allowPrivateTargets whether loopback and link-local addresses may be reached
 */
export async function openEgress(allowPrivateTargets: boolean): Promise<Egress> {
  await sweep();
  const folder = await mkdtemp(join(tmpdir(), PREFIX));
  const path = join(folder, 's');
  const admitted = new Map<string, Admitted>();
  const server = createServer({ allowHalfOpen: true }, (from) => {
    from.on('error', () => from.destroy());
    readLine(from, (line, rest) => {
      const target = jsonOr(line, null);
      const token = isObject(target) && typeof target.token === 'string' ? target.token : '';
      const terms = admitted.get(token);
      if (!terms || !isObject(target)) return void from.destroy();
      forward(
        from,
        rest,
        terms,
        { host: String(target.host), port: Number(target.port) },
        allowPrivateTargets,
      );
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  // Processes may run as another user; the token is what admits them.
  await chmod(path, 0o666);
  await chmod(folder, 0o711);
  server.unref();
  return {
    path,
    admit: (terms) => {
      const token = randomBytes(24).toString('base64url');
      const one = { ...terms, sockets: new Set<Socket>() };
      admitted.set(token, one);
      const revoke = () => {
        admitted.delete(token);
        for (const socket of one.sockets) socket.destroy();
      };
      return { token, revoke };
    },
    close: async () => {
      for (const { sockets } of admitted.values()) for (const socket of sockets) socket.destroy();
      admitted.clear();
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Removes the folders of processes that were killed: nobody listens on their sockets. */
async function sweep(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  const folders = names.filter((name) => name.startsWith(PREFIX)).map((name) => join(tmpdir(), name));
  await Promise.all(
    folders.map(async (folder) => {
      if (await hasNoListener(join(folder, 's')))
        await rm(folder, { recursive: true, force: true }).catch(() => null);
    }),
  );
}

/** Returns whether a socket exists on which nobody listens; one that is about to be made does not exist yet. */
const hasNoListener = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ path });
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', (error: Error & { code?: string }) => resolve(error.code === 'ECONNREFUSED'));
  });

function readLine(from: Socket, onLine: (line: string, rest: Buffer) => void): void {
  let read = Buffer.alloc(0);
  const timer = setTimeout(() => from.destroy(), LINE_MS);
  from.once('close', () => clearTimeout(timer));
  const onData = (part: Buffer) => {
    read = Buffer.concat([read, part]);
    const end = read.indexOf(10);
    if (end < 0 && read.length <= LONGEST_LINE) return;
    clearTimeout(timer);
    from.off('data', onData);
    from.pause();
    if (end < 0) from.destroy();
    else onLine(read.toString('utf8', 0, end), read.subarray(end + 1));
  };
  from.on('data', onData);
}

/** @returns why a process may not reach a host, or null and the check for the addresses that the host has */
function permitted(hosts: readonly string[], host: string, port: number, allowPrivateTargets: boolean) {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return { fault: 'has no such port' };
  const fault = hostFault(host, allowPrivateTargets);
  if (fault !== null) return { fault };
  const targets = hosts.map((one) => ({ host: one }));
  const { isNamed, hasNetworks, admits } = matchTargets(targets, { scheme: 'https', host, port });
  if (isNamed) return { fault: null };
  if (!hasNetworks || isIP(host) !== 0) return { fault: UNLISTED };
  return { fault: null, permits: (address: string) => (admits(address) ? null : UNLISTED) };
}

function forward(
  from: Socket,
  first: Buffer,
  terms: Admitted,
  target: { host: string; port: number },
  allowPrivateTargets: boolean,
) {
  const deny = (reason: string) => {
    terms.onDenied(target.host.slice(0, 255), reason);
    from.destroy();
  };
  // Each connection has two sockets.
  if (terms.sockets.size >= 2 * MOST_CONNECTIONS)
    return deny(`${MOST_CONNECTIONS} connections are open already`);
  const host = canonicalHost(target.host);
  if (host === null) return deny('is no host');
  const { fault, permits } = permitted(terms.hosts, host, target.port, allowPrivateTargets);
  if (fault !== null) return deny(fault);
  const to = connect({
    host,
    port: target.port,
    allowHalfOpen: true,
    lookup: checkedLookup(allowPrivateTargets, permits),
  });
  const timer = setTimeout(() => to.destroy(new Error('no connection in time')), CONNECT_MS);
  terms.sockets.add(from).add(to);
  from.once('close', () => {
    terms.sockets.delete(from);
    to.destroy();
  });
  to.once('close', () => {
    clearTimeout(timer);
    terms.sockets.delete(to);
    from.destroy();
  });
  to.once('connect', () => {
    clearTimeout(timer);
    to.setNoDelay(true);
    from.pipe(to);
    to.pipe(from);
  });
  to.on('error', (error: Error & { code?: string }) => {
    deny(
      error instanceof TargetDenied
        ? error.message
        : `the connection failed (${error.code ?? error.message})`,
    );
  });
  from.on('data', (part: Buffer) => terms.onBytes('sent', part.length));
  to.on('data', (part: Buffer) => terms.onBytes('received', part.length));
  // Listening for data makes a stream flow; the pipe resumes it.
  from.pause();
  if (first.length > 0) {
    terms.onBytes('sent', first.length);
    to.write(first);
  }
}
