import { request as plainRequest } from 'node:http';
import { Agent, request as secureRequest } from 'node:https';
import { hostFault } from '#server/targets.ts';
import { checkedLookup } from '../lookup.ts';
import type { Turns } from '../turns.ts';
import { authFailed, busy, connectionFailed, refusedBy, type Stage, tooSlow } from './failures.ts';
import type { OrchestratorTarget } from './ports.ts';

/** Most bytes of an answer: what is longer is refused, not cut. */
const MOST = 16 * 1024 * 1024;

const DEFAULTS = { connect: 5000, request: 60_000, maxConcurrent: 8 };

/** A request below the orchestrator's root, as it goes on the wire. */
export type Wire = {
  method: string;
  /** Absolute path with its query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
  /** False: the caller signs in by other means. */
  credential?: boolean;
  stage?: Stage;
};

/** An answer as it came. */
export type WireReply = {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
};

/** Sends one request. @throws ServiceError with `reason`, for all but an answer of HTTP */
export type Send = (wire: Wire) => Promise<WireReply>;

/** Whether the adapter speaks TLS; it does unless it says otherwise. */
const isSecure = ({ connection }: OrchestratorTarget) =>
  connection.protocol ? connection.protocol === 'https' : connection.tls?.enabled !== false;

/**
 * A way to send requests to one orchestrator, all of them within one deadline from now on. No redirect is followed: the
 * credential goes to the host of the adapter alone (lifecycle §9).
 */
export function openSend(
  target: OrchestratorTarget,
  { allowNear, turns, limitMs }: { allowNear: boolean; turns: Turns; limitMs?: number },
): Send {
  const { connection, adapter } = target;
  const host = connection.host ?? '';
  const ms = limitMs ?? connection.timeouts?.request ?? DEFAULTS.request;
  const deadline = AbortSignal.timeout(ms);
  return async (wire) => {
    const where = (stage: Stage) => ({ adapter, host, stage });
    const fault = hostFault(host, allowNear);
    if (fault) throw refusedBy(where('connect'), `the host ${fault}`, 'TARGET_DENIED');
    const end = await turns(adapter, connection.maxConcurrent ?? DEFAULTS.maxConcurrent, deadline).catch(
      () => {
        throw tooSlow(where('queue'), ms);
      },
    );
    if (!end) throw busy(where('queue'));
    try {
      const reply = await exchange(target, wire, { allowNear, deadline, ms });
      if (reply.status === 401 && wire.credential !== false) throw authFailed(where('request'));
      return reply;
    } finally {
      end();
    }
  };
}

type Terms = { allowNear: boolean; deadline: AbortSignal; ms: number };

async function exchange(target: OrchestratorTarget, wire: Wire, { allowNear, deadline, ms }: Terms) {
  const { connection, adapter } = target;
  const host = connection.host ?? '';
  const secure = isSecure(target);
  const connectMs = connection.timeouts?.connect ?? DEFAULTS.connect;
  let stage: Stage = 'connect';
  const where = () => ({ adapter, host, stage });
  return new Promise<WireReply>((resolve, reject) => {
    const options = {
      host,
      port: connection.port ?? (secure ? 8888 : 8080),
      method: wire.method,
      path: wire.path,
      headers: { ...(wire.credential !== false && credentialOf(target)), ...wire.headers },
      lookup: checkedLookup(allowNear),
      signal: deadline,
    };
    // Wrong PEM text, or a sign that no header can carry, is thrown at once.
    let sent: ReturnType<typeof plainRequest>;
    try {
      sent = secure
        ? secureRequest({ ...options, agent: new Agent({ keepAlive: false, ...tlsOf(target) }) })
        : plainRequest({ ...options, agent: false });
    } catch (error) {
      return reject(connectionFailed(where(), error as Error));
    }
    const impatience = setTimeout(() => {
      reject(tooSlow(where(), connectMs));
      sent.destroy();
    }, connectMs);
    const connected = () => {
      clearTimeout(impatience);
      stage = wire.stage ?? 'request';
    };
    const failed = (error: Error) => {
      clearTimeout(impatience);
      reject(deadline.aborted ? tooSlow(where(), ms) : connectionFailed(where(), error));
    };
    sent.on('socket', (socket) => socket.once(secure ? 'secureConnect' : 'connect', connected));
    sent.on('error', failed);
    sent.on('response', (got) => {
      const parts: Buffer[] = [];
      let size = 0;
      got.on('data', (part: Buffer) => {
        size += part.length;
        if (size <= MOST) return void parts.push(part);
        reject(refusedBy(where(), `the answer is longer than ${MOST / 1024 / 1024} MiB`, 'OUTPUT_LIMIT'));
        sent.destroy();
      });
      got.on('error', failed);
      got.on('aborted', () => failed(Object.assign(new Error('aborted'), { code: 'ECONNRESET' })));
      got.on('end', () =>
        resolve({
          status: got.statusCode ?? 0,
          headers: got.headers,
          text: Buffer.concat(parts).toString('utf8'),
        }),
      );
    });
    sent.end(wire.body);
  });
}

function credentialOf({ connection }: OrchestratorTarget): Record<string, string> {
  const { auth_method, username = '', password = '', token = '' } = connection.authentication ?? {};
  if (auth_method === 'token') return token ? { 'X-Auth-Token': token } : {};
  if (!username && !password) return {};
  return { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

function tlsOf({ connection: { tls } }: OrchestratorTarget) {
  return {
    rejectUnauthorized: tls?.rejectUnauthorized !== false,
    ...(tls?.ca && { ca: tls.ca }),
    ...(tls?.cert && { cert: tls.cert }),
    ...(tls?.key && { key: tls.key }),
  };
}
