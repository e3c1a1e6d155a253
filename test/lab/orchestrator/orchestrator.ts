import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Identity } from '../certificates.ts';
import { actionReply, type SyncState, VPN_MODULE } from './actions.ts';
import { DEVICES, PACKAGES, SERVICES } from './content.ts';

/** How the next answers of an orchestrator deviate from its usual ones. */
export type Mood = {
  /** Version that it reports; before 6.7 a dry run is a parameter of its own. */
  version: string;
  jsonRpc: boolean;
  /** Time before each answer, in milliseconds. */
  delay: number;
  /** Somebody else holds its configuration. */
  locked: boolean;
  /** It takes a dry run for a commit. */
  ignoresDryRun: boolean;
  legacyOnly: boolean;
  /** It breaks off while it validates. */
  breaksOff: boolean;
  /** Devices that it knows. */
  devices: readonly object[];
  /** It knows no other member of `fields` than names. */
  namesOnly: boolean;
};

const USUAL: Mood = {
  version: '6.4',
  jsonRpc: true,
  delay: 0,
  locked: false,
  ignoresDryRun: false,
  legacyOnly: false,
  breaksOff: false,
  devices: DEVICES,
  namesOnly: false,
};

const TOO_BIG = 'vlan 5000 is not a valid value';

/**
 * An orchestrator on loopback that speaks RESTCONF, its older form and JSON-RPC, and has two services. It keeps what was
 * really committed, what it was asked, and which locks, transactions and sessions are open.
 *
 * @param tls speaks TLS with this identity; absent: none
 */
