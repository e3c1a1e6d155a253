import { MessageChannel, type Worker } from 'node:worker_threads';
import { clearDegraded } from '#server/kernel/observability/part-status.ts';
import { startThread, watchThread } from '#server/kernel/threads/supervised-thread.ts';
import { ConnectError, type Route, type Wire, type WireFacts } from '../reading/wire.ts';
import type { FromThread, NewConnection, ToThread } from './connection-thread.ts';

/** Maximum number of threads for slow connections; work on one connection blocks the others of its thread. */
const THREADS = 4;

/** Name of these threads in health reports. */
const PART = 'device connections';

type DialThread = { worker: Worker; connections: number };
const threads = new Set<DialThread>();

/** Returns the thread with the fewest connections; starts another while all are in use and the maximum is not reached. */
function chooseThread(): DialThread {
  const [least] = [...threads].sort((a, b) => a.connections - b.connections);
  if (least && (least.connections === 0 || threads.size >= THREADS)) return least;
  const worker = startThread('connections');
  const held = { worker, connections: 0 };
  watchThread(worker, PART, () => undefined);
  // The thread's connections end with it, and each reports that itself.
  worker.on('error', () => undefined);
  worker.on('exit', () => {
    threads.delete(held);
    clearDegraded(PART);
  });
  worker.unref();
  threads.add(held);
  return held;
}

/**
 * Connects to a device like `dial`, in one of a few threads, for connections whose handshake would block the calling
 * thread.
 *
 * @param signal gives the connection up while it is being made
 * @throws ConnectError when there is no connection in time, or it is lost
 */
export function dialInThread(route: Route, signal: AbortSignal): Promise<Wire> {
  return new Promise((resolve, reject) => {
    const held = chooseThread();
    held.connections += 1;
    const { port1: port, port2: theirs } = new MessageChannel();
    const say = (message: ToThread) => port.postMessage(message);
    const lastHop = route.hops.length - 1;
    /** Pieces that nobody reads yet. */
    const unread: Buffer[] = [];
    let take: ((bytes: Buffer) => void) | null = null;
    let isPaused = false;
    const deliver = () => {
      while (take && !isPaused) {
        const bytes = unread.shift();
        if (!bytes) return;
        take(bytes);
        say({ kind: 'read', bytes: bytes.length });
      }
    };
    let closed = false;
    const closers: (() => void)[] = [];
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
      if (closed) return;
      closed = true;
      held.connections -= 1;
      for (const notify of closers) notify();
    };
    const giveUp = () => {
      reject(new ConnectError({ kind: 'timeout', hop: lastHop, stage: 'handshake' }));
      port.close();
    };
    const timer = setTimeout(giveUp, route.ms + 1000);
    signal.addEventListener('abort', giveUp, { once: true });
    port.on('message', (message: FromThread) => {
      switch (message.kind) {
        case 'data':
          unread.push(Buffer.from(message.bytes.buffer, message.bytes.byteOffset, message.bytes.byteLength));
          return deliver();
        case 'failed':
          return reject(new ConnectError(message.failure));
        case 'fault':
          return reject(message.error);
        case 'closed':
          return end();
        case 'open':
          clearTimeout(timer);
          signal.removeEventListener('abort', giveUp);
          return resolve(wire(message.facts));
      }
    });
    port.on('close', () => {
      end();
      reject(
        new ConnectError({
          kind: 'broken',
          hop: lastHop,
          stage: 'handshake',
          message: 'the connection was lost',
        }),
      );
    });
    held.worker.postMessage({ port: theirs, route } satisfies NewConnection, [theirs]);

    const wire = (facts: WireFacts): Wire => ({
      facts,
      write: (text) => {
        if (!closed) say({ kind: 'write', text });
      },
      onData(listener) {
        take = listener;
        deliver();
      },
      pause() {
        isPaused = true;
      },
      resume() {
        isPaused = false;
        deliver();
      },
      onClose: (listener) => {
        if (closed) listener();
        else closers.push(listener);
      },
      close() {
        if (closed) return;
        say({ kind: 'close' });
        end();
      },
    });
  });
}
