import { readFile } from 'node:fs/promises';

/** Interval at which the progress of a call is measured, in milliseconds. */
const CHECK_MS = 500;

const textOf = (path: string) => readFile(path, 'utf8').catch(() => '');

/**
 * Returns how much a program and all that it started have read and computed, without a unit; null where the system does not
 * say it. Programs that only carry bytes are left out: `ssh` reads signs of life of its server, whatever git does there.
 */
async function workOf(pid: number): Promise<number | null> {
  const [io, stat, children] = [
    await textOf(`/proc/${pid}/io`),
    await textOf(`/proc/${pid}/stat`),
    await textOf(`/proc/${pid}/task/${pid}/children`),
  ];
  const read = /^rchar: (\d+)$/m.exec(io)?.[1];
  // The name may hold blanks and parentheses; after it follow the state and, as 12th and 13th, the times.
  const [, name = '', rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(stat) ?? [];
  if (read === undefined || rest === '') return null;
  const [user = 0, system = 0] = rest.split(' ').slice(11, 13).map(Number);
  let sum = name === 'ssh' ? 0 : Number(read) + user + system;
  for (const child of children.split(' ').filter(Boolean)) sum += (await workOf(Number(child))) ?? 0;
  return sum;
}

/**
 * Watches whether a program makes progress, on Linux; other systems do not say it.
 *
 * @param pid process id of the program
 * @param silentMs how long it may neither read nor compute anything, in milliseconds
 * @param stalled called once it has not for so long
 * @returns a function that ends it
 */
export function watchProgress(pid: number, silentMs: number, stalled: () => void): () => void {
  let before: number | null = null;
  let changed = performance.now();
  const timer = setInterval(async () => {
    const work = await workOf(pid);
    if (work === null || work !== before) changed = performance.now();
    before = work;
    if (performance.now() - changed > silentMs) stalled();
  }, CHECK_MS);
  return () => clearInterval(timer);
}
