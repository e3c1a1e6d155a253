import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { allowedHosts } from './allowed-hosts.ts';
import type { Egress } from './egress.ts';
import { frameOf, type Message, readFrames } from './frames.ts';
import { type Launcher, nodeArguments } from './launch.ts';
import type { PackageInstance } from './ports.ts';
import type { RecentLines } from './recent-lines.ts';

/** The code that loads a package: plain JavaScript that node runs where nothing else can be read. */
export const PROCESS_FOLDER = fileURLToPath(new URL('./process', import.meta.url));

/** Limits of a process; times in milliseconds, memory in bytes. */
export type ProcessLimits = {
  start: number;
  /** Interval between two checks of memory and liveness. */
  look: number;
  /** Time without an answer after which it is ended. */
  silence: number;
  /** Memory that ends it after its calls when three checks in a row exceed it, and memory that ends it at once. */
  memory: number;
  mostMemory: number;
};

export const PROCESS_LIMITS: ProcessLimits = {
  start: 30_000,
  look: 5000,
  silence: 30_000,
  memory: 512 * 1024 * 1024,
  mostMemory: 1024 * 1024 * 1024,
};

/** Callbacks for the events of a process. */
export type ProcessEvents = {
  onStarted: () => void;
  /** The package does not load. */
  onLoadFailed: (reason: string) => void;
  onState: (state: string) => void;
  onReply: (reply: Message) => void;
  /** It uses too much memory and has to be replaced. */
  onHeavy: () => void;
  /** It has ended; called once. @param reason its last message, or why it was ended */
  onEnd: (reason: string) => void;
};

export type PackageProcess = {
  pid: number;
  startedAt: Date;
  /** Sends a message and returns whether it could be written as JSON. */
  trySend: (message: object) => boolean;
  /** Ends the process at once. @param reason given to `onEnd` unless it has ended by itself */
  kill: (reason: string) => void;
  /** Resident memory as last seen, and bytes of its connections. */
  figures: () => { rss: number; sent: number; received: number };
};

type Options = {
  launcher: Launcher;
  egress: Egress;
  /** Folder whose node_modules all packages share. */
  runtime: string;
  /** Whether the guard closes the process as well; without it, the permission model and the namespace alone do. */
  isGuarded: boolean;
  instance: PackageInstance;
  log: Logger;
  /** Keeps a line of the process for troubleshooting. */
  remember: RecentLines['add'];
  /** Replaces the secrets of the instance in a text. */
  mask: (text: string) => string;
  limits: ProcessLimits;
};

/** Bytes kept of what node itself writes before it dies, and bytes after which its output is closed. */
const LAST_WORDS = 4096;
const MOST_OUTPUT = 1024 * 1024;

/** Lines per second of one process that are logged; the process limits itself to half of that. */
const LINES_PER_SECOND = 400;

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;

