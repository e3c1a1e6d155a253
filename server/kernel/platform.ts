import type { TRPCError } from '@trpc/server';
import type { Logger } from 'pino';
import type { Database } from '#db/client.ts';
import type { Change } from '#db/collection.ts';
import type { Durable } from '#server/durable/port.ts';
import type { Feed } from '#server/kernel/event-feed.ts';
import type { CliPort } from '#server/southbound/cli/ports.ts';
import type { GitPort } from '#server/southbound/git/ports.ts';
import type { GnoiPort } from '#server/southbound/gnoi/ports.ts';
import type { HttpPort } from '#server/southbound/http/ports.ts';
import type { LdapPort } from '#server/southbound/ldap/ports.ts';
import type { MailPort } from '#server/southbound/mail/ports.ts';
import type { OrchestratorPort } from '#server/southbound/orchestrator/ports.ts';
import type { PackagePort } from '#server/southbound/packages/ports.ts';
import type { RestPort } from '#server/southbound/rest/ports.ts';
import type { Access } from './access.ts';
import type { Config } from './config.ts';
import type { Metrics } from './observability/metrics.ts';
import type { Caller } from './principal.ts';
import type { Audience } from './roles.ts';
import type { MaskText } from './secrets/masked-answer.ts';
import type { SecretResolver } from './secrets/resolver.ts';
import type { Vault } from './secrets/vault.ts';

/** Writes audit rows (contract/lifecycle#12a): in the transaction of a success, or separately for a failure. */
export type Audit = {
  success: (
    tx: Database,
    ctx: Context,
    caller: Principal,
    operation: string,
    changes: Change[],
  ) => Promise<void>;
  /** @param caller null when the credential belongs to no account */
  denial: (
    ctx: Context,
    caller: Principal | null,
    operation: string,
    failure: TRPCError,
    isWrite: boolean,
  ) => Promise<void>;
  /** Writes the counts that are not in the trail yet. */
  flush: () => Promise<void>;
};

/** Returns the log of one application or adapter, which may have its own level. */
export type LogOf = (kind: 'application' | 'adapter', name: string) => Logger;

/** Most automatic retries of an adapter in a row, and the pause after which the count restarts, in milliseconds. */
export type Retries = { most: number; resetMs: number };

/** One REST endpoint and the permission that it needs. */
export type Endpoint = { name: string; permission: string; method: string; path: string; audience: Audience };

/**
 * Answers a GET request of this platform for a caller, with its rights: path and query, as a client writes them.
 *
 * @throws ServiceError as the endpoint; NOT_FOUND for a path without an endpoint that reads
 */
export type InternalGet = (caller: Caller, target: string, signal: AbortSignal) => Promise<unknown>;

/** A list that a procedure answers, read page by page for a file. */
export type ListReader = {
  /** Fields of a row that fill one cell each. */
  columns: readonly string[];
  /** All fields of a row that are declared. */
  fields: readonly string[];
  /** Most rows of a page; undefined: the list has no pages, and is read as a whole. */
  pageSize: number | undefined;
  /**
   * Reads rows for the caller of a request, as the procedure does.
   *
   * @param input of the procedure, without a page
   * @param total how many rows the whole list has, where the procedure counts
   * @throws ServiceError as the procedure
   */
  read: (
    ctx: Context,
    input: unknown,
    page?: { skip: number; limit: number },
  ) => Promise<{ rows: readonly Record<string, unknown>[]; total: number | undefined }>;
};

