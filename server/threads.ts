import type { ThreadName } from './thread.ts';

const CODE: Readonly<Record<ThreadName, () => Promise<unknown>>> = {
  work: () => import('./work-thread.ts'),
  check: () => import('./engines/compliance/worker.ts'),
  dial: () => import('./southbound/cli/thread.ts'),
};

// `startThread` gave it.
await CODE[process.argv[2] as ThreadName]();
