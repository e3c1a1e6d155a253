import type { TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import { ServiceError } from '#server/kernel/errors.ts';

/** An error in the form of the REST face. */
export type ErrorAnswer = { status: number; body: string; headers: Record<string, string> };

/**
 * Returns the one error shape (contract/decisions#2): code, message, the issues of an invalid request, the request id.
 * Stack and cause are only in the log.
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

/** Returns the headers of an error: how to sign in, when to retry. */
export const headersOf = ({ code, cause }: TRPCError): Record<string, string> => ({
  ...(code === 'UNAUTHORIZED' && { 'WWW-Authenticate': 'Bearer realm="switchyard"' }),
  ...(cause instanceof ServiceError && cause.headers),
});
