import { ServiceError } from '#server/kernel/errors.ts';
import { socketErrorOf } from '../socket-errors.ts';
import type { HostKey } from './ports.ts';
import type { Excess } from './reading/terminal.ts';

/** The stage that a call has reached. */
export type Stage = 'queue' | 'connect' | 'handshake' | 'auth' | 'login' | 'command';

/** The device of a failed call, and the stage reached. */
export type FailureLocation = { name: string; stage: Stage };

type Code = 'BAD_GATEWAY' | 'GATEWAY_TIMEOUT' | 'TOO_MANY_REQUESTS' | 'SERVICE_UNAVAILABLE';
type More = {
  code?: Code;
  retryable?: boolean;
  extra?: Record<string, unknown>;
  headers?: Record<string, string>;
};

/**
 * Returns the error for a failed device (contract/engines#device-errors). The text contains no secret, because none of
 * the library's text is used.
 *
 * @param reason code for programs, such as `CONNECT_TIMEOUT`
 * @param message sentence that follows the name of the host
 */
export const cliFailure = (where: FailureLocation, reason: string, message: string, more: More = {}) =>
  new ServiceError(more.code ?? 'BAD_GATEWAY', `${where.name}: ${message}`, {
    extra: {
      reason,
      host: where.name,
      stage: where.stage,
      retryable: more.retryable ?? false,
      ...more.extra,
    },
    headers: more.headers,
  });

/**
 * Returns the error 502: the device rejects our credential. Never 401, which is about the caller's
 * (contract/decisions#2).
 *
 * @param message sentence that follows the name of the host
 */
export const authFailed = (where: FailureLocation, message = 'the device rejects the credential') =>
  cliFailure(where, 'DEVICE_AUTH_FAILED', message);

/** Why a device that asks for a new password is left: the platform sets none by itself. */
export const PASSWORD_EXPIRED = 'the device requires a new password to be set first';

/** What a device did not do in time, by the stage that was reached. */
const LATE: Partial<Record<Stage, string>> = {
  login: 'no prompt',
  // Small packets arrive, so that a ping and the connection succeed: nothing else points to the path.
  handshake:
    'it accepted the connection, but the key exchange did not finish (large packets may be lost on the way: MTU)',
};

/** Returns the error 504: no connection or no prompt within the time limit. @param ms the limit, in milliseconds */
export const connectTimeout = (where: FailureLocation, ms: number) =>
  cliFailure(where, 'CONNECT_TIMEOUT', `${LATE[where.stage] ?? 'no connection'} within ${ms} ms`, {
    code: 'GATEWAY_TIMEOUT',
    retryable: true,
  });

/** Returns the error 502: the device sent too much output, or most when that of all sessions was too much. */
export const tooMuchOutput = (where: FailureLocation, excess: Excess) =>
  excess === 'reply'
    ? cliFailure(where, 'OUTPUT_LIMIT', 'the device sent more than 64 MiB for one command')
    : cliFailure(
        where,
        'OUTPUT_LIMIT',
        'all sessions together received too much output, most of it this one',
        {
          retryable: true,
        },
      );

/** Returns the error 429: too many calls are waiting. */
export const busy = (where: FailureLocation) =>
  cliFailure({ ...where, stage: 'queue' }, 'BUSY', 'too many calls are waiting for a session', {
    code: 'TOO_MANY_REQUESTS',
    retryable: true,
    headers: { 'Retry-After': '2' },
  });

/** Returns the error 503: the service is shutting down. */
export const shuttingDown = (where: FailureLocation) =>
  cliFailure(where, 'SHUTTING_DOWN', 'the service is shutting down', {
    code: 'SERVICE_UNAVAILABLE',
    retryable: true,
    headers: { 'Retry-After': '1' },
  });

/**
 * Returns the error 502: the host key changed, or no key is known and the policy requires one
 * (contract/decisions#host-keys).
 *
 * @param expected fingerprint of the known key; null: none is known
 */
export function hostKeyRejected(where: FailureLocation, expected: string | null, seen: HostKey) {
  const changed = expected !== null;
  const message = changed
    ? `the host key changed: ${expected} is known, ${seen.fingerprint} (${seen.algorithm}) was received`
    : `no host key is known, and ${seen.fingerprint} (${seen.algorithm}) was received: store it, or use a policy that accepts new keys`;
  return cliFailure(where, changed ? 'HOST_KEY_CHANGED' : 'HOST_KEY_UNKNOWN', message, {
    extra: { hostKey: { expected, seen: seen.fingerprint, algorithm: seen.algorithm } },
  });
}

/** Returns the error 502: a socket failed. @param code of the error */
export function socketFailed(where: FailureLocation, code: string) {
  const [reason, message] = socketErrorOf(code) ?? ['RESET', 'the connection was lost'];
  return cliFailure(where, reason, message, { retryable: reason !== 'DNS' });
}
