import type { Negotiated } from '../algorithms.ts';
import type { HostKey, KeyPolicy, Profile } from '../ports.ts';

/** One host of the way to a device, with what signs in there. It is plain data: a thread can be told it. */
export type Hop = {
  name: string;
  host: string;
  port: number;
  username: string;
  password?: string | undefined;
  privateKey?: string | undefined;
  passphrase?: string | undefined;
  hostKey: { policy: KeyPolicy; algorithm: string; fingerprint: string | null };
  profile: Profile;
  /** Offer key exchanges that hold up the thread they are done in. */
  slow: boolean;
};

/** A connection to make: hosts to go through, the device last. */
export type Route = {
  hops: readonly Hop[];
  rows: number;
  /** Time until there is a shell, in milliseconds. */
  ms: number;
  allowNear: boolean;
};

/** What is known of a connection once it stands. */
export type WireFacts = {
  algorithms: Negotiated;
  hostKey: HostKey;
  /** How the device's SSH greets, and what it says before signing in. */
  ident: string;
  banner: string;
};

/** An interactive shell on a device. */
export type Wire = {
  facts: WireFacts;
  write: (text: string) => void;
  /** Bytes as they come; what came before there was a listener comes first. */
  onData: (listener: (bytes: Buffer) => void) => void;
  onClose: (listener: () => void) => void;
  close: () => void;
};

/** Why there is no shell, as data: a thread can tell it. */
export type ConnectFailure =
  | { kind: 'socket'; hop: number; code: string; denied: string | null }
  | { kind: 'timeout'; hop: number; stage: 'connect' | 'handshake' | 'auth' | 'login' }
  | { kind: 'key'; hop: number; seen: HostKey }
  | { kind: 'algorithms'; hop: number; remoteKex: string[]; what: string }
  | { kind: 'auth'; hop: number; message: string | null }
  | { kind: 'broken'; hop: number; stage: 'handshake' | 'login'; message: string };

/** A wire that could not be made. */
export class WireRefused extends Error {
  readonly refusal: ConnectFailure;
  constructor(refusal: ConnectFailure) {
    super(refusal.kind);
    this.refusal = refusal;
  }
}
