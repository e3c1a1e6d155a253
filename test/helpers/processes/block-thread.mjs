/**
 * Preloaded by NODE_OPTIONS into a process under test: blocks a thread for good, or ends it, when a file asks for it. The
 * file is named `<thread>` in the folder BLOCK_THREADS and holds `block`, `loop`, `exit` or `memory`.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

const folder = process.env.BLOCK_THREADS ?? '';

/** The least that the service gives a thread: to fill the third of a large machine takes half a minute. */
const HEAP_MIB = 512;

const threads = createRequire(import.meta.url)('node:worker_threads');
// Threads do not take over what is preloaded when they are given arguments of their own.
threads.Worker = class extends threads.Worker {
  constructor(file, options) {
    const execArgv = [...(options.execArgv ?? []), `--import=${import.meta.url}`];
    const { resourceLimits } = options;
    super(file, {
      ...options,
      execArgv,
      ...(resourceLimits?.maxOldGenerationSizeMb > HEAP_MIB && {
        resourceLimits: { ...resourceLimits, maxOldGenerationSizeMb: HEAP_MIB },
      }),
    });
  }
};
syncBuiltinESMExports();

if (!isMainThread) {
  const file = join(folder, process.argv[2] ?? '');
  setInterval(() => {
    if (!process.argv[2] || !existsSync(file)) return;
    const order = readFileSync(file, 'utf8').trim();
    if (order === '') return;
    rmSync(file);
    if (order === 'exit') process.exit(3);
    if (order === 'memory') {
      const kept = [];
      for (;;) kept.push(new Array(100_000).fill(Math.random()));
    }
    while (order === 'loop');
    // It waits for good: as blocked as by an endless loop, and a processor is left for others.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }, 50).unref();
}
