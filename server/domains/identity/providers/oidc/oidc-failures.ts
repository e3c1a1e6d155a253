import * as oauth from 'oauth4webapi';
import type { SignInProvider } from '#db/schemas/identity/sign-in-provider.ts';
import { providerFailed } from '../provider-contacts.service.ts';

/** Errors of the token endpoint that concern the client and no user (RFC 6749 §5.2). */
export const CLIENT_ERRORS: ReadonlySet<string> = new Set(['invalid_client', 'unauthorized_client']);

/** 502: the provider does not accept this client, so that no user can sign in. */
export const clientRejected = ({ name }: SignInProvider, cause?: unknown) =>
  providerFailed(
    'CLIENT_REFUSED',
    `${name}: it does not accept clientId and clientSecret, or expects another clientAuthentication`,
    cause,
  );

/** Returns whether the token endpoint rejected the client; what a browser brings back says nothing about that. */
const isClientError = (error: unknown): boolean =>
  (error instanceof oauth.ResponseBodyError && CLIENT_ERRORS.has(error.error)) ||
  (error instanceof oauth.WWWAuthenticateChallengeError &&
    error.status === 401 &&
    ['', ...CLIENT_ERRORS].includes(error.cause[0]?.parameters.error ?? ''));

/** Errors of a provider after which its tokens are worthless. */
const ENDED = new Set(['invalid_grant', 'invalid_token']);
/** Reasons of steps in which the client proves itself. */
const OF_THE_CLIENT = new Set(['TOKEN_REFUSED', 'REFRESH_FAILED']);

/**
 * Runs a step of a sign-in. Errors of the library become a ServiceError: what they say of an answer names its fields and
 * claims, never their values; the texts of other errors may quote it, and are not repeated.
 *
 * @param reason the reason of that error, for programs
 * @param what the error in words, after the name of the provider
 * @throws ServiceError BAD_GATEWAY with `reason`, CLIENT_REFUSED, or SESSION_ENDED
 */
export async function withReason<Value>(
  provider: SignInProvider,
  reason: string,
  what: string,
  step: () => Promise<Value>,
): Promise<Value> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof Error && error.name === 'ServiceError') throw error;
    if (OF_THE_CLIENT.has(reason) && isClientError(error)) throw clientRejected(provider, error);
    const code = codeOf(error);
    const isEnded = reason !== 'TOKEN_REFUSED' && ENDED.has(code);
    const shown = error instanceof oauth.OperationProcessingError ? error.message : code;
    const detail = shown === '' ? '' : ` (${shown})`;
    throw providerFailed(isEnded ? 'SESSION_ENDED' : reason, `${provider.name}: ${what}${detail}`, error);
  }
}

/** Returns the code of an error of a provider, when it is fit to show. */
function codeOf(error: unknown): string {
  const code =
    error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError
      ? error.error
      : error instanceof oauth.WWWAuthenticateChallengeError
        ? (error.cause[0]?.parameters.error ?? String(error.status))
        : '';
  return /^[\w.-]{1,60}$/.test(code) ? code : '';
}
