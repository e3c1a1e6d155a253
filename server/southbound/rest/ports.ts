import type { OrchestratorConnection } from '#db/schemas/network/adapter.ts';
import type { OutgoingTarget } from '#db/schemas/network/outgoing-targets.ts';

/** A request that goes on the wire as it stands. */
export type RestRequest = {
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
};

/** An answer, whatever its status. */
export type RestReply = {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Parsed when it is JSON, else text; null when there was none. */
  body: unknown;
};

/** The service behind an adapter of the model Rest; secrets are open here, and stay in this call. */
export type RestTarget = { adapter: string; connection: OrchestratorConnection };

/**
 * Web services as engines see them. No redirect is followed, an answer has at most 8 MiB, and what takes longer than a
 * minute is given up. What cannot be answered is thrown as a ServiceError with `reason`, `host`, `stage` and `retryable`
 * (contract/decisions#2): BAD_REQUEST for a URL that nothing may be sent to, BAD_GATEWAY or GATEWAY_TIMEOUT.
 */
export type RestPort = {
  /**
   * @param signal gives it up
   * @param listed where requests may go; BAD_REQUEST with the reason TARGET_NOT_LISTED for anything else
   */
  call: (
    url: string,
    request: RestRequest,
    signal: AbortSignal,
    listed: readonly OutgoingTarget[],
  ) => Promise<RestReply>;
  /** @param path below the adapter's base path, with its query */
  through: (
    target: RestTarget,
    path: string,
    request: RestRequest,
    signal: AbortSignal,
  ) => Promise<RestReply>;
};
