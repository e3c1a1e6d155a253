import { MessageChannel, type Worker } from 'node:worker_threads';
import { clearDegraded } from '#server/kernel/observability/part-status.ts';
import { startThread, watchThread } from '#server/kernel/threads/supervised-thread.ts';
import { type Route, type Wire, type WireFacts, WireRefused } from '../reading/wire.ts';
import type { FromThread, NewConnection, ToThread } from './connection-thread.ts';

/** Threads for such connections at most: what one is busy with holds up the others of its thread. */
const THREADS = 4;

/** What health calls these threads. */
const PART = 'device connections';

type DialThread = { worker: Worker; connections: number };
const threads = new Set<DialThread>();

/** The thread with the fewest connections; a new one as long as each has some. */
function leastHeld(): DialThread {
  const [least] = [...threads].sort((a, b) => a.connections - b.connections);
  if (least && (least.connections === 0 || threads.size >= THREADS)) return least;
  const worker = startThread('connections');
  const held = { worker, connections: 0 };
  watchThread(worker, PART, () => undefined);
  // Its connections break off with it, which each of them tells.
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
 * The same as `dial`, in one of a few threads: for connections whose making would hold up everybody else.
 *
 * @throws WireRefused
 */
export function dialInThread(route: Route, signal: AbortSignal): Promise<Wire> {
  return new Promise((resolve, reject) => {
    const held = leastHeld();
    held.connections += 1;
    const { port1: port, port2: theirs } = new MessageChannel();
    const say = (told: ToThread) => port.postMessage(told);
    const lastHop = route.hops.length - 1;
    let early: Buffer[] | null = [];
    let take: (bytes: Buffer) => void = (bytes) => void early?.push(bytes);
    let closed = false;
    const closers: (() => void)[] = [];
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onTime);
      if (closed) return;
      closed = true;
      held.connections -= 1;
      for (const tell of closers) tell();
    };
    const onTime = () => {
      reject(new WireRefused({ kind: 'timeout', hop: lastHop, stage: 'handshake' }));
      port.close();
    };
    const timer = setTimeout(onTime, route.ms + 1000);
    signal.addEventListener('abort', onTime, { once: true });
    port.on('message', (told: FromThread) => {
      switch (told.kind) {
        case 'data':
          return take(Buffer.from(told.bytes.buffer, told.bytes.byteOffset, told.bytes.byteLength));
        case 'refused':
          return reject(new WireRefused(told.refusal));
        case 'fault':
          return reject(told.error);
        case 'closed':
          return end();
        case 'open':
          clearTimeout(timer);
          signal.removeEventListener('abort', onTime);
          return resolve(wire(told.facts));
      }
    });
    port.on('close', () => {
      end();
      reject(
        new WireRefused({
          kind: 'broken',
          hop: lastHop,
          stage: 'handshake',
          message: 'the connection broke off',
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
        const before = early ?? [];
        early = null;
        take = listener;
        for (const bytes of before) listener(bytes);
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
