import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Builds the console in a process of its own when its sources have changed, so that no start waits for it. A failure is
 * one line on standard error: the service itself serves without a console.
 */
export function buildConsoleBeside() {
  const build = fileURLToPath(new URL('../../web/build.mjs', import.meta.url));
  spawn(process.execPath, [build, '--quiet'], { stdio: ['ignore', 'ignore', 'inherit'] }).unref();
}
