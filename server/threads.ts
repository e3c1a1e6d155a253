import { workerData } from 'node:worker_threads';
import { BEAT_MS, type Heartbeat, type ThreadName } from './thread.ts';

const CODE: Readonly<Record<ThreadName, () => Promise<unknown>>> = {
  work: () => import('./work-thread.ts'),
  check: () => import('./engines/compliance/worker.ts'),
  calculations: () => import('./calculations/calculation-thread.ts'),
  sessions: () => import('./southbound/cli/sessions-thread.ts'),
  connections: () => import('./southbound/cli/connection-thread.ts'),
};

// `startThread` gave both.
await CODE[process.argv[2] as ThreadName]();
const counter = new Int32Array((workerData as Heartbeat).beat);
const beat = () => void Atomics.add(counter, 0, 1);
beat();
setInterval(beat, BEAT_MS).unref();
