import { parentPort } from 'node:worker_threads';
import { type Checked, openChecker } from './check.ts';
import type { CheckTask, ProgramSource } from './program-source.ts';

/** What a thread is told: tasks in their order, and the sources of their programs. */
export type Order = { sources: readonly ProgramSource[]; tasks: readonly CheckTask[] };

/** What a thread tells: that it is ready, then the outcome of each task in their order. */
export type Told = 'ready' | readonly Checked[];

if (!parentPort) throw new Error('runs as a thread');
const port = parentPort;
const checker = openChecker();

const tell = (told: Told) => port.postMessage(told);

port.on('message', ({ sources, tasks }: Order) => {
  const byHash = new Map(sources.map((source) => [source.sha256, source]));
  // One message a task: whoever waits must see which one takes too long.
  for (const task of tasks) tell(checker.check(task, byHash));
});
tell('ready');
