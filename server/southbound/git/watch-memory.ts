import { readFile } from 'node:fs/promises';

/** Interval at which the memory of a call is measured, in milliseconds. */
const CHECK_MS = 500;

const textOf = (path: string) => readFile(path, 'utf8').catch(() => '');

/** Returns the memory of a process and of all that it started, in bytes; 0 where the system does not say it. */
async function memoryOf(pid: number): Promise<number> {
  const [status, children] = [
    await textOf(`/proc/${pid}/status`),
    await textOf(`/proc/${pid}/task/${pid}/children`),
  ];
  let sum = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  for (const child of children.split(' ').filter(Boolean)) sum += await memoryOf(Number(child));
  return sum;
}

/**
 * Measures the memory of a program at intervals, on Linux; other systems do not say it.
 *
 * @param pid id of the program's process
 * @param mostBytes its limit, together with the programs that it starts
 * @param exceeded called once it has more
 * @returns a function that ends it
 */
export function watchMemory(pid: number, mostBytes: number, exceeded: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  const next = () => {
    if (ended) return;
    timer = setTimeout(async () => {
      if ((await memoryOf(pid)) > mostBytes) exceeded();
      next();
    }, CHECK_MS);
  };
  next();
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}
