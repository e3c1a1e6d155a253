import { join } from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * What is done in threads of their own (threads.ts): durable work, comparing configurations, sessions with devices, and
 * connections to those of them that would hold up the other sessions.
 */
export type ThreadName = 'work' | 'check' | 'sessions' | 'connections';

/**
 * Start a thread. Its code lies beside ours, compiled (compile.mjs) or not (thread.mjs); the compiler leaves this way to
 * ask for our folder as it is, unlike that by URL.
 */
export const startThread = (
  name: ThreadName,
  options: Pick<WorkerOptions, 'workerData' | 'resourceLimits'> = {},
): Worker =>
  new Worker(join(import.meta.dirname, 'thread.mjs'), {
    ...options,
    argv: [name],
    execArgv: process.execArgv.filter((argument) => argument === '--enable-source-maps'),
  });
