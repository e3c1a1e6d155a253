import { TRPCError } from '@trpc/server';
import { ZodError } from 'zod';
import { exhaustion } from '#db/client.ts';
import { applicationOf } from './application-of.ts';
import { invalidRequest, ServiceError, WrongCredential, withoutStacks } from './errors.ts';
import { translateFault } from './observability/faults.ts';
import type { Context, Principal } from './platform.ts';
import { type MaskText, maskedAnswer } from './secrets/masked-answer.ts';
import { issuesOf } from './validation/zod-issues.ts';

/** A call of a procedure. */
export type Call = { ctx: Context; path: string; type: 'query' | 'mutation' | 'subscription' };

/** The message that a caller gets for an internal error (contract/decisions#2). */
export const INTERNAL = 'Internal error';

/**
 * Translates any error to the one that the caller gets: a ServiceError keeps its code, internal errors lose their message.
 *
 * @param error anything that was thrown
 */
export function failureOf(error: unknown): TRPCError {
  const thrown = error instanceof TRPCError && error.cause ? error.cause : error;
  // tRPC parses JSON itself, and its error quotes the text, which may be a secret.
  if (thrown instanceof SyntaxError && error instanceof TRPCError && error.code === 'BAD_REQUEST') {
    return new TRPCError({ code: 'PARSE_ERROR', message: 'The input is not JSON', cause: thrown });
  }
  const answer =
    thrown instanceof ServiceError
      ? thrown
      : thrown instanceof ZodError && error instanceof TRPCError && error.code === 'BAD_REQUEST'
        ? invalidRequest(issuesOf(thrown))
        : translateFault(thrown);
  if (answer)
    return withoutStacks(() => new TRPCError({ code: answer.code, message: answer.message, cause: answer }));
  if (error instanceof TRPCError && error.code !== 'INTERNAL_SERVER_ERROR') return error;
  return new TRPCError({ code: 'INTERNAL_SERVER_ERROR', message: INTERNAL, cause: thrown });
}

/**
 * Logs why a call failed, and writes the audit row of a denial.
 *
 * @param failure as the caller gets it
 * @param principal the caller; null: nobody who is known
 */
export async function recordFailure(
  failure: TRPCError,
  principal: Principal | null,
  { ctx, path, type }: Call,
): Promise<void> {
  const { request, platform } = ctx;
  const log = platform.logOf('application', applicationOf(path));
  const context = { requestId: request.id, operation: path };
  const { cause } = failure;
  if (failure.code === 'INTERNAL_SERVER_ERROR' && !(cause instanceof ServiceError)) {
    log.error({ err: cause, ...context }, 'internal error');
  } else if (cause instanceof ServiceError && exhaustion(cause)) {
    log.error({ err: cause.cause, ...context }, 'the database has run out of a resource');
  } else log.debug({ ...context, code: failure.code, reason: failure.message }, 'refused');
  if (!isRecorded(type, principal, failure)) return;
  await platform.audit
    .denial(ctx, principal, path, failure, type === 'mutation')
    .catch((error: unknown) => log.error({ err: error, ...context }, 'the audit row could not be written'));
}

/**
 * Returns a failure with the secrets of configurations masked in what it carries besides its message: lines that were sent,
 * and the output of a device until then. A message is masked where it repeats what a device or another system says, but for
 * our own sentences about credentials; others stay, because they name fields such as a password.
 *
 * @param mask returns a text with its secrets masked
 */
export async function maskedFailure(failure: TRPCError, mask: MaskText): Promise<TRPCError> {
  const { cause } = failure;
  if (!(cause instanceof ServiceError) || (cause.data ?? cause.extra) === undefined) return failure;
  const { data, extra, ...rest } = cause;
  const masked = (await maskedAnswer({ data, extra }, mask)) as Pick<ServiceError, 'data' | 'extra'>;
  const isOwn = cause.code !== 'BAD_GATEWAY' || /(?:AUTH|ENABLE)_FAILED$/.test(String(extra?.reason));
  const message = isOwn ? cause.message : await mask(cause.message);
  const answer = new ServiceError(cause.code, message, { ...rest, ...masked, cause: cause.cause });
  return withoutStacks(() => new TRPCError({ code: failure.code, message, cause: answer }));
}

/**
 * Returns whether the audit trail records a failure: of a known caller every failed write and every denied read,
 * including documents that do not exist for it; of others wrong credentials and writes from other origins.
 */
const isRecorded = (type: Call['type'], principal: Principal | null, { code, cause }: TRPCError): boolean =>
  principal
    ? type === 'mutation' || code === 'FORBIDDEN' || code === 'NOT_FOUND'
    : cause instanceof WrongCredential || code === 'FORBIDDEN';
