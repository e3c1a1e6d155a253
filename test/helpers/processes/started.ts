import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { commandOf, type ProgramName } from '../../lab/programs.ts';

/** Processes that a test file started, as far as they were not ended. */
export function openProcesses(name: ProgramName) {
  const started = new Set<ChildProcess>();
  return {
    /** Start one; resolves once it says something, which is that it is ready. */
    async start(...args: string[]): Promise<ChildProcess> {
      const child = spawn(process.execPath, [...(await commandOf(name)), ...args], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      started.add(child);
      const exited = once(child, 'exit').then(() => started.delete(child));
      await Promise.race([once(child.stdout, 'data'), exited]);
      if (!started.has(child)) throw new Error(`${name} ended with ${child.exitCode ?? child.signalCode}`);
      return child;
    },
    /** So many of them, all alike: those that run already, and as many more as are missing. */
    async running(count: number, ...args: string[]): Promise<ChildProcess[]> {
      while (started.size < count) await this.start(...args);
      return [...started].slice(0, count);
    },
    /** End what is left, and wait for its end. */
    async end(): Promise<void> {
      await Promise.all([...started].map((child) => kill(child)));
    },
  };
}

/** End a process, and wait for its end. */
export async function kill(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}
