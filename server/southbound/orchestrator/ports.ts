import type { OrchestratorConnection } from '#db/schemas/network/adapter.ts';
import type { Ned } from '#db/schemas/network/ned.ts';

/** The address and credential of an orchestrator. It holds decrypted secrets, which must not outlive the call. */
export type OrchestratorTarget = {
  /** Name of the adapter, used in messages and to limit concurrent calls. */
  adapter: string;
  connection: OrchestratorConnection;
};

/** A request to an orchestrator. */
export type Exchange = {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/restconf` or `/api`, percent-encoded, including the query. */
  path: string;
  accept: string;
  contentType?: string | undefined;
  body?: string | undefined;
};

/** One error as the orchestrator reports it (RFC 8040 §7.1). */
export type OrchestratorError = {
  'error-type'?: string;
  'error-tag'?: string;
  'error-path'?: string;
  'error-message'?: string;
};

/** A response of an orchestrator, of any status. */
export type Reply = {
  status: number;
  /** Parsed if it is JSON, otherwise text; undefined without a body. */
  content: unknown;
  /** Errors in the response, whatever their format; empty on success. */
  errors: OrchestratorError[];
};

/** The result of validating service data without committing it (contract/endpoints#4.18). */
export type Verdict = {
  isValid: boolean;
  /** Why the data is invalid; "" when valid. */
  message: string;
  /** Changes to devices, if the validation method reports them. */
  diff?: unknown;
};

/** How each instance is changed: `replace` creates it or removes what it lacks, `merge` adds to it. */
export type EditAction = 'create' | 'merge' | 'replace' | 'delete';

/** Configuration to write: instances by the path of their list, or an XML document of the whole datastore. */
export type Edit = { instances: Readonly<Record<string, unknown>>; action: EditAction } | { xml: string };

/** A device as its orchestrator describes it; "" where a value is missing. */
export type KnownDevice = {
  name: string;
  /** Management address or host name. */
  address: string;
  port: number | null;
  /** Id of the NED that the orchestrator uses for the device. */
  nedId: string;
  /** Operating system of the device, as the NED detected it. */
  platform: string;
};

/**
 * Orchestrators as engines see them. Failures are thrown as a ServiceError with `reason`, `host`, `stage` and
 * `retryable` (contract/decisions#2): BAD_GATEWAY, GATEWAY_TIMEOUT, or TOO_MANY_REQUESTS when too many calls wait.
 */
export type OrchestratorPort = {
  /** Returns why no adapter may use this host, or null. Names are resolved only when a connection is made. */
  targetFault: (host: string) => string | null;
  /** Returns a response of any status except 401, which means our credential is wrong. Redirects are not followed. */
  send: (target: OrchestratorTarget, exchange: Exchange) => Promise<Reply>;
  /** Returns the content of a successful response. @throws ServiceError NOT_FOUND for 404, otherwise BAD_GATEWAY */
  ask: (target: OrchestratorTarget, exchange: Exchange) => Promise<unknown>;
  /** Validates without committing and releases every lock. @param path RESTCONF path or keypath of a list or instance */
  validateCommit: (
    target: OrchestratorTarget,
    path: string,
    data: Readonly<Record<string, unknown>>,
  ) => Promise<Verdict>;
  /**
   * Writes configuration in one transaction, or shows what it would change on devices without writing it (`dryRun`). A
   * dry run is sent only when the orchestrator's version is known to honor it.
   *
   * @returns why the orchestrator rejects the configuration; `diff` only for a dry run
   * @throws ServiceError BAD_REQUEST for a path or an instance that names no entry of a list
   */
  edit: (target: OrchestratorTarget, edit: Edit, dryRun: boolean) => Promise<Verdict>;
  /**
   * Returns an entry of a list.
   *
   * @param path RESTCONF path or keypath of the list @param keys values of its keys
   * @throws ServiceError BAD_REQUEST, NOT_FOUND
   */
  readInstance: (target: OrchestratorTarget, path: string, keys: readonly string[]) => Promise<unknown>;
  listNeds: (target: OrchestratorTarget) => Promise<Ned[]>;
  /** Returns the devices of the orchestrator, one per name. */
  listDevices: (target: OrchestratorTarget) => Promise<KnownDevice[]>;
  /** Checks that the orchestrator responds and accepts our credential. @throws ServiceError with the reason if not */
  probe: (target: OrchestratorTarget) => Promise<void>;
};
