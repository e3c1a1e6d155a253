import { procText, watchTree } from './process-tree.ts';

/**
 * Returns how much a process has read and computed, without a unit; 0 where the system does not say it. `ssh`, which only
 * carries bytes, counts as nothing: it reads signs of life of its server, whatever git does there.
 */
async function workOf(pid: number): Promise<number> {
  const [io, stat] = [await procText(`/proc/${pid}/io`), await procText(`/proc/${pid}/stat`)];
  // The name may hold blanks and parentheses; after it follow the state and, as 12th and 13th, the times.
  const [, name, rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(stat) ?? [];
  const read = /^rchar: (\d+)$/m.exec(io)?.[1];
  if (read === undefined || rest === '' || name === 'ssh') return 0;
  const [user = 0, system = 0] = rest.split(' ').slice(11, 13).map(Number);
  return Number(read) + user + system;
}

/**
 * Watches whether a program makes progress, on Linux; other systems do not say it.
 *
 * @param pid id of the program's process
 * @param silentMs how long it may neither read nor compute anything, in milliseconds
 * @param stalled called once it has not for so long
 * @returns a function that ends it
 */
export function watchProgress(pid: number, silentMs: number, stalled: () => void): () => void {
  let before = 0;
  let changed = performance.now();
  return watchTree(pid, workOf, (work) => {
    if (work === 0 || work !== before) changed = performance.now();
    before = work;
    if (performance.now() - changed > silentMs) stalled();
  });
}
