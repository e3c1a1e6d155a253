import { type FailureLocation, failure } from '../http/failures.ts';

/** 502: the orchestrator refuses our own credential; never 401, which is the caller's (contract/decisions#2). */
export const authFailed = (where: FailureLocation) =>
  failure(
    'BAD_GATEWAY',
    'ORCHESTRATOR_AUTH_FAILED',
    where,
    false,
    `${where.adapter}: the orchestrator refuses the credential of the adapter`,
  );

/** 502: somebody else holds its configuration; trying again later is safe. */
export const locked = (where: FailureLocation, message: string) =>
  failure('BAD_GATEWAY', 'ORCHESTRATOR_LOCKED', where, true, `${where.adapter}: ${message}`);

/** 429: too many calls wait for it. */
export const busy = (where: FailureLocation) =>
  failure(
    'TOO_MANY_REQUESTS',
    'BUSY',
    where,
    true,
    `${where.adapter}: too many calls wait for the orchestrator`,
  );
