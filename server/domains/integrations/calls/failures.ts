import { type Issue, ServiceError } from '#server/kernel/errors.ts';

/** Where a call failed: the integration, the host that it goes to, and the stage reached. */
export type FailedCall = { adapter: string; host: string; stage: 'queue' | 'connect' | 'login' | 'request' };

/** 502: there is no usable answer, and repeating the call does not help (contract/decisions#2). */
export const noAnswer = (where: FailedCall, reason: string, message: string): ServiceError =>
  failed('BAD_GATEWAY', where, reason, message, false);

/** 504: the call waited too long for its turn. */
export const waitedTooLong = (where: FailedCall, ms: number): ServiceError =>
  failed('GATEWAY_TIMEOUT', where, 'REQUEST_TIMEOUT', `no turn within ${ms} ms`, true);

/** 429: too many calls wait already. */
export const queueFull = (where: FailedCall, message: string): ServiceError =>
  failed('TOO_MANY_REQUESTS', where, 'QUEUE_FULL', message, true, { 'Retry-After': '1' });

/** An answer that is not what the document promises, as far as it may be shown. */
export type UnexpectedAnswer = {
  status: number;
  /** Media types of the document. */
  promised: readonly string[];
  /** The answer received: header `Content-Type`, and the beginning of the body without secrets. */
  received: { contentType: string; beginning: string };
};

/**
 * 502: the other system answered with something else than its document promises. The call was carried out, so that it is
 * not repeated.
 */
export const unexpectedAnswer = (
  where: FailedCall,
  message: string,
  about: UnexpectedAnswer,
  issues: readonly Issue[] = [],
): ServiceError =>
  new ServiceError('BAD_GATEWAY', `${where.adapter}: ${message}`, {
    extra: { reason: 'UNEXPECTED_ANSWER', host: where.host, stage: where.stage, retryable: false, ...about },
    ...(issues.length > 0 && { issues: [...issues] }),
  });

const failed = (
  code: 'BAD_GATEWAY' | 'GATEWAY_TIMEOUT' | 'TOO_MANY_REQUESTS',
  { adapter, host, stage }: FailedCall,
  reason: string,
  message: string,
  retryable: boolean,
  headers?: Record<string, string>,
) => new ServiceError(code, `${adapter}: ${message}`, { extra: { reason, host, stage, retryable }, headers });
