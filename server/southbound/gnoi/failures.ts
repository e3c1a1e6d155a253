import type { TRPC_ERROR_CODE_KEY } from '@trpc/server';
import { ServiceError } from '#server/kernel/errors.ts';
import { TargetDenied } from '../lookup.ts';
import { codeOf, socketErrorIn, socketErrorOf } from '../socket-errors.ts';
import { tlsFault } from '../tls-faults.ts';
import type { GnoiTarget } from './ports.ts';

/** The stage that a call has reached. */
export type Stage = 'queue' | 'connect' | 'request';

type GnoiFailure = {
  code: TRPC_ERROR_CODE_KEY;
  reason: string;
  message: string;
  stage: Stage;
  retryable?: boolean;
  /** Results received before the failure. */
  partial?: unknown;
};

type TargetName = Pick<GnoiTarget, 'name' | 'host'>;

/** Codes after which a retry makes sense soon. */
const RETRY_AFTER = new Set<TRPC_ERROR_CODE_KEY>(['TOO_MANY_REQUESTS', 'SERVICE_UNAVAILABLE']);

/** Returns the error for a failed call to a target (contract/decisions#2). */
export const failure = (
  { name, host }: TargetName,
  { code, reason, message, stage, retryable = false, partial }: GnoiFailure,
) =>
  new ServiceError(code, `${name}: ${message}`, {
    extra: { reason, host, stage, retryable, ...(partial !== undefined && { partial }) },
    ...(RETRY_AFTER.has(code) && { headers: { 'Retry-After': '1' } }),
  });

/** Returns the error of a call that would wait for too many others. */
export const busy = (target: TargetName) =>
  failure(target, {
    code: 'TOO_MANY_REQUESTS',
    reason: 'BUSY',
    message: 'too many calls are waiting for the host',
    stage: 'queue',
    retryable: true,
  });

/** Returns the error for a caller that disconnected: nobody reads the response. */
export const canceled = (target: TargetName, stage: Stage) =>
  failure(target, {
    code: 'CLIENT_CLOSED_REQUEST',
    reason: 'CANCELED',
    message: 'the caller disconnected; the call was canceled',
    stage,
  });

/**
 * Returns the error 504.
 *
 * @param ms time waited, in milliseconds
 * @param partial results until then; undefined: none
 */
export const tooSlow = (target: TargetName, stage: Stage, ms: number, partial?: unknown) =>
  failure(target, {
    code: 'GATEWAY_TIMEOUT',
    reason: stage === 'connect' ? 'CONNECT_TIMEOUT' : 'DEADLINE_EXCEEDED',
    message: `${stage === 'connect' ? 'no connection' : stage === 'queue' ? 'no turn' : 'not done'} within ${ms} ms`,
    stage,
    retryable: stage !== 'request',
    partial,
  });

/** Returns the error of a failed TLS handshake. @param message sentence that follows the name of the host */
export const tlsFailed = (target: TargetName, message: string) =>
  failure(target, { code: 'BAD_GATEWAY', reason: 'TLS_FAILED', message, stage: 'connect' });

/** Any other error of TLS. */
const TLS = /ERR_TLS|ERR_SSL|SSL routines|TLS|certificate/i;

/** How gRPC describes a broken connection that has no error code. */
const DROPPED = /socket hang up|Connection dropped|GOAWAY/i;

/**
 * Returns the error 502: the connection failed or broke off. The original error text may contain secrets and is not
 * passed on.
 *
 * @param cause error of the socket, or the text of the status
 * @param partial results until then; undefined: none
 */
export function connectionFailed(target: TargetName, cause: Error | string, stage: Stage, partial?: unknown) {
  if (cause instanceof TargetDenied) {
    return failure(target, { code: 'BAD_GATEWAY', reason: 'TARGET_DENIED', message: cause.message, stage });
  }
  const [reason, message] = connectionFailure(
    typeof cause === 'string' ? cause : `${codeOf(cause)} ${cause.message}`,
  );
  return failure(target, {
    code: 'BAD_GATEWAY',
    reason,
    message,
    stage,
    retryable: !['DNS', 'TLS_FAILED'].includes(reason),
    partial,
  });
}

