import { ServiceError } from '#server/kernel/errors.ts';
import { printable } from '#server/kernel/observability/printable.ts';
import { TargetDenied } from '../lookup.ts';
import { codeOf, socketErrorOf } from '../socket-errors.ts';
import { tlsFault } from '../tls-faults.ts';

/** The stage that a call has reached. */
export type Stage = 'queue' | 'connect' | 'request' | 'login' | 'load' | 'validate';

/** Longest message in characters: it may repeat what the other system sent. */
const LONGEST = 4000;

export type FailureLocation = { adapter: string; host: string; stage: Stage };
type Cause = Error & { code?: string };

/**
 * Returns the error for a failed call to another system: the stage reached, and whether a retry is safe.
 *
 * @param reason code for programs, such as `REQUEST_TIMEOUT`
 * @param retryable true: the system has not received the request, or it may be repeated
 * @param message sentence for the caller, without secrets
 */
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

/**
 * Returns the error 502: the system responded, but not with what was requested.
 *
 * @param message sentence that follows the name of the adapter
 * @param reason code for programs
 * @param retryable true: the request may be repeated
 */
export const rejectedBy = (
  where: FailureLocation,
  message: string,
  reason = 'ORCHESTRATOR_REFUSED',
  retryable = false,
) => failure('BAD_GATEWAY', reason, where, retryable, `${where.adapter}: ${message}`);

/** Returns the error 504: the system did not respond in time. @param ms the limit, in milliseconds */
export const tooSlow = (where: FailureLocation, ms: number) =>
  failure(
    'GATEWAY_TIMEOUT',
    where.stage === 'connect' ? 'CONNECT_TIMEOUT' : 'REQUEST_TIMEOUT',
    where,
    where.stage === 'connect' || where.stage === 'queue',
    `${where.adapter}: no ${where.stage === 'connect' ? 'connection' : 'response'} within ${ms} ms`,
  );

const TLS = /^(ERR_TLS|ERR_SSL|ERR_OSSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH)/;

/**
 * Returns the 502 for a failed connection. The original error text may contain secrets and is not passed on.
 *
 * @param through host of the proxy that was to make the connection
 */
export function connectionFailed(where: FailureLocation, cause: Cause, through?: string): ServiceError {
  if (cause instanceof TargetDenied) return rejectedBy(where, cause.message, 'TARGET_DENIED');
  const code = codeOf(cause);
  if (TLS.test(code)) {
    const fault = tlsFault(`${code} ${cause.message}`);
    return rejectedBy(where, `TLS failed (${code})${fault ? `: ${fault}` : ''}`, 'TLS_FAILED');
  }
  const [reason, message] = socketErrorOf(code) ?? [
    'BROKEN',
    'the connection failed or the response is not HTTP',
  ];
  const way = through === undefined ? '' : `no connection through the proxy ${through}: `;
  return rejectedBy(where, `${way}${message}`, reason, reason !== 'DNS');
}
