import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { type Egress, openEgress } from './egress.ts';
import { INSTANCE_LIMITS, Instance, type InstanceLimits } from './instance.ts';
import { findLauncher, type Launcher, type NamespaceSetting } from './launch.ts';
import { PROCESS_FOLDER } from './package-process.ts';
import type { PackageFailure, PackageInstance, PackagePort, PackageState } from './ports.ts';

/** Time for calls in flight when this process stops, in milliseconds. */
const GRACE_MS = 5000;

/** Folder of the modules that all packages share, in the folder of the packages. */
export const RUNTIME = '.runtime';

export type PackagesOptions = {
  /** ALLOW_PRIVATE_TARGETS */
  allowPrivateTargets: boolean;
  /** ADAPTER_NETNS */
  namespace: NamespaceSetting;
  /** ADAPTERS_DIR */
  directory: string;
  logOf: (instance: string) => Logger;
  /** Called when a package reports another state of the system behind it, and when its process has died. */
  onState?: (instance: string, state: PackageState) => void;
  limits?: Partial<InstanceLimits>;
  /** False leaves the guard out, which shows what the namespace and the permission model hold by themselves. */
  isGuarded?: boolean;
};

/** Opens the host of adapter packages; the first call looks at what this machine has to close them off. */
export function openPackages(options: PackagesOptions): PackagePort {
  const instances = new Map<string, Instance>();
  let closing = false;
  let opened: Promise<{ launcher: Launcher; egress: Egress; runtime: string }> | null = null;

  const open = () => {
    opened ??= prepare(options).catch((error: unknown) => {
      opened = null;
      throw error;
    });
    return opened;
  };
  const instanceOf = async ({ instance }: PackageInstance): Promise<Instance> => {
    const shared = await open();
    const known = instances.get(instance);
    if (known) return known;
    const made = new Instance({
      ...shared,
      isGuarded: options.isGuarded ?? true,
      limits: { ...INSTANCE_LIMITS, ...options.limits },
      log: options.logOf(instance),
      onState: (state) => options.onState?.(instance, state),
    });
    instances.set(instance, made);
    return made;
  };
  const failed = ({ instance }: PackageInstance, error: unknown): PackageFailure => ({
    reason: closing ? 'SHUTTING_DOWN' : 'ADAPTER_REFUSED',
    message: `${instance}: ${closing ? 'this process is stopping' : reasonOf(error)}`,
    begun: false,
  });

  return {
    call: async (call) => {
      if (closing) return { failure: failed(call, null) };
      return instanceOf(call).then(
        (one) => one.call(call),
        (error: unknown) => ({ failure: failed(call, error) }),
      );
    },
    start: async (instance) => {
      if (closing) return failed(instance, null);
      return instanceOf(instance).then(
        (one) => one.start(instance),
        (error: unknown) => failed(instance, error),
      );
    },
    stop: (instance) => instances.get(instance)?.stop(),
    state: (instance) => instances.get(instance)?.state() ?? UNKNOWN,
    lines: (instance) => instances.get(instance)?.lines() ?? [],
    running: () =>
      new Map(
        [...instances].flatMap(([name, one]) => {
          const startedAt = one.startedAt();
          return startedAt ? [[name, startedAt] as const] : [];
        }),
      ),
    close: async () => {
      closing = true;
      await Promise.all([...instances.values()].map((one) => one.close(GRACE_MS)));
      const shared = await opened?.catch(() => null);
      await shared?.egress.close();
    },
  };
}

async function prepare({ allowPrivateTargets, namespace, directory }: PackagesOptions) {
  const runtime = join(directory, RUNTIME);
  // Node is given the folder to read, and a path that does not exist would stay closed when it is made.
  await mkdir(runtime, { recursive: true });
  const [launcher, egress] = await Promise.all([
    findLauncher(namespace, [join(PROCESS_FOLDER, 'child.cjs'), runtime]),
    openEgress(allowPrivateTargets),
  ]);
  return { launcher, egress, runtime: await realpath(runtime) };
}

const reasonOf = (error: unknown) =>
  error instanceof Error
    ? `packages cannot be started here: ${error.message}`
    : 'packages cannot be started here';

/** The state of an instance that this process knows nothing of. */
const UNKNOWN: PackageState = {
  state: 'IDLE',
  connection: 'UNKNOWN',
  pid: null,
  detail: null,
  rss: 0,
  uptime: 0,
  calls: 0,
  waiting: 0,
  dropped: 0,
  deaths: 0,
  sent: 0,
  received: 0,
  isolation: null,
};
