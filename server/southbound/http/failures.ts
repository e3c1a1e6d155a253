import { ServiceError } from '#server/kernel/errors.ts';
import { printable } from '#server/kernel/observability/printable.ts';
import { TargetDenied } from '../lookup.ts';
import { codeOf, socketErrorOf } from '../socket-errors.ts';

/** The stage that a call has reached. */
export type Stage = 'queue' | 'connect' | 'request' | 'login' | 'load' | 'validate';

/** Longest message in characters: it may repeat what the other system sent. */
const LONGEST = 4000;

export type FailureLocation = { adapter: string; host: string; stage: Stage };
type Cause = Error & { code?: string };

/** Returns the error for a failed call to another system: the stage reached, and whether a retry is safe. */
export const failure = (
  code: 'BAD_GATEWAY' | 'GATEWAY_TIMEOUT' | 'TOO_MANY_REQUESTS',
  reason: string,
  { host, stage }: FailureLocation,
  retryable: boolean,
  message: string,
) =>
  new ServiceError(code, printable(message.replace(/\s+/g, ' '), LONGEST), {
    extra: { reason, host, stage, retryable },
    ...(code === 'TOO_MANY_REQUESTS' && { headers: { 'Retry-After': '1' } }),
  });

/** 502: the system responded, but not with what was requested. */
export const refusedBy = (
  where: FailureLocation,
  message: string,
  reason = 'ORCHESTRATOR_REFUSED',
  retryable = false,
) => failure('BAD_GATEWAY', reason, where, retryable, `${where.adapter}: ${message}`);

/** 504: the system did not respond in time. */
export const tooSlow = (where: FailureLocation, ms: number) =>
  failure(
    'GATEWAY_TIMEOUT',
    where.stage === 'connect' ? 'CONNECT_TIMEOUT' : 'REQUEST_TIMEOUT',
    where,
    where.stage === 'connect' || where.stage === 'queue',
    `${where.adapter}: no ${where.stage === 'connect' ? 'connection' : 'response'} within ${ms} ms`,
  );

const TLS = /^(ERR_TLS|ERR_SSL|ERR_OSSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH)/;

/** Returns the 502 for a failed connection. The original error text may contain secrets and is not passed on. */
export function connectionFailed(where: FailureLocation, cause: Cause): ServiceError {
  if (cause instanceof TargetDenied) return refusedBy(where, cause.message, 'TARGET_DENIED');
  const code = codeOf(cause);
  if (TLS.test(code)) return refusedBy(where, `TLS failed (${code})`, 'TLS_FAILED');
  const [reason, message] = socketErrorOf(code) ?? [
    'BROKEN',
    'the connection failed or the response is not HTTP',
  ];
  return refusedBy(where, message, reason, reason !== 'DNS');
}
