import type { TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import { ServiceError } from '#server/kernel/errors.ts';

/** An error as the REST face tells it. */
export type ErrorAnswer = { status: number; body: string; headers: Record<string, string> };

/**
 * The one error shape (contract/decisions#2): code, message, the issues when the request is at fault, the request's id.
 * No stack, no cause: those are in the log.
 */
export function describeFailure(error: TRPCError, requestId: string): ErrorAnswer {
  const known = error.cause instanceof ServiceError ? error.cause : undefined;
  const body = {
    ...known?.extra,
    code: error.code,
    message: error.message,
    ...(known?.issues && { issues: known.issues }),
    ...(known?.data !== undefined && { data: known.data }),
    requestId,
  };
  return {
    status: getHTTPStatusCodeFromError(error),
    body: JSON.stringify(body),
    headers: headersOf(error),
  };
}

/** The headers that belong to a refusal: how to sign in, when to try again. */
export const headersOf = ({ code, cause }: TRPCError): Record<string, string> => ({
  ...(code === 'UNAUTHORIZED' && { 'WWW-Authenticate': 'Bearer realm="switchyard"' }),
  ...(cause instanceof ServiceError && cause.headers),
});
