import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { commandOf, type ProgramName } from './programs.ts';

/** What a program of the lab says of itself once it can be reached. */
export type Started = { port: number; username: string; password: string } & Record<string, unknown>;

/** A program of the lab, in a process of its own. */
export type Program = { reported: Started; child: ChildProcess; stop: () => Promise<void> };

const LEAVE_WITH_PARENT = new URL('./leave-with-parent.mjs', import.meta.url).href;

/** Time for a program to say where it can be reached, and to end when it is signaled, in milliseconds. */
const PATIENCE_MS = 60_000;
const GRACE_MS = 3000;

/**
 * Start a program of the lab. It leaves with this process.
 *
 * @throws Error when it ends, or is silent for a minute, instead of saying where it can be reached
 */
export async function startProgram(name: ProgramName, ...args: string[]): Promise<Program> {
  const child = spawn(
    process.execPath,
    ['--import', LEAVE_WITH_PARENT, ...(await commandOf(name)), ...args],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const exited = once(child, 'exit');
  // A pipe whose reader is gone must not end us.
  child.stdin.on('error', () => undefined);
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.stdin.end();
    child.kill('SIGTERM');
    const force = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
    await exited;
    clearTimeout(force);
  };
  const lines = createInterface({ input: child.stdout });
  const first = once(lines, 'line', { signal: AbortSignal.timeout(PATIENCE_MS) });
  try {
    const [line] = await Promise.race([first, exited.then(() => [])]);
    if (typeof line !== 'string') throw new Error(`${name} ended with ${child.exitCode ?? child.signalCode}`);
    // Every program of the lab says the same.
    return { reported: JSON.parse(line) as Started, child, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
