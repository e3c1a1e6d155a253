import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { inject } from 'vitest';
import { until } from './processes.ts';

/**
 * Starts the demo as `npm run demo` does, on a free port. The caller ends it.
 *
 * @param password of the account admin
 * @param variables further variables of its environment
 * @returns its process, its address, the folder of its data, its lines so far, and the ids of the processes that it names
 * @throws Error when it ends or is not ready in time
 */
export async function startDemo(password: string, variables: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, ['test/lab/demo.mjs'], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      TMPDIR: inject('folder'),
      PORT: '0',
      ADMIN_PASSWORD: password,
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  try {
    await until(
      'the demo',
      () => lines.some((line) => line.includes('is ready')) || child.exitCode !== null,
      300,
    );
    if (child.exitCode !== null) throw new Error(`the demo ended with ${child.exitCode}`);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  const url = /^listening on (\S+)$/.exec(lines[0] ?? '')?.[1] ?? '';
  const folder = lines.flatMap((line) => /^data folder: (\S+)/.exec(line)?.[1] ?? [])[0] ?? '';
  const processes = lines.flatMap((line) => {
    const found = /\(process (\d+)\)$/.exec(line);
    return found ? [Number(found[1])] : [];
  });
  return { child, url, folder, lines, processes };
}
