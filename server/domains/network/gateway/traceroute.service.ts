import { isIP } from 'node:net';
import type { DeviceContext } from '#server/kernel/contexts.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { elapsedMs } from '#server/kernel/timing/elapsed.ts';
import type { GnoiTarget, Trace } from '#server/southbound/gnoi/ports.ts';
import { recordTest } from '../inventory/host-tests.service.ts';
import { type FinishedCall, noteCall } from './history.service.ts';
import { hostToReach, type ReachedHost } from './reach.service.ts';
import { deadlineOf, type TraceInput, traceRequestOf } from './trace-request.ts';

/**
 * Runs a trace from a host of the gRPC inventory to an address (contract/endpoints#4.10). Every call to the target is
 * recorded in the history, whatever its outcome.
 *
 * @throws ServiceError BAD_REQUEST, NOT_FOUND for the host, CONFLICT while the gateway is stopped; errors of the target
 *   by status (contract/engines#device-errors); GATEWAY_TIMEOUT with the hops received so far
 */
export async function traceroute(call: DeviceContext, input: TraceInput): Promise<Trace> {
  const { db, platform, principal, request } = call;
  const trace = traceRequestOf(input, isIP);
  const reached = await hostToReach(call, 'grpc', input.host);
  const terms = {
    deadlineMs: deadlineOf(trace, reached.host.options?.timeoutMs),
    signal: request.gone(),
  };
  const started = platform.now();
  const began = performance.now();
  const note = (ended: Pick<FinishedCall, 'status' | 'reason'>) =>
    noteCall(
      { db, log: platform.log },
      {
        kind: 'traceroute',
        host: input.host,
        user: principal.username,
        started,
        durationMs: performance.now() - began,
        destination: trace.destination,
        requestId: request.id,
        ...ended,
      },
    );
  try {
    const result = await platform.gnoi.traceroute(targetOf(reached), trace, terms);
    await note({ status: result.status });
    return result;
  } catch (error) {
    const { code, extra } = error instanceof ServiceError ? error : { code: undefined, extra: undefined };
    const status = code === 'CLIENT_CLOSED_REQUEST' ? 'canceled' : extra?.partial ? 'partial' : 'failed';
    await note({ status, reason: typeof extra?.reason === 'string' ? extra.reason : (code ?? null) });
    throw error;
  }
}

/** Maximum duration of a connection test, in milliseconds. */
const TRIED_MS = 15_000;

/**
 * Tests whether a host of the gRPC inventory responds and accepts our credential (contract/lifecycle#12).
 *
 * @returns `detail`: the problem, or that the host responds
 * @throws ServiceError NOT_FOUND, CONFLICT while the gateway is stopped
 */
export async function testGrpcHost(call: DeviceContext, name: string) {
  const reached = await hostToReach(call, 'grpc', name);
  const began = performance.now();
  const took = () => elapsedMs(began);
  const deadlineMs = Math.min(TRIED_MS, reached.host.options?.timeoutMs ?? TRIED_MS);
  try {
    const clock = await call.platform.gnoi.time(targetOf(reached), {
      deadlineMs,
      signal: call.request.gone(),
    });
    await recordTest(call, reached.id, true);
    return {
      ok: true,
      latencyMs: took(),
      detail: clock === null ? 'It answers' : `It answers; ${clockText(clock)}`,
    };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (!call.request.gone().aborted) await recordTest(call, reached.id, false);
    return { ok: false, latencyMs: took(), detail: error.message };
  }
}

/** Returns a clock in nanoseconds as readable text. */
function clockText(clock: bigint): string {
  const date = new Date(Number(clock / 1_000_000n));
  return Number.isNaN(date.getTime())
    ? 'its clock shows no valid time'
    : `its clock shows ${date.toISOString()}`;
}

function targetOf({ host, username, password, tlsKey }: ReachedHost): GnoiTarget {
  const { enabled, serverName, ca, cert, skipVerify } = host.tls ?? {};
  return {
    name: host.name,
    host: host.host,
    port: host.port ?? 9339,
    username,
    password,
    tls: {
      enabled: enabled !== false,
      serverName: serverName ?? '',
      ca: ca ?? '',
      cert: cert ?? '',
      key: tlsKey,
      skipVerify: skipVerify === true,
    },
  };
}
