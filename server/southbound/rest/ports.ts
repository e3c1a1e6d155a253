import type { OrchestratorConnection } from '#db/schemas/network/adapter.ts';
import type { OutgoingTarget } from '#db/schemas/network/outgoing-targets.ts';

/** A request, sent exactly as given. */
export type RestRequest = {
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
};

/** A response of any status. */
export type RestReply = {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Parsed if it is JSON, otherwise text; null without a body. */
  body: unknown;
};

/** The service of a `Rest` adapter. The connection holds decrypted secrets; they must not outlive the call. */
export type RestTarget = { adapter: string; connection: OrchestratorConnection };

/**
 * Web services as engines see them. Redirects are not followed, a response has at most 8 MiB, and a request takes at
 * most one minute. Failures are thrown as a ServiceError with `reason`, `host`, `stage` and `retryable`
 * (contract/decisions#2): BAD_REQUEST for a URL that is not allowed, BAD_GATEWAY or GATEWAY_TIMEOUT.
 */
export type RestPort = {
  /**
   * @param signal cancels the request
   * @param listed allowed targets; any other is BAD_REQUEST with the reason TARGET_NOT_LISTED
   */
  call: (
    url: string,
    request: RestRequest,
    signal: AbortSignal,
    listed: readonly OutgoingTarget[],
  ) => Promise<RestReply>;
  /** @param path relative to the adapter's base path, including the query */
  through: (
    target: RestTarget,
    path: string,
    request: RestRequest,
    signal: AbortSignal,
  ) => Promise<RestReply>;
};
