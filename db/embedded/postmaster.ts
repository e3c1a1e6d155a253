import { readdir, readFile, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runProgram } from './account.ts';

/** A server that lives on a cluster, as its `postmaster.pid` tells. */
export interface Postmaster {
  pid: number;
  /** Of its Unix socket; undefined while it has none yet. */
  socketFolder: string | undefined;
  status: 'starting' | 'ready' | 'stopping';
}

/** Whether a process has this id. Another account's counts. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The server that lives on `cluster`. Undefined when there is none, also when a dead one's file stayed behind. */
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
 * Removes lock files whose process is gone while its id lives on in a process that is no PostgreSQL: after a reboot, or in a container
 * where ids are few, PostgreSQL would take that one for a server and refuse to start.
 */
export async function removeStaleLocks(cluster: string, socketFolder: string): Promise<void> {
  for (const path of [join(cluster, 'postmaster.pid'), join(socketFolder, '.s.PGSQL.5432.lock')]) {
    const pid = Number((await lockLines(path))[0]);
    if (pid && isProcessAlive(pid) && !(await isPostmaster(pid, cluster))) await rm(path, { force: true });
  }
}

/**
 * Ends the server processes that a killed server left behind: they hold its shared memory, and as long as they do no other can start.
 * Linux only; elsewhere they end by themselves once their statement is done.
 */
export async function killLeftovers(cluster: string): Promise<void> {
  for (const pid of (await readdir('/proc').catch(() => [])).map(Number).filter(Boolean)) {
    if (!(await isServerProcess(pid, cluster))) continue;
    const title = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    // a server's own children carry this title; those of one that lives are none of ours to end
    if (!title.startsWith('postgres: ')) continue;
    const parent = Number(
      /\) \S (\d+)/.exec(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''))?.[1],
    );
    if (!parent || (await isServerProcess(parent, cluster))) continue;
    signal(pid, 'SIGKILL');
  }
}

/** Stops a server that is not our child: fast at first, by force when it takes longer than some seconds. */
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
    // gone, or another account's
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

/** Whether the process with this id, which may be another by now, is a server on `cluster`. */
async function isPostmaster(pid: number, cluster: string): Promise<boolean> {
  if (!isProcessAlive(pid)) return false;
  if (process.platform === 'linux') return isServerProcess(pid, cluster);
  const { output } = await runProgram('ps', ['-o', 'command=', '-p', String(pid)]);
  return output.includes('postgres');
}

/** Linux: a process named postgres that stands in the cluster's folder. A zombie stands nowhere. */
async function isServerProcess(pid: number, cluster: string): Promise<boolean> {
  try {
    const name = await readFile(`/proc/${pid}/comm`, 'utf8');
    return name.trim() === 'postgres' && (await readlink(`/proc/${pid}/cwd`)) === cluster;
  } catch (error) {
    // another account's: it cannot be told, and must not be taken for gone
    return (error as NodeJS.ErrnoException).code === 'EACCES';
  }
}
