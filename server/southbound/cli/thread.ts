import { parentPort, workerData } from 'node:worker_threads';
import { dial } from './dial.ts';
import { type Refusal, type Route, type WireFacts, WireRefused } from './wire.ts';

/** What the thread tells of its one connection. */
export type FromThread =
  | { kind: 'open'; facts: WireFacts }
  | { kind: 'refused'; refusal: Refusal }
  | { kind: 'data'; bytes: Uint8Array }
  | { kind: 'closed' };

/** What it is told. */
export type ToThread = { kind: 'write'; text: string } | { kind: 'close' };

if (!parentPort) throw new Error('runs as a thread');
const port = parentPort;
const tell = (told: FromThread) => port.postMessage(told);
const ending = new AbortController();

port.on('message', ({ kind }: ToThread) => {
  if (kind === 'close') ending.abort();
});
try {
  // It was made by connect.ts.
  const wire = await dial(workerData as Route, ending.signal);
  tell({ kind: 'open', facts: wire.facts });
  wire.onData((bytes) => tell({ kind: 'data', bytes }));
  wire.onClose(() => {
    tell({ kind: 'closed' });
    port.close();
  });
  port.on('message', (told: ToThread) => {
    if (told.kind === 'write') wire.write(told.text);
    else wire.close();
  });
  if (ending.signal.aborted) wire.close();
} catch (error) {
  if (!(error instanceof WireRefused)) throw error;
  tell({ kind: 'refused', refusal: error.refusal });
  port.close();
}