export async function openOrchestrator({ port = 0, tls }: { port?: number; tls?: Identity } = {}) {
  const peer = {
    port,
    username: 'bar',
    password: 'Orch-Secret-7',
    mood: { ...USUAL },
    committed: [] as string[],
    /** Whether it knows the configurations of its devices as they are. */
    sync: new Map() as SyncState,
    seen: [] as { method: string; path: string; headers: IncomingMessage['headers']; body: string }[],
    /** Of JSON-RPC: sessions, transactions and validation locks that are open. */
    open: { sessions: new Set<string>(), transactions: new Set<number>(), locks: new Set<number>() },
    behave: (mood: Partial<Mood> = {}) => void Object.assign(peer.mood, USUAL, mood),
  };
  const loaded = new Map<number, string>();
  let serial = 0;

  const answer = (
    response: ServerResponse,
    status: number,
    body?: unknown,
    type = 'application/yang-data+json',
  ) => {
    const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
    response.writeHead(status, text ? { 'Content-Type': type } : {}).end(text);
  };
  const reject = (response: ServerResponse, status: number, tag: string, message: string) =>
    answer(response, status, {
      'ietf-restconf:errors': {
        error: [
          {
            'error-type': 'application',
            'error-tag': tag,
            'error-path': '/vpn:vpn',
            'error-message': message,
          },
        ],
      },
    });

  const rpc = (response: ServerResponse, request: IncomingMessage, body: string) => {
    if (!peer.mood.jsonRpc) return answer(response, 404, 'no such thing', 'text/plain');
    const { id, method, params } = JSON.parse(body) as {
      id: number;
      method: string;
      params: Record<string, never>;
    };
    const th = Number(params.th);
    const session = /sessionid=(\w+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
    const say = (reported: object) =>
      answer(response, 200, { jsonrpc: '2.0', id, ...reported }, 'application/json');
    if (method === 'login') {
      if (params.user !== peer.username || params.passwd !== peer.password)
        return say({ error: { type: 'session.create', message: 'Failed to create session: bad password' } });
      serial += 1;
      peer.open.sessions.add(`s${serial}`);
      response.setHeader('Set-Cookie', `sessionid=s${serial}; Path=/; HttpOnly`);
      return say({ result: {} });
    }
    if (!peer.open.sessions.has(session))
      return say({ error: { type: 'session.invalid_sessionid', message: 'no' } });
    switch (method) {
      case 'new_trans':
        if (peer.mood.locked)
          return say({
            error: { type: 'db.locked', message: 'the configuration database is locked by bob' },
          });
        serial += 1;
        peer.open.transactions.add(serial);
        return say({ result: { th: serial } });
      case 'load':
        if (String(params.data).includes('unknown-leaf'))
          return say({
            error: { type: 'rpc.method.failed', message: 'unknown element: unknown-leaf', data: { row: 3 } },
          });
        loaded.set(th, String(params.data));
        return say({ result: { row: 0, message: '' } });
      case 'validate_commit':
        peer.open.locks.add(th);
        if (peer.mood.breaksOff) return void response.destroy();
        if (loaded.get(th)?.includes('5000'))
          return say({
            error: {
              type: 'trans.validation_failed',
              message: 'Validation failed',
              data: { errors: [{ paths: ['/vpn:vpn{blue}'], message: TOO_BIG }] },
            },
          });
        return say({ result: {} });
      case 'clear_validate_lock':
        peer.open.locks.delete(th);
        return say({ result: {} });
      case 'delete_trans':
        peer.open.transactions.delete(th);
        return say({ result: {} });
      case 'logout':
        peer.open.sessions.delete(session);
        return say({ result: {} });
      default:
        peer.committed.push(`JSON-RPC ${method}`);
        return say({ result: {} });
    }
  };

  const read = (response: ServerResponse, path: string, query: string) => {
    if (peer.mood.namesOnly && /fields=name;/.test(decodeURIComponent(query)))
      return reject(response, 400, 'invalid-value', 'unknown field');
    const known: Record<string, unknown> = {
      '/restconf': { 'ietf-restconf:restconf': {} },
      '/restconf/data/tailf-ncs-monitoring:ncs-state/version': {
        'tailf-ncs-monitoring:version': peer.mood.version,
      },
      '/restconf/data/tailf-ncs:packages/package': { 'tailf-ncs:package': PACKAGES },
      '/restconf/data/tailf-ncs:devices/device': { 'tailf-ncs:device': peer.mood.devices },
      '/api/running/devices/device': { collection: { 'tailf-ncs:device': peer.mood.devices } },
      '/restconf/data/tailf-ncs:devices/device=ce1/config': { 'tailf-ncs:config': { hostname: 'ce1' } },
      '/restconf/data/tailf-ncs:devices/device=ce1': { 'tailf-ncs:device': [{ name: 'ce1' }] },
      '/restconf/data/ietf-yang-library:modules-state/module': {
        'ietf-yang-library:module': [
          { name: 'vpn', revision: '', schema: `http://127.0.0.1:${peer.port}/restconf/tailf/modules/vpn` },
        ],
      },
      '/api/operational/packages/package': { collection: { 'tailf-ncs:package': PACKAGES } },
    };
    if (path === '/restconf/data/xml') {
      const reported =
        '<errors xmlns="urn:ietf:params:xml:ns:yang:ietf-restconf"><error><error-type>application</error-type><error-tag>invalid-value</error-tag><error-message>too &lt;big&gt;</error-message></error></errors>';
      return answer(response, 400, reported, 'application/yang-data+xml');
    }
    if (path === '/restconf/data/bare')
      return answer(response, 409, { errors: { error: { 'error-tag': 'in-use', 'error-message': 'busy' } } });
    if (path === '/restconf/data/moved') {
      response.setHeader('Location', `http://127.0.0.1:${peer.port}/restconf/data/stolen`);
      return answer(response, 302);
    }
    if (path === '/restconf/tailf/modules/vpn') return answer(response, 200, VPN_MODULE, 'application/yang');
    if (path === '/restconf/data/empty') return answer(response, 204);
    if (path === '/restconf/data/huge')
      return answer(response, 200, 'x'.repeat(17 * 1024 * 1024), 'text/plain');
    if (path === '/restconf/data/deep')
      return answer(
        response,
        200,
        `${'['.repeat(300_000)}${']'.repeat(300_000)}`,
        'application/yang-data+json',
      );
    if (path === '/restconf/data/denied') return reject(response, 403, 'access-denied', 'no');
    const body = known[path] ?? SERVICES[path];
    return body && !(peer.mood.legacyOnly && path.startsWith('/restconf'))
      ? answer(response, 200, body)
      : reject(response, 404, 'invalid-value', 'uri keypath not found');
  };

  const write = (response: ServerResponse, request: IncomingMessage, query: string, body: string) => {
    const acted = actionReply(request.url ?? '', body, peer.sync);
    if (acted && 'output' in acted) return answer(response, 200, { 'tailf-ncs:output': acted.output });
    if (acted) return reject(response, 404, 'invalid-value', 'no such device');
    if (request.method === 'POST' && body.includes('"name":"ce1"'))
      return reject(response, 409, 'data-exists', 'object already exists');
    if (peer.mood.locked) return reject(response, 409, 'lock-denied', 'the configuration database is locked');
    if (body.includes('5000')) return reject(response, 400, 'invalid-value', TOO_BIG);
    const own = new URLSearchParams(query);
    const newer = Number(peer.mood.version.split('.')[1]) >= 7;
    const requested = newer
      ? Buffer.from(own.get('params') ?? '', 'base64')
          .toString()
          .includes('dry-run')
      : own.has('dry-run');
    if (requested && !peer.mood.ignoresDryRun)
      return answer(response, 200, {
        'dry-run-result': { native: { device: [{ name: 'ce1', data: 'vlan 100\n' }] } },
      });
    peer.committed.push(`${request.method} ${request.url}`);
    return answer(response, 204);
  };

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    peer.seen.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body });
    if (peer.mood.delay > 0) await sleep(peer.mood.delay);
    if (response.destroyed) return;
    if (path.startsWith('/jsonrpc')) return rpc(response, request, body);
    const expected = `Basic ${Buffer.from(`${peer.username}:${peer.password}`).toString('base64')}`;
    const known =
      request.headers.authorization === expected || request.headers['x-auth-token'] === peer.password;
    if (!known) return reject(response, 401, 'access-denied', 'access denied');
    return request.method === 'GET' || request.method === 'HEAD'
      ? read(response, path, query)
      : write(response, request, query, body);
  };
  const server = tls ? createSecureServer(tls, handle) : createServer(handle);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  peer.port = (server.address() as AddressInfo).port;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return Object.assign(peer, { close });
}
