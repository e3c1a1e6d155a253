import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { NetworkIsolation } from './ports.ts';

const run = promisify(execFile);

/** ADAPTER_NETNS: `on` starts no package without a network namespace, `auto` uses one where it can be had. */
export type NamespaceSetting = 'on' | 'off' | 'auto';

/** How processes of packages are started on this machine. */
export type Launcher = {
  isolation: NetworkIsolation;
  /** The program and arguments that run node with these arguments. */
  command: (nodeArguments: readonly string[]) => [program: string, ...rest: string[]];
  /** Why no package may be started here; null: they may. */
  fault: string | null;
};

/** Heap limit in MiB, and the limit of all memory that a process may write to, which buffers count towards. */
const HEAP_MIB = 256;
const DATA_BYTES = 1536 * 1024 * 1024;

/** Account of a process that this service, run by root, starts: `nobody` on every Linux. */
const NOBODY = '65534';

/** Most file descriptors of a process. */
const DESCRIPTORS = '512';

/**
 * Returns the flags that make Node deny the process files but those it reads, programs, threads and native code.
 *
 * @param version of Node, `20.19.0`
 * @param reads absolute paths; in Node 20 none may be the beginning of another
 */
export function permissionFlags(version: string, reads: readonly string[]): string[] {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isStable = major > 23 || (major === 23 && minor >= 5) || (major === 22 && minor >= 13);
  return [
    isStable ? '--permission' : '--experimental-permission',
    ...nearestFirst(reads).map((path) => `--allow-fs-read=${path}`),
    // Connections are the guard's and the namespace's to deny: they need the host's socket, which counts as network.
    ...(major >= 25 ? ['--allow-net'] : []),
  ];
}

/**
 * Orders paths so that those that share most come first. In another order, Node 20 also grants the folder in which the
 * paths part: it stores them in a tree and mistakes a branch of it for a path.
 */
function nearestFirst(paths: readonly string[]): string[] {
  const shared = (path: string) =>
    Math.max(...paths.map((other) => (other === path ? 0 : commonLength(path, other))));
  return [...paths].sort((a, b) => shared(b) - shared(a));
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

/**
 * Returns the arguments of node for a package's process.
 *
 * @param version of Node, `20.19.0`
 * @param reads as for `permissionFlags`
 * @param entry path of the program
 */
export const nodeArguments = (version: string, reads: readonly string[], entry: string): string[] => [
  ...permissionFlags(version, reads),
  `--max-old-space-size=${HEAP_MIB}`,
  '--no-warnings',
  entry,
];

/** Programs of util-linux, by their paths here. */
type Tools = { unshare: string | null; prlimit: string | null; setpriv: string | null };

/** How a process may be started. */
type Attempt = { namespace: 'user' | 'plain' | null; nobody: boolean };

/** Returns what precedes node: namespace, limits, then the account and the signal at the death of this process. */
export function wrapperOf({ unshare, prlimit, setpriv }: Tools, { namespace, nobody }: Attempt): string[] {
  const spaces = { user: ['--user', '--map-current-user', '--net'], plain: ['--net'] };
  const account = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
  return [
    ...(unshare && namespace ? [unshare, ...spaces[namespace], '--'] : []),
    ...(prlimit
      ? [prlimit, '--core=0', '--fsize=0', `--nofile=${DESCRIPTORS}`, `--data=${DATA_BYTES}`, '--']
      : []),
    ...(setpriv ? [setpriv, ...(nobody ? account : []), '--no-new-privs', '--pdeathsig', 'KILL', '--'] : []),
  ];
}

/**
 * Returns the launch options to try, the most restrictive one first.
 *
 * @param isRoot whether this process runs as root
 */
export function attemptsOf(tools: Tools, isRoot: boolean, setting: NamespaceSetting): Attempt[] {
  const spaces: Attempt['namespace'][] =
    tools.unshare === null || setting === 'off' ? [] : isRoot ? ['plain', 'user'] : ['user'];
  const accounts = isRoot && tools.setpriv !== null ? [true, false] : [false];
  return [...spaces, null].flatMap((namespace) =>
    // A user namespace holds no other account.
    accounts.filter((nobody) => !(nobody && namespace === 'user')).map((nobody) => ({ namespace, nobody })),
  );
}

const FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];

async function toolNamed(name: string): Promise<string | null> {
  for (const folder of FOLDERS) {
    const path = `${folder}/${name}`;
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return null;
}

/**
 * Finds out how processes of packages can be closed off here, by starting node with each option until it can read `reads`.
 *
 * @param reads files and folders that every package's process reads
 */
export async function findLauncher(setting: NamespaceSetting, reads: readonly string[]): Promise<Launcher> {
  const tools =
    process.platform === 'linux'
      ? {
          unshare: await toolNamed('unshare'),
          prlimit: await toolNamed('prlimit'),
          setpriv: await toolNamed('setpriv'),
        }
      : { unshare: null, prlimit: null, setpriv: null };
  const probe = 'for (const path of process.argv.slice(1)) require("node:fs").accessSync(path, 4)';
  for (const attempt of attemptsOf(tools, process.getuid?.() === 0, setting)) {
    const [program = process.execPath, ...rest] = [...wrapperOf(tools, attempt), process.execPath];
    const works = await run(program, [...rest, '-e', probe, ...reads], { env: {}, timeout: 10_000 }).then(
      () => true,
      () => false,
    );
    if (!works && (attempt.namespace || attempt.nobody)) continue;
    return launcherOf(wrapperOf(tools, attempt), isolationOf(setting, tools, attempt), setting);
  }
  throw new Error('the last attempt is always used');
}

function isolationOf(setting: NamespaceSetting, tools: Tools, { namespace }: Attempt): NetworkIsolation {
  if (namespace) return { network: 'namespace', reason: null };
  if (setting === 'off') return { network: 'guard', reason: 'ADAPTER_NETNS is 0' };
  return {
    network: 'guard',
    reason: tools.unshare
      ? 'this machine lets no process make a network namespace'
      : 'this machine has no unshare',
  };
}

const launcherOf = (
  wrapper: readonly string[],
  isolation: NetworkIsolation,
  setting: NamespaceSetting,
): Launcher => ({
  isolation,
  command: (args) => {
    const [program = process.execPath, ...rest] = [...wrapper, process.execPath, ...args];
    return [program, ...rest];
  },
  fault:
    setting === 'on' && isolation.network === 'guard'
      ? `ADAPTER_NETNS is 1, and ${isolation.reason}: no package is started`
      : null,
});
