import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  loadPackageDefinition,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceClientConstructor,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import type { Identity } from '../certificates.ts';
import { ROUTES, type Route } from './topology.ts';

const PROTO = fileURLToPath(new URL('../../../server/southbound/gnoi/', import.meta.url));

type Asked = {
  destination: string;
  initial_ttl: number;
  max_ttl: number;
  wait: string;
  l3protocol: string;
  network_instance: string;
  do_not_resolve: boolean;
  do_not_lookup_asn: boolean;
};
type Streaming = ServerWritableStream<Asked, object>;

type Options = {
  username?: string;
  password?: string;
  /** TLS with this identity; absent: none. */
  tls?: Identity;
  /** Clients must bear a certificate that this authority signed. */
  clientCa?: string;
  host?: string;
  port?: number;
};

const NANOSECONDS = 1_000_000;

/**
 * A gNOI target on loopback with a small network behind it (topology.ts). It keeps what it was asked, and counts the
 * traces that were canceled.
 */
export async function openGnoiTarget({
  username = 'svc',
  password = 'Gnoi-Secret-5',
  tls,
  clientCa,
  host = '127.0.0.1',
  port = 0,
}: Options = {}) {
  const target = {
    host,
    port,
    username,
    password,
    requested: [] as Asked[],
    /** Addresses and ports that calls came from: one for each connection. */
    peers: new Set<string>(),
    running: 0,
    most: 0,
    canceled: 0,
    close: () => server.forceShutdown(),
  };

  const letIn = ({ metadata }: Pick<Streaming, 'metadata'>) => {
    const [name] = metadata.get('username');
    const [secret] = metadata.get('password');
    return name === username && secret === password;
  };

  const traceroute = async (call: Streaming) => {
    target.peers.add(call.getPeer());
    if (!letIn(call))
      return void call.emit('error', { code: status.UNAUTHENTICATED, details: 'authentication failed' });
    target.requested.push(call.request);
    target.running += 1;
    target.most = Math.max(target.most, target.running);
    call.on('cancelled', () => {
      target.canceled += 1;
    });
    try {
      await trace(call);
    } finally {
      target.running -= 1;
    }
  };

  const time = (call: ServerUnaryCall<object, object>, answer: sendUnaryData<object>) => {
    target.peers.add(call.getPeer());
    if (!letIn(call)) return answer({ code: status.UNAUTHENTICATED, details: 'authentication failed' });
    answer(null, { time: String(BigInt(Date.now()) * BigInt(NANOSECONDS)) });
  };

  const definitions = loadSync('system.proto', {
    includeDirs: [PROTO],
    keepCase: true,
    longs: String,
    enums: String,
    defaults: true,
  });
  // The package that was just loaded: its shape is that of the file.
  const { gnoi } = loadPackageDefinition(definitions) as unknown as {
    gnoi: { system: { System: ServiceClientConstructor } };
  };
  const server = new Server();
  server.addService(gnoi.system.System.service, { Traceroute: traceroute, Time: time });
  const pair = tls && { private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.cert) };
  const secure = pair
    ? ServerCredentials.createSsl(clientCa ? Buffer.from(clientCa) : null, [pair], clientCa !== undefined)
    : ServerCredentials.createInsecure();
  const at = host.includes(':') ? `[${host}]` : host;
  target.port = await new Promise<number>((resolve, reject) =>
    server.bindAsync(`${at}:${port}`, secure, (error, bound) => (error ? reject(error) : resolve(bound))),
  );
  return target;
}

async function trace(call: Streaming) {
  const { destination, initial_ttl, max_ttl, wait, network_instance } = call.request;
  const route: Route = ROUTES.get(destination) ?? { name: destination, hops: [], silent: true };
  if (route.refused !== undefined)
    return void call.emit('error', {
      code: route.refused,
      details: 'because\nof Gnoi-Secret-5',
    });
  if (!['', 'default'].includes(network_instance))
    return void call.emit('error', { code: status.NOT_FOUND, details: 'no such network instance' });
  const last = max_ttl > 0 ? max_ttl : max_ttl === -1 ? 1_000_000 : 30;
  const messages: object[] = [];
  if (route.manner !== 'no header') {
    messages.push({
      destination_name: route.name,
      destination_address: destination,
      hops: last,
      packet_size: 60,
    });
  }
  for (let hop = initial_ttl || 1; hop <= Math.min(last, route.hops.length); hop += 1) {
    for (const probe of [0, 1, 2]) {
      const { address, name } = route.hops[hop - 1] ?? { address: '', name: '' };
      const state = hop === route.hops.length && route.end ? route.end : 'DEFAULT';
      messages.push({
        hop,
        address,
        name: call.request.do_not_resolve ? '' : name,
        rtt: String(hop * NANOSECONDS + probe * 500_000),
        state,
        ...(hop === 2 && { mpls: { Label: '16001' }, as_path: [64_500] }),
      });
    }
  }
  if (route.manner === 'shuffled') messages.reverse();
  for (const message of messages) {
    if (call.cancelled) return;
    call.write(message);
    if (route.manner === 'slow') await sleep(40);
  }
  if (route.manner === 'hangs') return void (await once(call, 'cancelled'));
  if (route.manner === 'breaks')
    return void call.emit('error', { code: status.INTERNAL, details: 'the process ended' });
  if (route.manner === 'endless') return flood(call);
  if (route.silent) {
    const pause = Math.max(1, Math.min(20, Number(wait) / NANOSECONDS));
    for (let hop = Math.max(initial_ttl || 1, route.hops.length + 1); hop <= last; hop += 1) {
      if (call.cancelled) return;
      for (const _ of [0, 1, 2]) call.write({ hop, state: 'NONE' });
      await sleep(pause);
    }
  }
  call.end();
}

/** Messages without end, faster than anybody could want them. */
async function flood(call: Streaming) {
  for (let hop = 1; !call.cancelled; hop += 1) {
    call.write({ hop, address: '192.0.2.9', rtt: '1000' });
    if (hop % 200 === 0) await sleep(1);
  }
}

/** A port on loopback that takes connections and never says a word. */
export async function openSilentPort() {
  const sockets = new Set<{ destroy: () => void }>();
  const server = createServer((socket) => void sockets.add(socket.on('error', () => undefined))).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, close };
}
