import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { ServiceError } from '#server/kernel/errors.ts';
import { clearDegraded } from '#server/kernel/observability/part-status.ts';
import { startThread, watchThread } from '#server/kernel/threads/supervised-thread.ts';
import { DRIVERS } from '#server/platforms/index.ts';
import type { CliOptions } from '../cli.ts';
import { compileDrivers } from '../driver.ts';
import { driverFacts } from '../driver-facts.ts';
import { cliFailure, shuttingDown } from '../failures.ts';
import type { CliPort, CliRun, CommandResult, SessionFacts } from '../ports.ts';
import type { FromSessions, NewSessions, SessionCall, SessionReply, ToSessions } from './sessions-thread.ts';

type PendingCall = {
  name: string;
  onResult: ((result: CommandResult) => void) | undefined;
  resolve: (answer: SessionReply) => void;
  reject: (error: unknown) => void;
};

/** Name of the thread in health reports. */
const PART = 'device sessions';

/** Time for the thread to close its sessions, in milliseconds; afterwards the thread is terminated. */
const CLOSE_MS = 2000;

/** The thread of this process's sessions: started by `prepare` or the first call, and replaced after it was lost. */
let thread: Worker | null = null;
/** Called when the thread was lost: one for each open port. */
const lossListeners = new Set<(error: unknown) => void>();

function threadOfSessions(): Worker {
  if (thread) return thread;
  const started = startThread('sessions');
  watchThread(started, PART, () => {
    for (const notify of lossListeners) notify(new Error('the thread did not respond for 10 s'));
  });
  started.on('error', (error) => {
    for (const notify of lossListeners) notify(error);
  });
  started.on('exit', () => {
    // The next call starts a new thread.
    clearDegraded(PART);
    if (thread === started) thread = null;
  });
  started.unref();
  thread = started;
  return started;
}

/**
 * Opens devices over SSH with their sessions in a separate thread, started by `prepare` or the first call: key exchanges and the
 * parsing of replies do not block the calling thread, and a crash ends only that thread.
 *
 * @param lost called when the thread ended unexpectedly; pending calls fail with SESSION_LOST, the next one starts a
 *   thread
 * @throws InvalidDriver for an invalid added driver
 */
export function openCliInThread({
  insecure,
  lost,
  ...options
}: CliOptions & { lost: (error: unknown) => void }): CliPort {
  const calls = new Map<number, PendingCall>();
  let port: MessagePort | null = null;
  let lastId = 0;
  let closing = false;
  let closed: () => void = () => undefined;
  let prepared: () => void = () => undefined;
  lossListeners.add(lost);

  const finish = (id: number): PendingCall | undefined => {
    const call = calls.get(id);
    calls.delete(id);
    // Only pending calls keep the process alive.
    if (calls.size === 0) port?.unref();
    return call;
  };
  const hear = (received: FromSessions) => {
    switch (received.kind) {
      case 'ready':
        return prepared();
      case 'insecure':
        return insecure(received.name);
      case 'result':
        return calls.get(received.id)?.onResult?.(received.result);
      case 'answer':
        return finish(received.id)?.resolve(received.answer);
      case 'serviceError': {
        const { code, message, extra, headers } = received.error;
        return finish(received.id)?.reject(new ServiceError(code, message, { extra, headers }));
      }
      case 'fault':
        return finish(received.id)?.reject(received.error);
      case 'closed':
        return closed();
    }
  };
  const opened = (): MessagePort => {
    if (port) return port;
    const { port1: own, port2: theirs } = new MessageChannel();
    own.on('message', hear);
    own.on('close', () => {
      if (port === own) port = null;
      for (const [id, { name }] of [...calls]) {
        const where = { name, stage: 'command' as const };
        finish(id)?.reject(
          cliFailure(where, 'SESSION_LOST', 'the sessions of this process were lost', { retryable: true }),
        );
      }
      prepared();
      closed();
    });
    threadOfSessions().postMessage({ port: theirs, options } satisfies NewSessions, [theirs]);
    own.unref();
    port = own;
    return own;
  };
  const ask = async (
    call: SessionCall,
    signal: AbortSignal,
    onResult?: PendingCall['onResult'],
  ): Promise<SessionReply> => {
    const { name } = call.target;
    if (closing) throw shuttingDown({ name, stage: 'queue' });
    const to = opened();
    lastId += 1;
    const id = lastId;
    const say = (message: ToSessions) => to.postMessage(message);
    const abort = () => say({ kind: 'abort', id });
    say({ kind: 'call', id, call });
    const answer = new Promise<SessionReply>((resolve, reject) => {
      calls.set(id, { name, onResult, resolve, reject });
    });
    to.ref();
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    return answer.finally(() => signal.removeEventListener('abort', abort));
  };

  return {
    drivers: driverFacts(compileDrivers([...DRIVERS, ...(options.added ?? [])])),
    async prepare() {
      if (closing || port) return;
      await new Promise<void>((resolve) => {
        // A thread that cannot start is reported by `lost`, and by the first call.
        prepared = resolve;
        opened();
      });
    },
    run: (target, commands, { commandMs, signal, onResult, otherwise }) => {
      const call = {
        kind: 'run',
        target,
        commands,
        commandMs,
        otherwise,
        reportsResults: onResult !== undefined,
      };
      return ask(call as SessionCall, signal, onResult) as Promise<CliRun>;
    },
    probe: (target, signal) =>
      ask({ kind: 'probe', target }, signal) as Promise<{ prompt: string; session: SessionFacts }>,
    async close() {
      closing = true;
      lossListeners.delete(lost);
      const last = port;
      if (!last) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => {
          void thread?.terminate();
          resolve();
        }, CLOSE_MS);
        closed = () => {
          clearTimeout(timer);
          resolve();
        };
        last.ref();
        last.postMessage({ kind: 'close' } satisfies ToSessions);
      });
      if (calls.size === 0) last.unref();
    },
  };
}
