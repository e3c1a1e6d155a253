import type { DeviceContext } from '#server/kernel/contexts.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import type { RestReply, RestRequest, RestTarget } from '#server/southbound/rest/ports.ts';
import { noteCall } from './history.service.ts';
import { hostToReach, type ReachedHost } from './reach.service.ts';

/** A request to a host of the http inventory. */
export type HttpCall = {
  /** Below the base path of the host, including the query. */
  path: string;
  request: RestRequest;
  /** Account to sign in with instead of that of the inventory. */
  login?: { username: string; password: string } | undefined;
  /** Maximum duration in milliseconds. */
  timeoutMs?: number | undefined;
};

/**
 * Sends a request to a host of the http inventory, with its account, and adds it to the history of the gateway. Any
 * response is data.
 *
 * @throws ServiceError NOT_FOUND, CONFLICT; BAD_GATEWAY and GATEWAY_TIMEOUT when there is no response
 */
export async function sendHttp(
  call: DeviceContext,
  name: string,
  { path, request, login, timeoutMs }: HttpCall,
  { signal, requestId }: { signal: AbortSignal; requestId: string },
): Promise<RestReply> {
  const reached = await hostToReach(call, 'http', name);
  const target = targetOf(reached, login, timeoutMs);
  const started = call.platform.now();
  const began = performance.now();
  const note = (status: 'success' | 'failed' | 'canceled', reason: string | null, code?: number) =>
    noteCall(
      { db: call.db, log: call.platform.log },
      {
        kind: 'http',
        host: name,
        user: call.principal.username,
        started,
        durationMs: performance.now() - began,
        status,
        reason,
        requestId,
        commands: [`${request.method} ${path}`],
        secrets: [reached.password, login?.password ?? ''].filter(Boolean),
        more: code === undefined ? {} : { statusCode: code },
      },
    );
  try {
    const reply = await call.platform.rest.through(target, path, request, signal);
    await note(reply.status < 400 ? 'success' : 'failed', null, reply.status);
    return reply;
  } catch (error) {
    const reason = error instanceof ServiceError ? String(error.extra?.reason ?? error.code) : null;
    await note(signal.aborted ? 'canceled' : 'failed', reason);
    throw error;
  }
}

function targetOf(
  { host, username, password, tlsKey }: ReachedHost,
  login: HttpCall['login'],
  timeoutMs: number | undefined,
): RestTarget {
  const { protocol = 'https', base_path = '', tls, options } = host;
  const limit = timeoutMs ?? options?.timeoutMs;
  return {
    adapter: host.name,
    connection: {
      protocol,
      host: host.host,
      port: host.port,
      base_path: base_path === '' ? '/' : base_path,
      authentication: { auth_method: 'basic', ...(login ?? { username, password }) },
      tls: {
        rejectUnauthorized: tls?.skipVerify !== true,
        ca: tls?.ca ?? '',
        cert: tls?.cert ?? '',
        key: tlsKey,
      },
      ...(limit !== undefined && { timeouts: { request: limit } }),
    },
  };
}
