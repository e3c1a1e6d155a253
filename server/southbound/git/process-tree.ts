import { readFile } from 'node:fs/promises';
import { runAtIntervals } from '#server/kernel/timing/interval-task.ts';

/** Interval between two measurements of a call, in milliseconds. */
const CHECK_MS = 500;

/**
 * Returns the text of a file of `/proc`; '' where the system has no such file, or the process has ended.
 *
 * @param path of the file
 */
export const procText = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

type FigureOf = (pid: number) => Promise<number>;

async function sumOf(pid: number, figureOf: FigureOf): Promise<number> {
  const children = await procText(`/proc/${pid}/task/${pid}/children`);
  let sum = await figureOf(pid);
  for (const child of children.split(' ').filter(Boolean)) sum += await sumOf(Number(child), figureOf);
  return sum;
}

/**
 * Measures a program at intervals, together with the programs that it started.
 *
 * @param pid id of the program's process
 * @param figureOf measures one process; 0 where the system does not say it
 * @param check receives the sum of each measurement
 * @returns a function that ends it: `check` is not called afterwards
 */
export function watchTree(pid: number, figureOf: FigureOf, check: (sum: number) => void): () => void {
  const measure = async (ending: AbortSignal) => {
    const sum = await sumOf(pid, figureOf);
    if (!ending.aborted) check(sum);
  };
  const end = runAtIntervals(CHECK_MS, measure, () => undefined);
  return () => void end();
}
