import type { ThreadName } from './thread.ts';

const CODE: Readonly<Record<ThreadName, () => Promise<unknown>>> = {
  work: () => import('./work-thread.ts'),
  check: () => import('./engines/compliance/worker.ts'),
  sessions: () => import('./southbound/cli/sessions-thread.ts'),
  connections: () => import('./southbound/cli/connection-thread.ts'),
};

// `startThread` gave it.
await CODE[process.argv[2] as ThreadName]();
