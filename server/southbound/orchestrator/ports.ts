import type { OrchestratorConnection } from '#db/schemas/network/adapter.ts';
import type { Ned } from '#db/schemas/network/ned.ts';

/** Where to reach an orchestrator, and as whom: secrets are open here, and stay in this call. */
export type OrchestratorTarget = {
  /** Name of the adapter: what messages call it, and what its requests in flight are counted by. */
  adapter: string;
  connection: OrchestratorConnection;
};

/** A request for an orchestrator. */
export type Exchange = {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/restconf` or `/api`, percent-encoded, with its query. */
  path: string;
  accept: string;
  contentType?: string | undefined;
  body?: string | undefined;
};

/** One error as the orchestrator tells it (RFC 8040 §7.1). */
export type OrchestratorError = {
  'error-type'?: string;
  'error-tag'?: string;
  'error-path'?: string;
  'error-message'?: string;
};

/** What an orchestrator answered, whatever its status. */
export type Reply = {
  status: number;
  /** Parsed when it is JSON, else text; undefined when there was none. */
  content: unknown;
  /** What a refusal says, however it was written; empty for a success. */
  errors: OrchestratorError[];
};

/** The verdict on service data that was loaded and not committed (contract/endpoints#4.18). */
export type Verdict = {
  isValid: boolean;
  /** Why not; "" when valid. */
  message: string;
  /** What would change on devices, where the way of validating tells. */
  diff?: unknown;
};

/** A device as its orchestrator tells it; "" where it tells nothing. */
export type KnownDevice = {
  name: string;
  /** Management address, or a name. */
  address: string;
  port: number | null;
  /** Id of the driver that it is spoken with through. */
  nedId: string;
  /** What system runs on it, as the driver found out. */
  platform: string;
};

/**
 * Orchestrators as engines see them. Whatever cannot be answered is thrown as a ServiceError with `reason`, `host`,
 * `stage` and `retryable` (contract/decisions#2): BAD_GATEWAY or GATEWAY_TIMEOUT, TOO_MANY_REQUESTS when too many wait.
 */
export type OrchestratorPort = {
  /** Why no adapter may point at this host; null when it may. Names are resolved when a connection is made. */
  targetFault: (host: string) => string | null;
  /** Any status is a reply, but for 401: that is our credential. Redirects are not followed. */
  send: (target: OrchestratorTarget, exchange: Exchange) => Promise<Reply>;
  /** The content of an answer of success; a refusal is thrown: 404 as NOT_FOUND, others as BAD_GATEWAY. */
  ask: (target: OrchestratorTarget, exchange: Exchange) => Promise<unknown>;
  /** @param path a RESTCONF path or keypath of a list or an instance. Never commits; releases every lock. */
  validateCommit: (
    target: OrchestratorTarget,
    path: string,
    data: Readonly<Record<string, unknown>>,
  ) => Promise<Verdict>;
  listNeds: (target: OrchestratorTarget) => Promise<Ned[]>;
  /** The devices that it knows, one a name. */
  listDevices: (target: OrchestratorTarget) => Promise<KnownDevice[]>;
  /** Whether it answers, and takes our credential. @throws ServiceError why not */
  probe: (target: OrchestratorTarget) => Promise<void>;
};
