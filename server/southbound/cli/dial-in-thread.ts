import { startThread } from '#server/thread.ts';
import type { FromThread, ToThread } from './thread.ts';
import { type Route, type Wire, type WireFacts, WireRefused } from './wire.ts';

/** What a thread may keep, in MiB: it holds one connection. */
const HEAP_MIB = 128;

/**
 * The same as `dial`, in a thread of its own: for connections whose making would hold up everybody else for seconds.
 *
 * @throws WireRefused
 */
export function dialInThread(route: Route, signal: AbortSignal): Promise<Wire> {
  return new Promise((resolve, reject) => {
    const worker = startThread('dial', {
      workerData: route,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    });
    const say = (told: ToThread) => worker.postMessage(told);
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
      for (const tell of closers) tell();
    };
    const onTime = () => {
      reject(new WireRefused({ kind: 'timeout', hop: lastHop, stage: 'handshake' }));
      void worker.terminate();
    };
    const timer = setTimeout(onTime, route.ms + 1000);
    signal.addEventListener('abort', onTime, { once: true });
    worker.unref();
    worker.on('message', (told: FromThread) => {
      if (told.kind === 'data')
        return take(Buffer.from(told.bytes.buffer, told.bytes.byteOffset, told.bytes.byteLength));
      if (told.kind === 'refused') return reject(new WireRefused(told.refusal));
      if (told.kind === 'closed') return end();
      clearTimeout(timer);
      signal.removeEventListener('abort', onTime);
      return resolve(wire(told.facts));
    });
    const broken = () => {
      end();
      reject(
        new WireRefused({
          kind: 'broken',
          hop: lastHop,
          stage: 'handshake',
          message: 'the connection broke off',
        }),
      );
    };
    worker.on('error', broken);
    worker.on('exit', broken);

    const wire = (facts: WireFacts): Wire => ({
      facts,
      write: (text) => say({ kind: 'write', text }),
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
        end();
        say({ kind: 'close' });
        setTimeout(() => void worker.terminate(), 500).unref();
      },
    });
  });
}