/** Starts the process of an instance, whose package was checked. */
export function startProcess(
  { launcher, egress, runtime, isGuarded, instance, log, remember, mask, limits }: Options,
  events: ProcessEvents,
): PackageProcess {
  const { directory, entry, type } = instance.package;
  const reads = [PROCESS_FOLDER, directory, runtime];
  const [program, ...args] = launcher.command(
    nodeArguments(process.versions.node, reads, `${PROCESS_FOLDER}/child.cjs`),
  );
  let sent = 0;
  let received = 0;
  const { token, revoke } = egress.admit({
    hosts: allowedHosts(instance.properties),
    onDenied: (host, reason) => {
      log.warn({ host, reason }, 'a connection of the adapter was refused');
      remember('warn', `a connection to ${host} was refused: ${reason}`);
    },
    onBytes: (direction, count) => {
      if (direction === 'sent') sent += count;
      else received += count;
    },
  });
  const child = spawn(program, args, {
    cwd: directory,
    env: { NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const channel = child.stdio[3] as Socket;
  const words = keepLastWords(child);
  let rss = 0;
  let killed: string | undefined;
  let ended = false;
  const kill = (reason: string) => {
    killed ??= reason;
    child.kill('SIGKILL');
  };
  const trySend = (message: object) => {
    let frame: Buffer;
    try {
      frame = frameOf(message);
    } catch {
      return false;
    }
    if (!channel.destroyed) channel.write(frame);
    return true;
  };
  const started = setTimeout(() => kill(`it did not start within ${limits.start / 1000} s`), limits.start);
  const measure = async () => {
    rss = (await residentMemory(child.pid)) ?? rss;
  };
  let heard = performance.now();
  let heavy = 0;
  const look = setInterval(async () => {
    if (performance.now() - heard > limits.silence) return kill('it did not answer');
    trySend({ type: 'ping' });
    await measure();
    if (rss > limits.mostMemory) return kill('it held too much memory');
    heavy = rss > limits.memory ? heavy + 1 : 0;
    if (heavy === 3) events.onHeavy();
  }, limits.look);
  look.unref();
  const end = (reason: string) => {
    if (ended) return;
    ended = true;
    clearTimeout(started);
    clearInterval(look);
    revoke();
    channel.destroy();
    events.onEnd(mask(killed ?? reason));
  };
  child.once('error', (error) => end(`it could not be started: ${error.message}`));
  child.once('exit', (code, signal) => {
    // What it wrote last may still be on its way.
    setImmediate(() =>
      end(words() || (signal ? `it was ended by ${signal}` : `it exited with status ${code}`)),
    );
  });
  channel.on('error', () => undefined);
  channel.on('close', () => setTimeout(() => kill('it closed its channel'), 1000).unref());
  const writeLog = lineLog(log, mask, remember);
  readFrames(
    channel,
    (message) => {
      heard = performance.now();
      switch (message.type) {
        case 'started':
          clearTimeout(started);
          void measure();
          return events.onStarted();
        case 'refused':
          clearTimeout(started);
          return events.onLoadFailed(mask(String(message.message).slice(0, 1000)));
        case 'state':
          return events.onState(String(message.state));
        case 'reply':
          return events.onReply(message);
        case 'log':
          return writeLog(message);
        case 'pong':
          if (typeof message.rss === 'number' && process.platform !== 'linux') rss = message.rss;
      }
    },
    kill,
  );
  if (child.pid !== undefined) yieldTo(child.pid);
  trySend({
    type: 'start',
    id: instance.instance,
    properties: instance.properties,
    level: log.level,
    directory,
    entry,
    kind: type,
    runtime,
    egress: { path: egress.path, token },
    guarded: isGuarded,
  });
  return {
    pid: child.pid ?? 0,
    startedAt: new Date(),
    trySend,
    kill,
    figures: () => ({ rss, sent, received }),
  };
}

/** Lets everything else on the machine run first: a package may compute without end. */
function yieldTo(pid: number): void {
  try {
    os.setPriority(pid, 10);
  } catch {
    // It has ended already.
  }
}

/** @returns the memory in bytes; undefined where the system does not show it */
async function residentMemory(pid: number | undefined): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  return kib === undefined ? undefined : Number(kib) * 1024;
}

/** Reads what node writes about its end. @returns a function that returns the line that says why */
function keepLastWords({ stderr }: ChildProcess): () => string {
  let last = '';
  let size = 0;
  stderr?.on('data', (part: Buffer) => {
    size += part.length;
    last = (last + part.toString('utf8')).slice(-LAST_WORDS);
    if (size > MOST_OUTPUT) stderr.destroy();
  });
  stderr?.on('error', () => undefined);
  return () => {
    const lines = last.split('\n').map((line) => line.trim());
    const error = lines.find((line) => /^(?:Uncaught )?\w*(?:Error|Exception)\b|^FATAL ERROR/.test(line));
    return (error ?? lines.findLast((line) => line !== '' && !line.startsWith('Node.js v')) ?? '').slice(
      0,
      500,
    );
  };
}

/** Returns a function that writes a line of the process to the adapter's log. */
function lineLog(log: Logger, mask: (text: string) => string, remember: RecentLines['add']) {
  let second = 0;
  let lines = 0;
  return ({ level, message }: Message) => {
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) {
      second = now;
      lines = 0;
    }
    lines += 1;
    const name = LEVELS.find((one) => one === level);
    if (lines > LINES_PER_SECOND || !name || typeof message !== 'string') return;
    const text = mask(message.slice(0, 4096));
    log[name](text);
    remember(name, text);
  };
}
