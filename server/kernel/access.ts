import type { Database } from '#db/client.ts';
import type { AdminEntry, Caller } from './principal.ts';

/** The sign-in settings of the active profile (contract/resources#2.15, authenticationProps). */
export type SignInRules = {
  cookieName: string;
  /** Minutes of idleness after which a session ends. */
  logoutTime: number;
  /** Minutes after sign-in at which a session ends, even while it is in use. */
  sessionMaximum: number;
  uniqueSession: boolean;
  admins: readonly AdminEntry[];
};

/** An account whose secret was verified, and the generation of its credential at that time. */
export type Proof = {
  id: string;
  username: string;
  /** Generation of the credential; null when a directory verified the secret. */
  generation: number | null;
  /** The provider that verified the secret, and its name of the user. */
  provider?: { providerId: string; subject: string };
};

/** Directories in which users are known: their secrets and their rights. */
export type Directories = {
  /**
   * Returns the account of the user whom a directory knows by this name and password, created or updated; null when no
   * directory does, or none answers.
   *
   * @param source where the attempt comes from: sources take turns
   */
  prove: (username: string, password: string, source: string) => Promise<Proof | null>;
  /**
   * Delays the answer to a rejected attempt, where a directory is in use: otherwise its time would show whether the
   * name is one of the directory, of a local account, or of nobody.
   *
   * @param began when the attempt began, in milliseconds of `performance.now()`
   */
  conceal: (began: number) => Promise<void>;
  /**
   * Compares an account with its directory when that was not done within a minute, and stores its current rights.
   *
   * @param session the session of the request, by the hash of its token; null for other credentials
   * @returns false when the directory no longer admits the user, or did not answer for too long
   */
  confirm: (
    account: { id: string },
    session: { tokenHash: string; providerId: string } | null,
  ) => Promise<boolean>;
};

/**
 * A cache of callers, which spares many session look-ups per second. Every change of access empties it, in this process
 * at once and in the others by a notification, so an ended session is rejected everywhere; entries expire after one
 * second in case a notification is lost.
 */
export type Callers = {
  get: (key: string, now: number) => Caller | undefined;
  /** Returns the caller as of the last look-up within an hour, for answers that are needed while the database is away. */
  last: (key: string, now: number) => Caller | undefined;
  set: (key: string, caller: Caller, now: number) => void;
  /** Removes a caller whose credential was rejected. */
  drop: (key: string) => void;
  forget: () => void;
  /** Counts how often it was emptied: a look-up that began before a change must not be cached after it. */
  epoch: () => number;
};

/** A sign-in attempt that the throttle admitted. */
export type Attempt = {
  /** Reports success: the failures of this account and address are forgotten, and the address has one failure less. */
  succeeded: () => Promise<void>;
  /** Returns, after a failure, whether the audit trail has room for it. */
  isRecorded: () => Promise<boolean>;
};

/** Counts sign-ins in the database, so that every process sees them. */
export type Throttle = {
  /**
   * Counts an attempt that starts.
   *
   * @param who the account, by kind and name
   * @throws ServiceError TOO_MANY_REQUESTS with Retry-After in seconds
   */
  begin: (who: string, address: string) => Promise<Attempt>;
};

/** The part of the service that signs in and identifies callers; created by the identity domain. */
export type Access = {
  db: Database;
  callers: Callers;
  /** Look-ups of tokens in progress. */
  pending: Map<string, Promise<Caller>>;
  /** Verifications of secrets in progress. */
  proofs: Map<string, Promise<Proof | null>>;
  throttle: Throttle;
  /** The first signs OAuth access tokens, all verify them; every process derives the same ones from the secret keys. */
  tokenKeys: readonly Buffer[];
  rules: () => Promise<SignInRules>;
  /**
   * Returns the rules as last read, at most a second before this request. Code in a transaction must not wait for
   * another connection: transactions that wait for each other's connections would exhaust the pool.
   */
  knownRules: () => Promise<SignInRules>;
  now: () => Date;
  directories: Directories;
  /** Called with the outcome of each verification of a secret. */
  tried: (outcome: 'ok' | 'refused') => void;
  /** Deletes sessions that ended by idleness; called at each sign-in, works at intervals. */
  clearSessions: () => Promise<void>;
};

/** The part of the service that looks up accounts. */
export type AccountLookup = Pick<Access, 'callers' | 'rules' | 'knownRules' | 'now'>;

/** Where a credential was presented. */
export type From = { address: string; requestId: string };
