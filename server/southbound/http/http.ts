import { type Agent, type AgentOptions, Agent as PlainAgent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { hostFault } from '#server/kernel/targets/targets.ts';
import { checkedLookup } from '../lookup.ts';
import { tlsNameOptions } from '../tls-name.ts';
import { ACCEPTED_CODINGS } from './content-encoding.ts';
import { exchangeBytes } from './exchange.ts';
import { connectionFailed, rejectedBy, tooSlow } from './failures.ts';
import type { FindProxy } from './outbound-proxy.ts';
import type { HttpPort, HttpTarget, TlsSettings } from './ports.ts';

/** Most adapters whose connections are kept open; the one used longest ago is closed first. */
const MOST_AGENTS = 200;
/** Time in milliseconds after which an unused connection is closed; servers commonly close theirs after five seconds. */
const IDLE_MS = 4000;
/** How much of an answer is read that only shows a connection, in bytes. */
const CONNECT_BYTES = 1024;

/**
 * Opens the port for HTTP calls of adapters, which reuses connections.
 *
 * @param allowPrivateTargets whether loopback and link-local addresses may be reached
 * @param findProxy returns the proxy of requests to a host; undefined: they are sent directly
 */
export function openHttp({
  allowPrivateTargets,
  findProxy = () => undefined,
}: {
  allowPrivateTargets: boolean;
  findProxy?: FindProxy;
}): HttpPort {
  const agentOf = openAgents();
  /** Returns the agent of a request; none: a new connection, directly. */
  const routeOf = (url: URL, connectionKey: string | undefined) => {
    const { secure, host } = placeOf(url);
    const route = findProxy(host, secure);
    const through = route?.proxy.hostname;
    const make =
      route?.agent ?? ((options: AgentOptions) => new (secure ? SecureAgent : PlainAgent)(options));
    if (connectionKey === undefined) return { agent: route?.agent({ keepAlive: false }), through };
    // Requests of one adapter may go to several hosts, of which a proxy reaches some.
    const key = `${secure ? 'https' : 'http'} ${route ? 'proxied' : 'direct'} ${connectionKey}`;
    return { agent: agentOf(key, make), through };
  };
  const send: HttpPort['send'] = (
    { adapter, tls, timeouts, connectionKey },
    { url, body, ...request },
    options,
  ) => {
    const secure = url.protocol === 'https:';
    return exchangeBytes(
      {
        ...request,
        ...placeOf(url),
        path: `${url.pathname}${url.search}`,
        headers: {
          'Accept-Encoding': ACCEPTED_CODINGS,
          ...request.headers,
          ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }),
        },
        body,
        tls: secure ? tlsOptions(tls) : undefined,
        ...routeOf(url, connectionKey),
      },
      {
        called: adapter,
        allowPrivateTargets,
        connectMs: timeouts.connect,
        requestMs: timeouts.request,
        deadline: AbortSignal.timeout(timeouts.request),
        cancelled: options.signal,
        most: options.maxBytes,
        truncate: options.truncate,
        stage: options.stage,
        decompress: true,
      },
    );
  };
  return {
    send,
    connect: async (target, url, signal) => {
      const { secure, host } = placeOf(url);
      if (!findProxy(host, secure)) return connectOnce(target, url, signal, allowPrivateTargets);
      // Through a proxy for plain requests there is no connection without one.
      const request = { method: 'HEAD', url: new URL('/', url), headers: {} };
      await send({ ...target, connectionKey: undefined }, request, {
        signal,
        maxBytes: CONNECT_BYTES,
        truncate: true,
      });
    },
  };
}

const placeOf = (url: URL) => ({
  secure: url.protocol === 'https:',
  host: url.hostname.replace(/^\[|\]$/g, ''),
  port: url.port || undefined,
});

/** Returns TLS settings in Node's format. */
const tlsOptions = ({ rejectUnauthorized, ca, cert, key, serverName }: TlsSettings) => ({
  rejectUnauthorized: rejectUnauthorized !== false,
  minVersion: 'TLSv1.2' as const,
  ...(ca && { ca }),
  ...(cert && { cert }),
  ...(key && { key }),
  ...(serverName && tlsNameOptions(serverName)),
});

/** Returns a function that finds the agent of a connection; agents do not share connections. */
function openAgents() {
  const agents = new Map<string, Agent>();
  return (key: string, make: (options: AgentOptions) => Agent): Agent => {
    const agent = agents.get(key) ?? make({ keepAlive: true, timeout: IDLE_MS, maxFreeSockets: 16 });
    agents.delete(key);
    agents.set(key, agent);
    const [oldest] = agents.keys();
    if (agents.size > MOST_AGENTS && oldest !== undefined) {
      agents.get(oldest)?.destroy();
      agents.delete(oldest);
    }
    return agent;
  };
}

async function connectOnce(target: HttpTarget, url: URL, signal: AbortSignal, allowPrivateTargets: boolean) {
  const { secure, host, port } = placeOf(url);
  const where = { adapter: target.adapter, host, stage: 'connect' as const };
  const fault = hostFault(host, allowPrivateTargets);
  if (fault) throw rejectedBy(where, `the host ${fault}`, 'TARGET_DENIED');
  signal.throwIfAborted();
  const { connect: ms } = target.timeouts;
  await new Promise<void>((resolve, reject) => {
    let socket: Socket;
    const address = {
      host,
      port: Number(port ?? (secure ? 443 : 80)),
      lookup: checkedLookup(allowPrivateTargets),
    };
    try {
      // Unlike a request, a socket does not take the name for TLS from its host.
      const named = /[a-z]/i.test(host) && !host.includes(':') ? { servername: host } : {};
      socket = secure
        ? connectSecure({ ...named, ...tlsOptions(target.tls), ...address })
        : connectPlain(address);
    } catch (error) {
      return reject(connectionFailed(where, error as Error));
    }
    const leave = () => settle(() => reject(signal.reason));
    const timer = setTimeout(() => settle(() => reject(tooSlow(where, ms))), ms);
    const settle = (done: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
      socket.destroy();
      done();
    };
    signal.addEventListener('abort', leave, { once: true });
    socket.once(secure ? 'secureConnect' : 'connect', () => settle(resolve));
    socket.once('error', (error) => settle(() => reject(connectionFailed(where, error))));
  });
}
