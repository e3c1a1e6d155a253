import type { CommandSyntax } from '#server/platforms/record/command-syntax.ts';
import type { Configuring } from '#server/platforms/record/driver-data.ts';

/** How a host's key is held against what is known of it (contract/decisions#host-keys). */
export type KeyPolicy = 'accept-new' | 'pinned' | 'insecure';

/** A host key: its kind, and its SHA-256 as OpenSSH prints it. */
export type HostKey = { algorithm: string; fingerprint: string };

/** Which algorithms are offered: from what is safe today to what only old devices speak. */
export const PROFILES = ['modern', 'compatible', 'legacy'] as const;
export type Profile = (typeof PROFILES)[number];

/** Where a device is reached, and as whom: secrets are open here, and stay in this call. */
export type CliTarget = {
  /** What messages and limits call it: its name in the inventory, or its address. */
  name: string;
  host: string;
  port: number;
  username: string;
  password?: string | undefined;
  /** PEM text. */
  privateKey?: string | undefined;
  passphrase?: string | undefined;
  /** Raises the privilege level where the driver knows how. */
  enablePassword?: string | undefined;
  /** Name of a driver. */
  deviceType: string;
  hostKey: { policy: KeyPolicy; algorithm: string; fingerprint: string | null };
  /** Absent: modern, with one step down that is remembered. */
  profile?: Profile | undefined;
  /** Time to connect, sign in and find the prompt, in milliseconds. */
  connectMs: number;
  /** Host to go through. */
  via?: CliTarget | undefined;
};

/** What became of one command. */
export type CommandResult = {
  command: string;
  /** failed: the device refused it, or asked what nobody answers; incomplete: it had not ended. */
  status: 'success' | 'failed' | 'incomplete' | 'skipped';
  output: string;
  output_bytes: number;
  /** True: the output went on beyond the limit. */
  truncated: boolean;
  /** From sending the command to the last byte of its answer, in milliseconds (contract/endpoints#4.14-timing). */
  elapsed_ms: number;
  /** The prompt after it, or the question that nobody answered. */
  prompt: string;
  /** The line by which the device refused, or INTERACTIVE_PROMPT. */
  failed_when: string | null;
};

/** How the session was made. */
export type SessionFacts = {
  /** True: it was open already. */
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

/** What a call gave, or how far it got. */
export type CliRun = { result: CommandResult[]; session: SessionFacts | null };

/** A kind of device that there is a driver for. */
export type DriverFacts = {
  device_type: string;
  ostype: string;
  description: string;
  /** False: commands cannot be abbreviated, and are a shell's. */
  abbreviates: boolean;
  /** Null: how its configuration is read is not known. */
  config: Configuring | null;
  /** How a line is read: what policies have to know to find every command in it. */
  syntax: CommandSyntax;
};

type RunOptions = {
  /** Time that one command may take, in milliseconds. */
  commandMs: number;
  /** Aborted: the device is told to stop, and the session ends. */
  signal: AbortSignal;
  /** Told of each command as it ends. */
  onResult?: ((result: CommandResult) => void) | undefined;
  /**
   * Said instead of what is left once a command failed, and told nobody: the way back out of a mode. Absent: a command that
   * failed keeps no other back.
   */
  otherwise?: readonly string[] | undefined;
};

/**
 * Devices as engines see them. Whatever keeps a command from being answered is thrown as a ServiceError with `reason`,
 * `host`, `stage`, `retryable` and, once there was a session, `partial` (a CliRun): BAD_GATEWAY, GATEWAY_TIMEOUT,
 * TOO_MANY_REQUESTS. A refused host key also carries `hostKey: {expected, seen}`.
 */
export type CliPort = {
  /** Every driver, built in or added, by name. */
  drivers: readonly DriverFacts[];
  /** Run commands one after the other in one session, warm or new. */
  run: (target: CliTarget, commands: readonly string[], options: RunOptions) => Promise<CliRun>;
  /** Sign in anew and find the prompt. */
  probe: (target: CliTarget, signal: AbortSignal) => Promise<{ prompt: string; session: SessionFacts }>;
  /** End every session. */
  close: () => Promise<void>;
};