function connectionFailure(text: string): readonly [reason: string, message: string] {
  const trouble = socketErrorIn(text) ?? (DROPPED.test(text) ? socketErrorOf('ECONNRESET') : undefined);
  // A connection reset during the handshake is reported as a TLS failure.
  if (trouble && trouble[0] !== 'RESET') return trouble;
  const handshake = tlsFault(text) ?? (TLS.test(text) ? 'TLS failed' : undefined);
  if (handshake) return ['TLS_FAILED', handshake];
  return trouble ?? ['UNAVAILABLE', 'no gRPC connection was established; the host may require TLS'];
}

type Status = { code: number; details: string };

type FailureDetails = Pick<GnoiFailure, 'code' | 'reason'> & { message?: string; retryable?: boolean };

/** Errors by gRPC status (contract/engines#device-errors); all other statuses become a 502 with the name of the status. */
const STATUSES: Readonly<Record<number, FailureDetails>> = {
  3: { code: 'BAD_REQUEST', reason: 'INVALID_ARGUMENT' },
  5: { code: 'NOT_FOUND', reason: 'NOT_FOUND' },
  7: { code: 'BAD_GATEWAY', reason: 'DEVICE_AUTH_FAILED', message: 'the host rejects the credential' },
  8: { code: 'SERVICE_UNAVAILABLE', reason: 'RESOURCE_EXHAUSTED', retryable: true },
  9: { code: 'UNPROCESSABLE_CONTENT', reason: 'FAILED_PRECONDITION' },
  12: { code: 'BAD_GATEWAY', reason: 'UNIMPLEMENTED' },
  16: { code: 'BAD_GATEWAY', reason: 'DEVICE_AUTH_FAILED', message: 'the host rejects the credential' },
};

const NAMES: Readonly<Record<number, string>> = {
  1: 'CANCELED',
  2: 'UNKNOWN',
  6: 'ALREADY_EXISTS',
  10: 'ABORTED',
  11: 'OUT_OF_RANGE',
  13: 'INTERNAL',
  14: 'UNAVAILABLE',
  15: 'DATA_LOSS',
};

/** Statuses after which a retry makes sense. */
const RETRYABLE = new Set([1, 10, 14]);

/** How the library describes a connection that the host ended while a call ran. */
const ENDED = /Session closed/;

/** How the library begins the text of a connection that failed without an error of its socket. */
const NO_CONNECTION =
  /^(?:$|No connection|Name resolution|Failed to|Channel closed|Subchannel|Stream refused|Received |Write failed|All load|Unrecognized|Parsing)/;

/** Returns whether the text of UNAVAILABLE is about the connection; otherwise the host has written it. */
const isConnection = (details: string): boolean =>
  NO_CONNECTION.test(details) || connectionFailure(details)[0] !== 'UNAVAILABLE';

/** How the library describes a message above its own limit; the host has no lack of anything then. */
const TOO_LARGE = /^Received message larger than max/;

/** Maximum length of a device's text that is passed on. */
const LONGEST = 300;

/**
 * Returns the error for a gRPC status other than OK.
 *
 * @param secrets texts to mask in the message
 * @param partial results until then; undefined: none
 */
export function statusFailed(
  target: TargetName,
  { code, details }: Status,
  secrets: readonly string[],
  partial: unknown,
) {
  if (code === 14 && isConnection(details)) return connectionFailed(target, details, 'request', partial);
  if (code === 13 && ENDED.test(details)) return connectionFailed(target, 'GOAWAY', 'request', partial);
  if (code === 8 && TOO_LARGE.test(details))
    return failure(target, {
      code: 'BAD_GATEWAY',
      reason: 'INTERNAL',
      message: 'the host sends a message that is too large, or does not speak gRPC',
      stage: 'request',
      partial,
    });
  const known = STATUSES[code] ?? {
    code: 'BAD_GATEWAY' as const,
    reason: NAMES[code] ?? 'UNKNOWN',
    retryable: RETRYABLE.has(code),
  };
  const message =
    known.message ?? `the host responds with ${known.reason}${details && `: ${shown(details, secrets)}`}`;
  return failure(target, { ...known, message, stage: 'request', partial });
}

function shown(details: string, secrets: readonly string[]): string {
  let text = details.replace(/[\p{Cc}\p{Cs}]+/gu, ' ').trim();
  for (const secret of secrets) if (secret.length > 2) text = text.replaceAll(secret, '********');
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
