import type { Database } from '#db/client.ts';
import type { AdminEntry, Caller } from '#server/kernel/principal.ts';
import type { Throttle } from '../sessions/throttle.service.ts';
import type { Callers } from './callers.ts';

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

/** What signing in, and telling callers apart, needs of the service. */
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

/** Where a credential was presented. */
export type From = { address: string; requestId: string };
