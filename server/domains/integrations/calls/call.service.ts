import type { Database } from '#db/client.ts';
import { unavailable } from '#server/kernel/errors.ts';
import type { Platform } from '#server/kernel/platform.ts';
import type { ApiOperation } from '../api-operation.ts';

/** The context of a call to another system. */
export type CallContext = {
  db: Database;
  platform: Pick<Platform, 'vault' | 'rest' | 'logOf' | 'now'>;
};

/** The response of the other system, of any status. */
export type ApiAnswer = {
  /** Whether the status is below 400. */
  ok: boolean;
  /** The URL that was called, without credentials. */
  url: string;
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Parsed JSON, text, `{base64, size}` for other media types; null without a body. */
  body: unknown;
  /** Number of pages that `body` was put together from; only with `allPages`. */
  pages?: number;
};

/** What a call needs besides its values. */
export type CallOptions = {
  /** Identifies the attempt (`<job>/<task>/<iteration>/<attempt>`); sent in the integration's `idempotencyHeader`. */
  key: string;
  /** Cancels the call; its reason is thrown as is. */
  signal: AbortSignal;
};

/**
 * Calls an operation through an integration.
 *
 * @param integration name of the adapter document, which must be started
 * @param values by the names of the task's incoming values (`bodyContentType`, `requestBodyPayload`, `allPages` among
 *   them); null, "" and absent leave an optional parameter out
 * @returns the response of any status
 * @throws ServiceError NOT_FOUND for an unknown integration; CONFLICT for a stopped one; BAD_REQUEST with all issues for
 *   values that cannot be sent; BAD_GATEWAY, GATEWAY_TIMEOUT or TOO_MANY_REQUESTS with `reason`, `host`, `stage` and
 *   `retryable` when there was no response
 */
export async function callOperation(
  _call: CallContext,
  integration: string,
  _operation: ApiOperation,
  _values: Readonly<Record<string, unknown>>,
  _options: CallOptions,
): Promise<ApiAnswer> {
  throw unavailable(`Integration ${integration} cannot be called yet`);
}
