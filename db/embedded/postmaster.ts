import { readdir, readFile, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runProgram } from './account.ts';

/** A server that runs on a cluster, as described by its `postmaster.pid`. */
export interface Postmaster {
  pid: number;
  /** Folder of its Unix socket; undefined while it has none yet. */
  socketFolder: string | undefined;
  status: 'starting' | 'ready' | 'stopping';
}

/** Returns whether a process with this id exists, under any account. @param pid process id */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Returns the server that runs on `cluster`; undefined when there is none, even if a dead one left its file behind. */
export async function findPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const lines = await lockLines(join(cluster, 'postmaster.pid'));
  const pid = Number(lines[0]);
  if (!pid || !(await isPostmaster(pid, cluster))) return undefined;
  const status = lines[7]?.trim();
  return {
    pid,
    socketFolder: lines[4]?.trim() || undefined,
    status: status === 'ready' || status === 'stopping' ? status : 'starting',
  };
}

/**
 * Removes lock files of a dead server whose process id is now used by another program. After a reboot, or in a container
 * with few process ids, PostgreSQL would mistake that program for a server and not start.
 *
 * @param cluster path of the data folder
 * @param socketFolder path of the folder of its socket
 */
export async function removeStaleLocks(cluster: string, socketFolder: string): Promise<void> {
  for (const path of [join(cluster, 'postmaster.pid'), join(socketFolder, '.s.PGSQL.5432.lock')]) {
    const pid = Number((await lockLines(path))[0]);
    if (pid && isProcessAlive(pid) && !(await isPostmaster(pid, cluster))) await rm(path, { force: true });
  }
}

/**
 * Ends the server processes that a killed server left behind: they hold its shared memory, which prevents a new start.
 * Linux only; elsewhere they end by themselves once their statement has finished.
 *
 * @param cluster path of the data folder
 */
export async function killLeftovers(cluster: string): Promise<void> {
  for (const pid of (await readdir('/proc').catch(() => [])).map(Number).filter(Boolean)) {
    if (!(await isServerProcess(pid, cluster))) continue;
    const title = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    // child processes of a server have this title; those whose parent server still runs are left alone
    if (!title.startsWith('postgres: ')) continue;
    const parent = Number(
      /\) \S (\d+)/.exec(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''))?.[1],
    );
    if (!parent || (await isServerProcess(parent, cluster))) continue;
    signal(pid, 'SIGKILL');
  }
}

/**
 * Stops a server that is not a child of this process: fast at first, by force after some seconds.
 *
 * @param pid process id of the server
 * @param cluster path of its data folder
 */
export async function stopPostmaster(pid: number, cluster: string): Promise<void> {
  for (const [name, seconds] of [
    ['SIGINT', 5],
    ['SIGQUIT', 3],
    ['SIGKILL', 2],
  ] as const) {
    if (!(await isPostmaster(pid, cluster))) return;
    signal(pid, name);
    const end = Date.now() + seconds * 1000;
    while (Date.now() < end && (await isPostmaster(pid, cluster))) await sleep(50);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // the process has ended, or belongs to another account
  }
}

async function lockLines(path: string): Promise<string[]> {
  try {
    return (await readFile(path, 'utf8')).split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Returns whether the process with this id, which may have been reused, is a server on `cluster`. */
async function isPostmaster(pid: number, cluster: string): Promise<boolean> {
  if (!isProcessAlive(pid)) return false;
  if (process.platform === 'linux') return isServerProcess(pid, cluster);
  const { output } = await runProgram('ps', ['-o', 'command=', '-p', String(pid)]);
  return output.includes('postgres');
}

/** Linux: checks for a process named postgres whose working directory is the cluster. A zombie has none. */
async function isServerProcess(pid: number, cluster: string): Promise<boolean> {
  try {
    const name = await readFile(`/proc/${pid}/comm`, 'utf8');
    return name.trim() === 'postgres' && (await readlink(`/proc/${pid}/cwd`)) === cluster;
  } catch (error) {
    // another account's process cannot be inspected, and must not be considered gone
    return (error as NodeJS.ErrnoException).code === 'EACCES';
  }
}
