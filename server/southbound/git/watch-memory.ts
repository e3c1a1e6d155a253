import { procText, watchTree } from './process-tree.ts';

/** Returns the memory of a process in bytes; 0 where the system does not say it. */
const memoryOf = async (pid: number): Promise<number> =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(await procText(`/proc/${pid}/status`))?.[1] ?? 0) * 1024;

/**
 * Measures the memory of a program at intervals, on Linux; other systems do not say it.
 *
 * @param pid id of the program's process
 * @param mostBytes its limit, together with the programs that it starts
 * @param exceeded called once it has more
 * @returns a function that ends it
 */
export const watchMemory = (pid: number, mostBytes: number, exceeded: () => void): (() => void) =>
  watchTree(pid, memoryOf, (bytes) => {
    if (bytes > mostBytes) exceeded();
  });
