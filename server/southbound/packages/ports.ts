import type { PackageLine } from './recent-lines.ts';

/** A package as it is installed: the code of an adapter type (docs/adapters.md). */
export type InstalledPackage = {
  /** `export` of its catalogue: name of the class, and the adapter type. */
  type: string;
  version: string;
  /** Absolute path of its folder. */
  directory: string;
  /** File that exports the class, relative to the folder. */
  entry: string;
  /** Digest of its files (`treeDigest`). A folder that has another one is not loaded. */
  digest: string;
};

/** An adapter whose code is a package. */
export type PackageInstance = {
  /** Name of the adapter. */
  instance: string;
  /** Its connection with decrypted secrets, which the constructor of the package receives. */
  properties: Readonly<Record<string, unknown>>;
  /** The secrets among them: they are masked in its log and in its errors. */
  secrets?: readonly string[] | undefined;
  package: InstalledPackage;
};

/** A call of a method of a package. */
export type PackageCall = PackageInstance & {
  method: string;
  /** Arguments in the order of the method, the callback excluded; undefined: not given. */
  args: readonly unknown[];
  /** Longest wait in milliseconds, the start of the process included; 120 s unless given. */
  timeoutMs?: number | undefined;
  /** Cancels the wait: the method cannot be stopped, its result is dropped. */
  signal?: AbortSignal | undefined;
};

/** Why a call has no result. */
export type PackageFailureReason =
  /** The package does not load, its files were changed, or its process died too often. */
  | 'ADAPTER_REFUSED'
  /** The process of the package ended during the call. */
  | 'ADAPTER_DIED'
  | 'CALL_TIMEOUT'
  /** The result is too large. */
  | 'OUTPUT_LIMIT'
  /** The result, or an argument, is not JSON. */
  | 'UNSENDABLE'
  /** The class has no such method. */
  | 'UNKNOWN_METHOD'
  /** Too many calls wait for this instance. */
  | 'TOO_MANY_REQUESTS'
  | 'CANCELLED'
  /** This process is stopping. */
  | 'SHUTTING_DOWN';

/** A call without a result. */
export type PackageFailure = {
  reason: PackageFailureReason;
  /** Fit to show: it holds no secret of the instance. */
  message: string;
  /** Whether the method may have begun, so that its effect is unknown. */
  begun: boolean;
};

/** The result of a call: what the method returned, the error that it reported or threw, or why there is neither. */
export type PackageOutcome = { data: unknown } | { error: unknown } | { failure: PackageFailure };

/** How the processes of packages are kept from the network. */
export type NetworkIsolation = {
  /** `namespace`: they have no network of their own; `guard`: code loaded before the package closes it. */
  network: 'namespace' | 'guard';
  /** Why there is no namespace; null when there is one. */
  reason: string | null;
};

/** An instance as this process knows it. */
export type PackageState = {
  /** IDLE: no process, the next call starts one. DEAD: its process died too often, and is not started for a while. */
  state: 'IDLE' | 'STARTING' | 'RUNNING' | 'DEAD';
  /** Latest state of the connected system, as the package reports it; UNKNOWN without a process. */
  connection: 'ONLINE' | 'OFFLINE' | 'DEGRADED' | 'UNKNOWN';
  pid: number | null;
  /** Why it is OFFLINE or DEAD, fit to show. */
  detail: string | null;
  /** Resident memory of the process in bytes, and its age in seconds; 0 without one. */
  rss: number;
  uptime: number;
  /** Calls in flight, and calls that wait. */
  calls: number;
  waiting: number;
  /** Results that arrived after their call was cancelled or had timed out. */
  dropped: number;
  /** Deaths of its process within ten minutes; after the fifth it is DEAD. */
  deaths: number;
  /** Bytes that the process sent to other systems and received from them. */
  sent: number;
  received: number;
  isolation: NetworkIsolation | null;
};

/**
 * Adapter packages, each instance in a process of its own (docs/adapters.md). A process starts with the first call and
 * ends after 15 minutes without one.
 */
export type PackagePort = {
  /** Calls a method. It never throws: what fails is the outcome. */
  call: (call: PackageCall) => Promise<PackageOutcome>;
  /** Starts the process of an instance unless it runs. @returns null, or why it does not start */
  start: (instance: PackageInstance) => Promise<PackageFailure | null>;
  /** Ends the process of an instance once its calls have ended; the next call starts another. */
  stop: (instance: string) => void;
  /** Returns the state of an instance in this process. */
  state: (instance: string) => PackageState;
  /** Returns the last lines of the log of an instance in this process, oldest first; they hold no secrets. */
  lines: (instance: string) => readonly PackageLine[];
  /** Returns the names of the instances that have a process here, each with the time of its start. */
  running: () => ReadonlyMap<string, Date>;
  /** Rejects new calls, waits 5 s for those in flight, and ends all processes. */
  close: () => Promise<void>;
};