/** The parts that every procedure may use besides the database; composed once, in compose.ts. */
export type Platform = {
  config: Config;
  log: Logger;
  /** Returns the log of one application or adapter, at its own level. */
  logOf: LogOf;
  now: () => Date;
  vault: Vault;
  /** Secrets that other systems store (docs/secrets.md). */
  secrets: SecretResolver;
  /** Masks the secrets of a configuration, for callers who may not read them (decision 0112). */
  maskConfiguration: MaskText;
  metrics: Metrics;
  audit: Audit;
  /** Every REST endpoint and who may call it: the source of permissions, roles and `whoami` (contract/lifecycle#3). */
  catalogue: readonly Endpoint[];
  /** Returns how a procedure's list is read; undefined for one that answers no list. */
  listReader: (name: string) => ListReader | undefined;
  access: Access;
  /** Called when rights, profiles or applications changed: empties this process's caches of them. */
  accessChanged: () => void;
  /** Returns the sections of a profile that this process would apply only at its next start (contract/lifecycle#10). */
  profileAtNextStart: (profile: { id: string }) => string[];
  /** Returns the settings for automatic retries (contract/resources#2.15 retryStrategy). */
  retries: () => Promise<Retries>;
  /** Returns the OpenAPI document of every REST endpoint, as JSON text. */
  openApi: (url?: string) => Promise<string>;
  /** Calls to orchestrators (contract/engines#orchestrator). */
  orchestrator: OrchestratorPort;
  /** Calls to hosts over gNOI (contract/engines#gnoi). */
  gnoi: GnoiPort;
  /** Commands on devices (contract/engines#cli-sessions). */
  cli: CliPort;
  /** Calls to other web services (contract/decisions#restcall). */
  rest: RestPort;
  /** Methods of adapter packages (docs/adapters.md). */
  packages: PackagePort;
  /**
   * Calls a method for a device of an adapter whose code is a package, which a domain above those of devices does.
   *
   * @throws ServiceError NOT_FOUND; CONFLICT when the adapter is stopped or has no such method; BAD_GATEWAY;
   *   GATEWAY_TIMEOUT
   */
  callForDevice: (adapter: string, method: 'isAlive' | 'getConfig', device: string) => Promise<unknown>;
  /** Calls of integrations (docs/integrations.md). */
  http: HttpPort;
  /** Mail of notifications (docs/notifications.md). */
  mail: MailPort;
  /** Git repositories (docs/git.md). */
  git: GitPort;
  /** Searches in LDAP directories, and passwords that they verify. */
  ldap: LdapPort;
  /** Reads from the platform's own endpoints, for tasks of jobs. */
  internalGet: InternalGet;
  /** Requests work that outlives this process (decision 0051). */
  durable: Durable;
  /** Streams of events (contract/lifecycle#12a). */
  events: Feed;
  /** @throws ServiceError 503 when the application that answers this procedure is stopped (contract/lifecycle#10) */
  assertRunning: (path: string) => Promise<void>;
};

/** The parts that durable work may use: everything but the endpoints, which belong to processes that answer requests. */
export type WorkPlatform = Omit<Platform, 'catalogue' | 'listReader' | 'openApi'>;

/** The caller of a procedure. */
export type Principal = Caller;

/** The facts that a procedure may know about its HTTP request. */
export type Request = {
  id: string;
  address: string;
  /** The face of the request: REST sends JSON text unchanged, tRPC needs values. */
  face: 'rest' | 'trpc';
  secure: boolean;
  /** The User-Agent header, which is not verified. */
  userAgent?: string;
  ifMatch: string | null;
  /** Origin under which the client reached the platform, such as `https://nms.example.net`; absent without a Host header. */
  origin?: string | undefined;
  /** Returns the value of a cookie; absent where there is no browser. */
  cookie?: (name: string) => string | null;
  /** Returns username and password of the Authorization header: a client's id and secret, where an endpoint needs those. */
  basic: () => { username: string; password: string } | null;
  /**
   * Returns the caller whose credential this request carries; looked up at most once, and only when an endpoint needs it.
   *
   * @param background whether the request leaves the session's clock alone, as event streams do (contract/lifecycle#12a)
   * @param withoutDatabase whether the last known caller counts while the database is away (decision 0197)
   */
  authenticate: (
    writes: boolean,
    background?: boolean,
    withoutDatabase?: boolean,
  ) => Promise<Principal | null>;
  /**
   * Returns the caller as it is now, for streams that outlive the request. @throws ServiceError UNAUTHORIZED once the
   * session has ended
   */
  again: () => Promise<Principal>;
  /** Returns a signal that aborts when the client disconnects before the response: outside work for it then ends. */
  gone: () => AbortSignal;
};

export type Context = {
  db: Database;
  platform: Platform;
  request: Request;
  /** Status and headers that a procedure adds to its response. */
  answer: { status?: number; headers: Record<string, string> };
};

/** The context behind the guard of a procedure that is not public. */
export type SignedIn = Context & { principal: Principal };
