import { spawn } from 'node:child_process';
import { printable } from '#server/kernel/observability/printable.ts';
import { gitFailure } from './failures.ts';
import { GitFailed } from './ports.ts';
import { watchMemory } from './watch-memory.ts';
import { watchProgress } from './watch-progress.ts';

const MIB = 1024 * 1024;
/** Time limit of one call in milliseconds. */
const CALL_MS = 5 * 60_000;
/** Most output of one call that is kept, in bytes. */
const MOST_OUTPUT = 600 * MIB;
const MOST_ERROR = 8 * 1024;
const MOST_MEMORY = 2 * 1024 * MIB;

export type GitCall = {
  folder: string;
  env: Readonly<Record<string, string>>;
  signal: AbortSignal;
  /** Written to its standard input. */
  input?: Iterable<string | Buffer> | undefined;
  /** Time limit in milliseconds; absent: five minutes. */
  limitMs?: number | undefined;
  /** How long git and its helpers may neither read nor compute anything, in milliseconds; absent: as long as the call. */
  silentMs?: number | undefined;
  /** Most output that is kept, in bytes; absent: 600 MiB. */
  outputBytes?: number | undefined;
  /** Limit of the memory of git and its helpers, in bytes; absent: 2 GiB. */
  memoryBytes?: number | undefined;
};

/** The outcome of a call: the exit code and the output. */
export type GitOutput = { code: number; out: Buffer; error: string };

/**
 * Runs the program git, never through a shell.
 *
 * @param args command and arguments, without secrets
 * @returns exit code and output, also of a command that failed
 * @throws GitFailed when it cannot be started, takes too long or prints too much; the reason of `signal`
 */
export function runGit(args: readonly string[], call: GitCall): Promise<GitOutput> {
  const { folder, env, signal, input, silentMs } = call;
  const { limitMs = CALL_MS, memoryBytes = MOST_MEMORY, outputBytes = MOST_OUTPUT } = call;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    // In a group of its own, so that ssh and helpers end with it.
    const child = spawn('git', args, { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    const parts: Buffer[] = [];
    let size = 0;
    let error = '';
    let fault: Error | undefined;
    const end = (reason: Error) => {
      fault ??= reason;
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended already.
      }
    };
    const timer = setTimeout(
      () =>
        end(
          new GitFailed(`the server does not answer in time: git did not finish within ${limitMs / 1000} s`),
        ),
      limitMs,
    );
    const endMemory =
      child.pid === undefined
        ? () => undefined
        : watchMemory(child.pid, memoryBytes, () =>
            end(
              new GitFailed(
                `the answer is too large: git needs more than ${memoryBytes / MIB} MiB of memory`,
              ),
            ),
          );
    const endProgress =
      child.pid === undefined || silentMs === undefined
        ? () => undefined
        : watchProgress(child.pid, silentMs, () =>
            end(
              new GitFailed(`the server does not answer in time: nothing arrived for ${silentMs / 1000} s`),
            ),
          );
    const leave = () => end(signal.reason as Error);
    signal.addEventListener('abort', leave, { once: true });
    const done = () => {
      clearTimeout(timer);
      endMemory();
      endProgress();
      signal.removeEventListener('abort', leave);
    };
    child.stdout.on('data', (part: Buffer) => {
      size += part.length;
      if (size > outputBytes) end(new GitFailed(`git ${args[0]} printed more than ${outputBytes / MIB} MiB`));
      else parts.push(part);
    });
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      if (error.length < MOST_ERROR) error += part;
    });
    child.once('error', (cause: Error & { code?: string }) => {
      done();
      reject(
        new GitFailed(
          cause.code === 'ENOENT' ? 'the program git is not installed' : 'git could not be started',
        ),
      );
    });
    child.once('close', (code) => {
      done();
      if (fault) reject(fault);
      else
        resolve({
          code: code ?? 1,
          out: Buffer.concat(parts),
          error: printable(error.replace(/\s+/g, ' '), MOST_ERROR).trim(),
        });
    });
    // The program may end before it has read everything: its exit code says why.
    child.stdin.on('error', () => undefined);
    if (input) for (const part of input) child.stdin.write(part);
    child.stdin.end();
  });
}

/**
 * Runs the program git and returns its output.
 *
 * @param args command and arguments, without secrets
 * @throws GitFailed with what it printed when it fails
 */
export async function gitOutput(args: readonly string[], call: GitCall): Promise<Buffer> {
  const { code, out, error } = await runGit(args, call);
  if (code !== 0) throw gitFailure(error === '' ? `git ended with ${code}` : error);
  return out;
}
