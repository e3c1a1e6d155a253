import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, programEnvironment } from './account.ts';
import { type DatabaseLog, readServerLog } from './server-log.ts';

/** A server that does not outlive this process, however this process ends. */
export interface GuardedServer {
  pid: number;
  /** Resolves when the server has ended: how, and its last fatal message. */
  ended: Promise<{ how: string; reason: string }>;
  /** Stops the server: fast, then by force after some seconds. Resolves when it and its watchdog have ended. */
  stop: () => Promise<void>;
}

/** Becomes the server when it receives a line, or ends when the parent process is gone. */
const GATE = 'read -r go || exit 1; exec "$@" </dev/null';

/**
 * Waits for a line (the server has ended) or the end of the pipe (this process has ended): then stops server $1 as `stop`
 * does. Signals to the whole process group or service unit must not end the watchdog before it has done so.
 */
const WATCH = `trap '' INT TERM HUP
read -r word && exit 0
kill -INT "$1" 2>/dev/null || exit 0
tenths=0
while kill -0 "$1" 2>/dev/null; do
  [ $tenths = 50 ] && kill -QUIT "$1"
  [ $tenths = 80 ] && kill -KILL "$1"
  [ $tenths = 100 ] && exit 1
  tenths=$((tenths + 1))
  sleep 0.1
done`;

const STEPS = [
  ['SIGINT', 5000],
  ['SIGQUIT', 3000],
  ['SIGKILL', 2000],
] as const;

/**
 * Starts a server in its own session (Ctrl-C reaches this process, not the server) with a watchdog: a shell at the other
 * end of a pipe that this process holds. The server starts only once its watchdog runs; a killed watchdog is replaced.
 *
 * @param command program and arguments
 * @param cluster path of the data folder, where it runs
 * @param account that it runs as; undefined: that of this process
 * @throws Error when either cannot be started
 */
export async function startGuarded(
  command: string[],
  { cluster, account, log }: { cluster: string; account: Account | undefined; log: DatabaseLog },
): Promise<GuardedServer> {
  const options = { cwd: cluster, env: programEnvironment, detached: true, ...account };
  const server = spawn('/bin/sh', ['-c', GATE, 'switchyard-gate', ...command], {
    ...options,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const messages = readServerLog(server.stderr, log);
  let over = false;
  const ended = new Promise<{ how: string; reason: string }>((resolve) => {
    server.once('exit', async (code, signal) => {
      over = true;
      // its last messages may still be in the pipe, which its children may hold open for longer
      await Promise.race([messages.end, sleep(100)]);
      resolve({ how: signal ?? `status ${code}`, reason: messages.reason() });
    });
  });
  const pid = await pidOf(server);

  let watchdog: ChildProcess | undefined;
  const watch = async () => {
    const next = spawn('/bin/sh', ['-c', WATCH, 'switchyard-watchdog', String(pid), cluster], {
      ...options,
      cwd: '/',
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    // the watchdog may end before a line reaches it
    next.stdin?.on('error', () => undefined);
    next.once('exit', async () => {
      if (over) return;
      log('warn', 'The watchdog of the database has ended: starting a new one');
      await sleep(100);
      if (!over)
        await watch().catch((error: Error) => log('error', `The database has no watchdog: ${error.message}`));
    });
    await pidOf(next);
    watchdog = next;
    // the server ended before this watchdog was ready
    if (over) next.stdin?.end('over\n');
  };
  server.stdin.on('error', () => undefined);
  try {
    await watch();
  } catch (error) {
    server.stdin.end();
    throw error;
  }
  const allEnded = ended.then(async () => {
    watchdog?.stdin?.end('over\n');
    if (watchdog?.exitCode === null && watchdog.signalCode === null) await once(watchdog, 'exit');
  });
  server.stdin.end('go\n');

  const stop = async () => {
    for (const [signal, ms] of STEPS) {
      if (over) break;
      server.kill(signal);
      await Promise.race([ended, sleep(ms, undefined, { ref: false })]);
    }
    await Promise.race([allEnded, sleep(1000, undefined, { ref: false })]);
  };
  return { pid, ended, stop };
}

/** Returns the process id. @throws Error with the reason why the process could not be started */
function pidOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) =>
      reject(new Error(`The embedded database cannot be started: ${error.message}`)),
    );
    child.once('spawn', () => resolve(child.pid ?? 0));
  });
}
