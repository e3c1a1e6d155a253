import { workerData } from 'node:worker_threads';
import { degradedBits } from '#server/kernel/observability/part-status.ts';
import { BEAT_MS, type Heartbeat, type ThreadName } from '#server/kernel/threads/supervised-thread.ts';

const CODE: Readonly<Record<ThreadName, () => Promise<unknown>>> = {
  work: () => import('./worker-thread.ts'),
  calculations: () => import('./calculation-thread.ts'),
  sessions: () => import('#server/southbound/cli/sessions/sessions-thread.ts'),
  connections: () => import('#server/southbound/cli/sessions/connection-thread.ts'),
};

// `startThread` passed both.
await CODE[process.argv[2] as ThreadName]();
const counter = new Int32Array((workerData as Heartbeat).beat);
const beat = () => {
  Atomics.store(counter, 1, degradedBits());
  Atomics.add(counter, 0, 1);
};
beat();
setInterval(beat, BEAT_MS).unref();
