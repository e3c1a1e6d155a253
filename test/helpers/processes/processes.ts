import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { commandOf } from '../../lab/programs.ts';

/** A process that Linux knows: its id and its command line. */
export interface SeenProcess {
  pid: number;
  command: string;
}

/** All processes, this one excepted, that run in `folder` or name it in their command line. */
export function processesIn(folder: string): SeenProcess[] {
  const seen: SeenProcess[] = [];
  for (const pid of readdirSync('/proc').map(Number).filter(Boolean)) {
    if (pid === process.pid) continue;
    try {
      if (/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) continue;
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      const place = readlinkSync(`/proc/${pid}/cwd`);
      if (command.includes(folder) || place === folder || place.startsWith(`${folder}/`))
        seen.push({ pid, command });
    } catch {
      // it has ended meanwhile
    }
  }
  return seen;
}

/** Whether a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * Waits until `holds` gives something true, and gives that. Throws what it waited for after `seconds`: a limit for what
 * hangs, far above what a busy machine needs.
 */
export async function until<T>(
  what: string,
  holds: () => T | undefined | Promise<T | undefined>,
  seconds = 60,
): Promise<T> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const found = await holds();
    if (found) return found;
    if (Date.now() > end) throw new Error(`Waited ${seconds} s in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const started = new Set<ChildProcess>();

/** Starts a process of ours on the embedded database in `dataDir`, which writes `word`. Resolves once it has, to what it is. */
export async function startOwner(dataDir: string, word: string): Promise<OwnerProcess> {
  const args = [...(await commandOf('owner-process')), dataDir, word];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  started.add(child);
  const exited = once(child, 'exit');
  const [line] = await Promise.race([once(child.stdout, 'data'), exited]);
  if (child.exitCode !== null || !child.pid) throw new Error(`The process ended with ${child.exitCode}`);
  const kill = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await exited;
  };
  return { pid: child.pid, role: String(line).trim(), kill };
}

/** A process that has opened an embedded database. */
export interface OwnerProcess {
  pid: number;
  /** `owner` runs the server, `guest` uses another's. */
  role: string;
  /** Resolves when it has ended. */
  kill: (signal: NodeJS.Signals) => Promise<void>;
}

/** Ends what `startOwner` started, should a test have failed before it did. */
export function endProcesses(): void {
  for (const child of started) child.kill('SIGKILL');
  started.clear();
}
