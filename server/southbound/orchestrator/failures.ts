import { type FailureLocation, failure } from '../http/failures.ts';

/**
 * Returns the error 502: the orchestrator rejects our credential. A 401 would mean the caller's credential
 * (contract/decisions#2).
 */
export const authFailed = (where: FailureLocation) =>
  failure(
    'BAD_GATEWAY',
    'ORCHESTRATOR_AUTH_FAILED',
    where,
    false,
    `${where.adapter}: the orchestrator rejects the credential of the adapter`,
  );

/**
 * Returns the error 502: another session holds the configuration lock; a retry is safe.
 *
 * @param message sentence that follows the name of the adapter
 */
export const locked = (where: FailureLocation, message: string) =>
  failure('BAD_GATEWAY', 'ORCHESTRATOR_LOCKED', where, true, `${where.adapter}: ${message}`);

/** Returns the error 429: too many calls are waiting for the orchestrator. */
export const busy = (where: FailureLocation) =>
  failure(
    'TOO_MANY_REQUESTS',
    'BUSY',
    where,
    true,
    `${where.adapter}: too many calls are waiting for the orchestrator`,
  );
