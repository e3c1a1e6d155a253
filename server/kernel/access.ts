import type { Database } from '#db/client.ts';
import type { AdminEntry, Caller } from './principal.ts';

/** What the active profile says of signing in (contract/resources#2.15, authenticationProps). */
export type SignInRules = {
  cookieName: string;
  /** Minutes of idleness that end a session. */
  logoutTime: number;
  /** Minutes after its sign-in that end a session, however busy it is. */
  sessionMaximum: number;
  uniqueSession: boolean;
  admins: readonly AdminEntry[];
};

/** An account that a secret proved, at the generation that its credential had then. */
export type Proof = { id: string; username: string; generation: number };

/**
 * Callers that were looked up a moment ago. It spares the look-up of a session on each of many requests a second.
 * Every change of access empties it, in this process at once and in the others by a notification, so a session
 * that ended is refused everywhere; the second is the bound should a notification be lost.
 */
export type Callers = {
  get: (key: string, now: number) => Caller | undefined;
  set: (key: string, caller: Caller, now: number) => void;
  forget: () => void;
  /** Counts how often it was emptied: a look-up that began before a change must not be remembered after it. */
  epoch: () => number;
};

/** An attempt to sign in that was let in. */
export type Attempt = {
  /** It proved the account: the pair's failures are forgotten, and the address has one less. */
  succeeded: () => Promise<void>;
  /** It failed: whether the audit trail has room for it. */
  isRecorded: () => Promise<boolean>;
};

/** Counts sign-ins in the database, so that every process sees them. */
export type Throttle = {
  /**
   * Count an attempt that starts.
   *
   * @param who the account, by kind and name
   * @throws ServiceError TOO_MANY_REQUESTS with Retry-After in seconds
   */
  begin: (who: string, address: string) => Promise<Attempt>;
};

/** What signing in, and telling callers apart, needs of the service; the domain of identity makes it. */
export type Access = {
  db: Database;
  callers: Callers;
  /** Look-ups of tokens under way. */
  pending: Map<string, Promise<Caller>>;
  /** Secrets that are being tried. */
  proofs: Map<string, Promise<Proof | null>>;
  throttle: Throttle;
  /** Signs OAuth access tokens; every process derives the same one from the secret key. */
  tokenKey: Buffer;
  rules: () => Promise<SignInRules>;
  /**
   * The rules as they were read last, at most a second before this request: within a transaction nothing may wait
   * for another connection, since transactions that wait for each other's would hold them all.
   */
  knownRules: () => Promise<SignInRules>;
  now: () => Date;
  /** Told of each secret that was tried. */
  tried: (outcome: 'ok' | 'refused') => void;
  /** To be called now and then: sessions that ended by idleness are cleared away. */
  clearSessions: () => Promise<void>;
};

/** What looking an account up needs of the service. */
export type AccountLookup = Pick<Access, 'callers' | 'rules' | 'knownRules' | 'now'>;

/** Where a credential was presented. */
export type From = { address: string; requestId: string };
