import { ServiceError } from '#server/kernel/errors.ts';
import type { PackageFailureReason } from '#server/southbound/packages/ports.ts';
import type { PackageError } from '../packages/package-outcome.ts';

type Code = ConstructorParameters<typeof ServiceError>[0];

/** Codes of calls without a result; all others are BAD_GATEWAY. */
const CODES: Partial<Record<PackageFailureReason, Code>> = {
  CALL_TIMEOUT: 'GATEWAY_TIMEOUT',
  TOO_MANY_REQUESTS: 'TOO_MANY_REQUESTS',
  SHUTTING_DOWN: 'SERVICE_UNAVAILABLE',
};

/** Codes after which the same call may succeed soon. */
const PASSING: ReadonlySet<Code> = new Set(['TOO_MANY_REQUESTS', 'SERVICE_UNAVAILABLE']);

/**
 * Returns the error of an endpoint for a method of an adapter that has no result, or reported an error. It keeps `icode`
 * and `IAPerror`, by which clients of adapters distinguish errors.
 *
 * @param error as workflows read it
 */
export function methodFault(adapter: string, error: PackageError & Readonly<Record<string, unknown>>) {
  const { message, icode, IAPerror, reason = 'METHOD_FAILED', stage, retryable = false, status } = error;
  const code = CODES[reason as PackageFailureReason] ?? 'BAD_GATEWAY';
  return new ServiceError(code, `${adapter}: ${message}`, {
    extra: {
      reason,
      ...(stage !== undefined && { stage }),
      retryable,
      ...(status !== undefined && { status }),
      ...(icode !== undefined && { icode }),
      IAPerror,
    },
    ...(PASSING.has(code) && { headers: { 'Retry-After': '1' } }),
  });
}
