import type { Negotiated } from '../algorithms.ts';
import type { HostKey, KeyPolicy, Profile } from '../ports.ts';

/** Columns of the terminal: wide enough that no device wraps lines; some devices accept no more. */
export const COLUMNS = 511;

/** One host on the route to a device, with the credential for it. It is plain data, so it can be sent to a thread. */
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
  /** Offer key exchanges that block the thread. */
  slow: boolean;
};

/** A connection to establish: the hosts to go through, the device last. */
export type Route = {
  hops: readonly Hop[];
  rows: number;
  /** Time until the shell is open, in milliseconds. */
  ms: number;
  allowPrivateTargets: boolean;
};

/** Facts about an established connection. */
export type WireFacts = {
  algorithms: Negotiated;
  hostKey: HostKey;
  /** SSH identification of the device, and its banner before authentication. */
  ident: string;
  banner: string;
};

/** An interactive shell on a device. */
export type Wire = {
  facts: WireFacts;
  write: (text: string) => void;
  /** Registers the listener for received bytes; earlier bytes are delivered first. */
  onData: (listener: (bytes: Buffer) => void) => void;
  onClose: (listener: () => void) => void;
  /** Stops and resumes reading; what the device sends meanwhile waits in its connection. */
  pause: () => void;
  resume: () => void;
  close: () => void;
};

/** Why a shell could not be opened; plain data, so that a thread can send it. */
export type ConnectFailure =
  | { kind: 'socket'; hop: number; code: string; denied: string | null }
  | { kind: 'timeout'; hop: number; stage: 'connect' | 'handshake' | 'auth' | 'login' }
  | { kind: 'key'; hop: number; seen: HostKey }
  /** The host closed the connection before it sent its identification: often it serves no further client for now. */
  | { kind: 'full'; hop: number }
  | { kind: 'forward'; hop: number; through: string; isAllowed: boolean }
  | { kind: 'algorithms'; hop: number; remoteKex: string[]; what: string; offer: string }
  | { kind: 'auth'; hop: number; message: string | null }
  | { kind: 'broken'; hop: number; stage: 'handshake' | 'login'; message: string };

/** Thrown when a shell could not be opened. */
export class ConnectError extends Error {
  readonly failure: ConnectFailure;
  constructor(failure: ConnectFailure) {
    super(failure.kind);
    this.failure = failure;
  }
}
