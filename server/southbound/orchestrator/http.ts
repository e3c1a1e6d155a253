import type { KeyedSemaphore } from '#server/kernel/timing/keyed-semaphore.ts';
import { maskOfConnection } from '../http/credential-mask.ts';
import { exchange, type HttpReply, tlsOf } from '../http/exchange.ts';
import { type Stage, tooSlow } from '../http/failures.ts';
import { authFailed, busy } from './failures.ts';
import type { OrchestratorTarget } from './ports.ts';

/** Maximum size of a response in bytes; longer responses are rejected, not truncated. */
const MOST_BYTES = 16 * 1024 * 1024;

const DEFAULTS = { connect: 5000, request: 60_000, maxConcurrent: 8 };

/** A request to the orchestrator, as it is sent. */
export type Wire = {
  method: string;
  /** Absolute path including the query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
  /** False: no credential is sent, because the caller authenticates by other means. */
  credential?: boolean;
  stage?: Stage;
};

/** Sends one request. @throws ServiceError with `reason`, unless there is an HTTP response */
export type Send = (wire: Wire) => Promise<HttpReply>;

/** Returns whether the adapter uses TLS, which is the default. */
const isSecure = ({ connection }: OrchestratorTarget) =>
  connection.protocol ? connection.protocol === 'https' : connection.tls?.enabled !== false;

/**
 * Returns a function that sends requests to one orchestrator; one deadline, starting now, covers all of them. Redirects
 * are not followed: the credential is sent only to the adapter's host (contract/lifecycle#9).
 *
 * @param allowPrivateTargets whether loopback and link-local addresses may be reached
 * @param turns limits how many requests an adapter has at once
 * @param limitMs deadline; undefined: that of the connection
 */
export function openSend(
  target: OrchestratorTarget,
  {
    allowPrivateTargets,
    turns,
    limitMs,
  }: { allowPrivateTargets: boolean; turns: KeyedSemaphore; limitMs?: number },
): Send {
  const { connection, adapter } = target;
  const host = connection.host ?? '';
  const mask = maskOfConnection(connection);
  const ms = limitMs ?? connection.timeouts?.request ?? DEFAULTS.request;
  const deadline = AbortSignal.timeout(ms);
  return async (wire) => {
    const where = (stage: Stage) => ({ adapter, host, stage });
    const end = await turns(adapter, connection.maxConcurrent ?? DEFAULTS.maxConcurrent, deadline).catch(
      () => {
        throw tooSlow(where('queue'), ms);
      },
    );
    if (!end) throw busy(where('queue'));
    try {
      const secure = isSecure(target);
      const reply = await exchange(
        {
          secure,
          host,
          port: connection.port ?? (secure ? 8888 : 8080),
          method: wire.method,
          path: wire.path,
          headers: { ...(wire.credential !== false && credentialOf(target)), ...wire.headers },
          body: wire.body,
          tls: tlsOf(connection),
        },
        {
          called: adapter,
          allowPrivateTargets,
          connectMs: connection.timeouts?.connect ?? DEFAULTS.connect,
          requestMs: ms,
          deadline,
          most: MOST_BYTES,
          stage: wire.stage,
        },
      );
      if (reply.status === 401 && wire.credential !== false) throw authFailed(where('request'));
      return { ...reply, text: mask(reply.text) };
    } finally {
      end();
    }
  };
}

function credentialOf({ connection }: OrchestratorTarget): Record<string, string> {
  const { auth_method, username = '', password = '', token = '' } = connection.authentication ?? {};
  if (auth_method === 'token') return token ? { 'X-Auth-Token': token } : {};
  if (!username && !password) return {};
  return { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}
