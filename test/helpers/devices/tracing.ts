import { afterAll } from 'vitest';
import { openAuthority } from '../../lab/certificates.ts';
import { openGnoiTarget, openSilentPort } from '../../lab/gnoi/target.ts';
import { openGateway } from '../gateway.ts';

type Fields = Record<string, unknown>;

/** The answer to a trace, as far as tests look at it. */
type Traced = {
  status: string;
  code: number;
  key: string;
  result: {
    destination: Fields;
    max_hops: number;
    packet_size: number;
    reached: boolean;
    truncated: boolean;
    hops: { hop: number; loss: number; rtt: Fields; probes: { address: string; state: string }[] }[];
  };
  responses: Fields[];
};

/** Path of the endpoint, below that of the gateway. */
export const TRACEROUTE = '/gnoi/traceroute/execute';
export const LOGIN = { username: 'svc', password: 'Gnoi-Secret-5' };

/**
 * A gateway with gNOI targets, which end with the test file. The host `leaf` of its inventory is the target `plain`, which
 * speaks without TLS; `secure` has a certificate for its address, `mutual` asks for one too, that of `other` is for another
 * name and another address, that of `old` has ended, and `silent` never answers.
 */
export async function openTracing() {
  const gateway = await openGateway();
  const { done, send, url, callerWith } = gateway;
  const authority = openAuthority();
  const names = ['leaf.lab.example', 'localhost', '127.0.0.1'];
  const identity = authority.issue({ names });
  const plain = await openGnoiTarget();
  const secure = await openGnoiTarget({ tls: identity });
  const mutual = await openGnoiTarget({ tls: identity, clientCa: authority.ca });
  const other = await openGnoiTarget({ tls: authority.issue({ names: ['elsewhere.example', '192.0.2.7'] }) });
  const old = await openGnoiTarget({ tls: authority.issue({ names, until: new Date(Date.now() - 1000) }) });
  const silent = await openSilentPort();
  afterAll(() => {
    for (const one of [plain, secure, mutual, other, old, silent]) one.close();
  });

  /** Adds a host to the inventory, which is the target `plain` unless its fields say otherwise. */
  const host = (name: string, more: Fields = {}) =>
    done('POST', '/inventory/grpc', {
      host: { name, host: '127.0.0.1', port: plain.port, tls: { enabled: false }, ...LOGIN, ...more },
    });
  await host('leaf');

  const trace = (body: Fields) =>
    send('POST', TRACEROUTE, { host: 'leaf', destination: '198.51.100.9', ...body });
  /** A trace that must succeed. */
  const traced = async (body: Fields = {}): Promise<Traced> => {
    const answer = await trace(body);
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.json as Traced;
  };
  /** The status, headers and body of a trace that fails. */
  const failed = async (body: Fields) => {
    const { status, json, headers } = await trace(body);
    const error = json as { code: string; reason?: string; partial?: Traced; message: string };
    return { status, headers, ...error };
  };
  /** A request of admin at a path of another area. */
  const elsewhere = async (method: string, path: string) => {
    const { token } = await callerWith('admin');
    return fetch(`${url}${path}`, { method, headers: { Authorization: `Bearer ${token}` } });
  };
  const targets = { plain, secure, mutual, other, old, silent };
  return { ...gateway, ...targets, authority, host, trace, traced, failed, elsewhere };
}
