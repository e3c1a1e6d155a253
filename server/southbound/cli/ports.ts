import type { CommandSyntax } from '#server/platforms/record/command-syntax.ts';
import type { Configuring } from '#server/platforms/record/driver-data.ts';

/** How a host's key is checked against the known key (contract/decisions#host-keys). */
export type KeyPolicy = 'accept-new' | 'pinned' | 'insecure';

/** A host key: its kind, and its SHA-256 fingerprint as OpenSSH prints it. */
export type HostKey = { algorithm: string; fingerprint: string };

/** Sets of algorithms to offer: from secure today to what only old devices support. */
export const PROFILES = ['modern', 'compatible', 'legacy'] as const;
export type Profile = (typeof PROFILES)[number];

/** The address and credential of a device. It holds decrypted secrets, which must not outlive the call. */
export type CliTarget = {
  /** Name in messages and for limits: the name in the inventory, or the address. */
  name: string;
  host: string;
  port: number;
  username: string;
  password?: string | undefined;
  /** PEM text. */
  privateKey?: string | undefined;
  passphrase?: string | undefined;
  /** Secret that raises the privilege level, if the driver supports that. */
  enablePassword?: string | undefined;
  /** Name of a driver. */
  deviceType: string;
  hostKey: { policy: KeyPolicy; algorithm: string; fingerprint: string | null };
  /** Absent: modern, with one fallback that is remembered. */
  profile?: Profile | undefined;
  /** Time to connect, authenticate and find the prompt, in milliseconds. */
  connectMs: number;
  /** Host to connect through. */
  via?: CliTarget | undefined;
};

/** The result of one command. */
export type CommandResult = {
  command: string;
  /** failed: the device rejected it or asked an unanswered question; incomplete: it had not ended. */
  status: 'success' | 'failed' | 'incomplete' | 'skipped';
  output: string;
  output_bytes: number;
  /** True: the output exceeded the limit. */
  truncated: boolean;
  /** From sending the command to the last byte of its reply, in milliseconds (contract/endpoints#4.14-timing). */
  elapsed_ms: number;
  /** The prompt after it, or the unanswered question. */
  prompt: string;
  /** The line with which the device rejected the command, or INTERACTIVE_PROMPT. */
  failed_when: string | null;
};

/** Facts about the session. */
export type SessionFacts = {
  /** True: an open session was reused. */
  reused: boolean;
  connect_ms: number;
  /** Time waited for a free session, in milliseconds. */
  queue_ms: number;
  device_type: string;
  algorithms: {
    profile: Profile;
    kex: string;
    serverHostKey: string;
    cipher: string;
    mac: string;
  };
  host_key: HostKey;
};

/** The result of a call, possibly partial. */
export type CliRun = { result: CommandResult[]; session: SessionFacts | null };

/** A kind of device with a driver. */
export type DriverFacts = {
  device_type: string;
  ostype: string;
  description: string;
  /** False: commands cannot be abbreviated, as in a shell. */
  abbreviates: boolean;
  /** Null: it is unknown how to read the configuration. */
  config: Configuring | null;
  /** Syntax of a command line, which policies need to find every command in it. */
  syntax: CommandSyntax;
};

type RunOptions = {
  /** Time limit for one command, in milliseconds. */
  commandMs: number;
  /** When aborted, the command is stopped and the session is closed. */
  signal: AbortSignal;
  /** Called with each command's result when it ends. */
  onResult?: ((result: CommandResult) => void) | undefined;
  /**
   * Commands to run instead of the remaining ones after a failed command, without reporting results; they leave a mode.
   * Absent: a failed command does not stop the others.
   */
  otherwise?: readonly string[] | undefined;
};

/**
 * Devices as engines see them. Failures are thrown as a ServiceError with `reason`, `host`, `stage`, `retryable` and,
 * once a session was open, `partial` (a CliRun): BAD_GATEWAY, GATEWAY_TIMEOUT, TOO_MANY_REQUESTS. For a rejected host
 * key it also has `hostKey: {expected, seen}`.
 */
export type CliPort = {
  /** All drivers, built-in or added, by name. */
  drivers: readonly DriverFacts[];
  /** Loads what calls need, so that the first one does not wait for it. Without it the first call does. */
  prepare: () => Promise<void>;
  /** Runs commands sequentially in one session, new or reused. */
  run: (target: CliTarget, commands: readonly string[], options: RunOptions) => Promise<CliRun>;
  /** Opens a new session and finds the prompt. */
  probe: (target: CliTarget, signal: AbortSignal) => Promise<{ prompt: string; session: SessionFacts }>;
  /** Closes all sessions. */
  close: () => Promise<void>;
};
