import { ServiceError } from '#server/kernel/errors.ts';

/** Why a secret could not be read, as `reason` of the error. */
export type SecretFault =
  | 'SECRET_PROVIDER_UNKNOWN'
  | 'SECRET_PROVIDER_UNREACHABLE'
  | 'SECRET_PROVIDER_DENIED'
  | 'SECRET_NOT_FOUND';

/**
 * Returns the error for a secret that cannot be read.
 *
 * @param message names the provider and the path, never a value
 * @param retryable whether the same call may succeed later
 */
export const secretFailure = (reason: SecretFault, message: string, retryable = false): ServiceError =>
  new ServiceError(
    reason === 'SECRET_PROVIDER_UNREACHABLE' || reason === 'SECRET_PROVIDER_DENIED'
      ? 'BAD_GATEWAY'
      : 'CONFLICT',
    message,
    { extra: { reason, retryable } },
  );
