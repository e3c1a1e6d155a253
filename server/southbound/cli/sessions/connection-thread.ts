import { type MessagePort, parentPort } from 'node:worker_threads';
import { ConnectError, type ConnectFailure, type Route, type WireFacts } from '../reading/wire.ts';
import { dial } from './dial.ts';

/** A connection to establish, and the port for its data. */
export type NewConnection = { port: MessagePort; route: Route };

/** Messages from the thread. */
export type FromThread =
  | { kind: 'open'; facts: WireFacts }
  | { kind: 'failed'; failure: ConnectFailure }
  | { kind: 'fault'; error: unknown }
  | { kind: 'data'; bytes: Uint8Array }
  | { kind: 'closed' };

/** Messages to the thread. */
export type ToThread = { kind: 'write'; text: string } | { kind: 'read'; bytes: number } | { kind: 'close' };

/** Bytes that may be on their way to the other thread: a device would otherwise fill the memory when that is slow. */
const MOST_UNREAD = 256 * 1024;

if (!parentPort) throw new Error('must run in a thread');
parentPort.on('message', (order: NewConnection) => void connect(order));

async function connect({ port, route }: NewConnection) {
  const post = (message: FromThread) => port.postMessage(message);
  const ending = new AbortController();
  // The caller has gone.
  port.on('close', () => ending.abort());
  port.on('message', ({ kind }: ToThread) => {
    if (kind === 'close') ending.abort();
  });
  try {
    const wire = await dial(route, ending.signal);
    post({ kind: 'open', facts: wire.facts });
    let unread = 0;
    wire.onData((bytes) => {
      unread += bytes.length;
      if (unread > MOST_UNREAD) wire.pause();
      post({ kind: 'data', bytes });
    });
    wire.onClose(() => {
      post({ kind: 'closed' });
      port.close();
    });
    port.on('message', (message: ToThread) => {
      if (message.kind === 'write') wire.write(message.text);
      if (message.kind !== 'read') return;
      unread -= message.bytes;
      if (unread <= MOST_UNREAD) wire.resume();
    });
    ending.signal.addEventListener('abort', wire.close, { once: true });
    if (ending.signal.aborted) wire.close();
  } catch (error) {
    post(
      error instanceof ConnectError ? { kind: 'failed', failure: error.failure } : { kind: 'fault', error },
    );
    port.close();
  }
}
