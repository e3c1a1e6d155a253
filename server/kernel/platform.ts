import type { TRPCError } from '@trpc/server';
import type { Logger } from 'pino';
import type { Database } from '#db/client.ts';
import type { Change } from '#db/collection.ts';
import type { Durable } from '#server/durable/port.ts';
import type { Feed } from '#server/kernel/event-feed.ts';
import type { CliPort } from '#server/southbound/cli/ports.ts';
import type { GnoiPort } from '#server/southbound/gnoi/ports.ts';
import type { OrchestratorPort } from '#server/southbound/orchestrator/ports.ts';
import type { RestPort } from '#server/southbound/rest/ports.ts';
import type { Access } from './access.ts';
import type { Config } from './config.ts';
import type { Metrics } from './observability/metrics.ts';
import type { Caller } from './principal.ts';
import type { Audience } from './roles.ts';
import type { Vault } from './secrets/vault.ts';

/** Who writes the audit rows (contract/lifecycle#12a): in the transaction that succeeded, or beside one that did not. */
export type Audit = {
  success: (
    tx: Database,
    ctx: Context,
    caller: Principal,
    operation: string,
    changes: Change[],
  ) => Promise<void>;
  /** @param caller null when the credential is nobody's */
  refusal: (
    ctx: Context,
    caller: Principal | null,
    operation: string,
    failure: TRPCError,
    isWrite: boolean,
  ) => Promise<void>;
  /** Writes what was counted and is not in the trail yet. */
  flush: () => Promise<void>;
};

/** The log of one application or adapter, whose level is its own where it was given one. */
export type LogOf = (kind: 'application' | 'adapter', name: string) => Logger;

/** How often what does not answer is tried again by itself, and after how many milliseconds without failure that starts anew. */
export type Retries = { most: number; resetMs: number };

/** One REST endpoint as permissions name it. */
export type Endpoint = { name: string; permission: string; method: string; path: string; audience: Audience };

/** The parts that every procedure may use beside the database; joined once, in main.ts. */
export type Platform = {
  config: Config;
  log: Logger;
  /** The log of one application or adapter, at its own level. */
  logOf: LogOf;
  now: () => Date;
  vault: Vault;
  metrics: Metrics;
  audit: Audit;
  /**
   * Every REST endpoint, with who may call it: what permissions, roles and `whoami` are told from (contract/lifecycle#3).
   */
  catalogue: readonly Endpoint[];
  access: Access;
  /** Rights, profiles or applications changed: what this process remembered of them is forgotten. */
  accessChanged: () => void;
  /** Sections of a profile that this process would take up only at its next start (contract/lifecycle#10). */
  profileAtNextStart: (profile: { id: string }) => string[];
  /** How often what does not answer is tried again by itself (contract/resources#2.15 retryStrategy). */
  retries: () => Promise<Retries>;
  /** The OpenAPI document of every REST endpoint, as JSON. */
  openApi: (url?: string) => Promise<string>;
  /** Calls to orchestrators (contract/engines#orchestrator). */
  orchestrator: OrchestratorPort;
  /** Calls to hosts over gNOI (contract/engines#gnoi). */
  gnoi: GnoiPort;
  /** Commands on devices (contract/engines#cli-sessions). */
  cli: CliPort;
  /** Calls to other web services (contract/decisions#restcall). */
  rest: RestPort;
  /** Asking for work that outlives this process (decision 0051). */
  durable: Durable;
  /** What happens, to whoever listens (contract/lifecycle#12a). */
  events: Feed;
  /** @throws ServiceError 503 when the application that answers this procedure is stopped (contract/lifecycle#10) */
  assertRunning: (path: string) => Promise<void>;
};

/** What durable work may use: the endpoints are those of a process that answers requests. */
export type WorkPlatform = Omit<Platform, 'catalogue' | 'openApi'>;

/** Who is calling. */
export type Principal = Caller;

/** What a procedure may know of the request that carries it. */
export type Request = {
  id: string;
  address: string;
  /** The face it came through: REST sends JSON text as it is, tRPC needs values. */
  face: 'rest' | 'trpc';
  secure: boolean;
  /** What the client calls itself; nothing that came over the network vouches for it. */
  userAgent?: string;
  ifMatch: string | null;
  /** Name and password of the Authorization header: a client's id and secret, where an endpoint asks for those. */
  basic: () => { username: string; password: string } | null;
  /** Who signs in with this very request; resolved at most once, and only when an endpoint needs to know. */
  /**
   * @param background whether the request leaves the session's clock alone, as event streams do (contract/lifecycle#12a)
   */
  authenticate: (writes: boolean, background?: boolean) => Promise<Principal | null>;
  /** Who that is now, for what outlives its request. @throws ServiceError UNAUTHORIZED once the session has ended */
  again: () => Promise<Principal>;
  /** Aborts when the caller goes away before it was answered: work outside that nobody waits for ends. */
  gone: () => AbortSignal;
};

export type Context = {
  db: Database;
  platform: Platform;
  request: Request;
  /** What a procedure adds to its answer beside the body. */
  answer: { status?: number; headers: Record<string, string> };
};

/** The context behind the guard of a procedure that is not public. */
export type SignedIn = Context & { principal: Principal };
