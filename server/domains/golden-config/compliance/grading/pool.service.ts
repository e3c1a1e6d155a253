import type { Worker } from 'node:worker_threads';
import { startThread } from '#server/kernel/threads/supervised-thread.ts';
import type { Checked } from './check.ts';
import type { CheckTask, ProgramSource } from './program-source.ts';
import type { Order, Told } from './worker.ts';

/** Tasks that a thread is given at once: little enough that all threads end at about the same time. */
const SLICE = 25;
/** A thread with nothing to do for this long ends. */
const IDLE_MS = 30_000;
/** What a thread may keep of configurations, rules and outcomes, in MiB. */
const HEAP_MIB = 512;
/** Time to hear what a thread said while this process itself was held up. */
const HEARING_MS = 100;

/** How many threads, and what each may take for one device. */
export type PoolOptions = { threads: number; budgetMs: number };

export type Pool = {
  /**
   * What each task's programs find, in the order of the tasks. A task that ends its thread, or takes longer than its
   * budget, is an error for all its programs; the others go on in a new thread.
   *
   * @throws Error when no thread can be started
   */
  check: (
    tasks: readonly CheckTask[],
    sources: ReadonlyMap<string, ProgramSource>,
  ) => Promise<readonly Checked[][]>;
  close: () => Promise<void>;
};

/** Tasks of one call that go to one thread; `done` of them have an outcome. */
type Slice = {
  tasks: readonly CheckTask[];
  sources: ReadonlyMap<string, ProgramSource>;
  done: number;
  tell: (at: number, outcome: readonly Checked[]) => void;
  fail: (error: Error) => void;
};

type Thread = { worker: Worker; ready: boolean; slice: Slice | null; heard: number; timer?: NodeJS.Timeout };

/** Threads that start when there is work and end when there is none for a while; they keep no process alive. */
export function openPool({ threads: most, budgetMs }: PoolOptions): Pool {
  const threads = new Set<Thread>();
  const waiting: Slice[] = [];

  const rest = (thread: Thread) => {
    clearTimeout(thread.timer);
    thread.timer = setTimeout(() => void thread.worker.terminate(), IDLE_MS);
    thread.timer.unref();
  };

  /** Time for the task at hand; asked for anew with each outcome. */
  const watch = (thread: Thread) => {
    clearTimeout(thread.timer);
    const { heard } = thread;
    thread.timer = setTimeout(() => {
      thread.timer = setTimeout(() => {
        if (thread.heard === heard) leave(thread, `checking it took longer than ${budgetMs / 1000} s`, true);
      }, HEARING_MS);
    }, budgetMs);
  };

  const give = (thread: Thread, slice: Slice) => {
    thread.slice = slice;
    const tasks = slice.tasks.slice(slice.done);
    const sources = new Map<string, ProgramSource>();
    for (const name of tasks.flatMap(({ programs }) => programs)) {
      const source = slice.sources.get(name);
      if (source) sources.set(name, source);
    }
    const order: Order = { sources: [...sources.values()], tasks };
    thread.worker.postMessage(order);
    thread.heard++;
    watch(thread);
  };

  const next = () => {
    for (const thread of threads) {
      if (waiting.length === 0) return;
      if (!thread.ready || thread.slice) continue;
      const slice = waiting.shift();
      if (slice) give(thread, slice);
    }
    const starting = [...threads].filter(({ ready }) => !ready).length;
    for (let count = Math.min(waiting.length - starting, most - threads.size); count > 0; count--) start();
  };

  const start = () => {
    const worker = startThread('check', { resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB } });
    const thread: Thread = { worker, ready: false, slice: null, heard: 0 };
    threads.add(thread);
    worker.unref();
    worker.on('message', (told: Told) => {
      if (told === 'ready') {
        thread.ready = true;
        rest(thread);
      } else hear(thread, told);
      next();
    });
    worker.on('error', (error) => leave(thread, `checking it failed: ${error.message}`));
    worker.on('exit', () => leave(thread, 'checking it ended the thread that did'));
  };

  const hear = (thread: Thread, outcome: readonly Checked[]) => {
    const { slice } = thread;
    if (!slice) return;
    thread.heard++;
    slice.tell(slice.done++, outcome);
    if (slice.done < slice.tasks.length) return watch(thread);
    thread.slice = null;
    rest(thread);
  };

  /**
   * Gives a thread up. The task that it was at is an error, and the rest goes to another thread. Outcomes that a thread
   * posted before it failed may never arrive: which task it was at is certain only for the last one, so several are checked
   * again, each by itself.
   *
   * @param isCertain whether all that the thread posted has arrived
   */
  const leave = (thread: Thread, error: string, isCertain = false) => {
    if (!threads.delete(thread)) return;
    clearTimeout(thread.timer);
    void thread.worker.terminate();
    const { slice, ready } = thread;
    thread.slice = null;
    if (slice && !isCertain && slice.tasks.length - slice.done > 1) {
      const from = slice.done;
      const alone = slice.tasks.slice(from).map((task, at): Slice => {
        return { ...slice, tasks: [task], done: 0, tell: (_, outcome) => slice.tell(from + at, outcome) };
      });
      waiting.unshift(...alone);
    } else if (slice) {
      const task = slice.tasks[slice.done];
      slice.tell(
        slice.done++,
        (task?.programs ?? []).map(() => ({ status: 'error', error })),
      );
      if (slice.done < slice.tasks.length) waiting.unshift(slice);
    } else if (!ready) {
      for (const one of waiting.splice(0)) one.fail(new Error(`no thread can be started: ${error}`));
    }
    next();
  };

  return {
    check: (tasks, sources) =>
      new Promise((resolve, reject) => {
        const outcomes: Checked[][] = new Array(tasks.length);
        let left = tasks.length;
        if (left === 0) resolve(outcomes);
        for (let from = 0; from < tasks.length; from += SLICE) {
          waiting.push({
            tasks: tasks.slice(from, from + SLICE),
            sources,
            done: 0,
            tell: (at, outcome) => {
              outcomes[from + at] = [...outcome];
              left--;
              if (left === 0) resolve(outcomes);
            },
            fail: reject,
          });
        }
        next();
      }),
    close: async () => {
      const all = [...threads];
      threads.clear();
      for (const { timer } of all) clearTimeout(timer);
      await Promise.all(all.map(({ worker }) => worker.terminate()));
    },
  };
}
