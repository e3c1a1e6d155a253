import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

/**
 * Runs the checks that run no product code, as many at once as there are processors, and prints the output of each when it
 * ends. The longest are the first. When one fails, the others are ended, and so is this process, with 1.
 */
const waiting = ['typecheck:service', 'typecheck:console', 'lint', 'unused', 'migrations'];
const running = new Set();

function startNext() {
  const name = waiting.shift();
  if (name === undefined) return;
  const began = performance.now();
  // A group of its own, so that what npm starts ends with it.
  const child = spawn('npm', ['run', '--silent', name], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const written = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => written.push(part));
  child.on('close', (code) => {
    running.delete(child);
    // It was ended because another one failed.
    if (process.exitCode) return;
    process.stdout.write(Buffer.concat(written));
    console.log(
      `${name}: ${code === 0 ? 'ok' : 'FAILED'}, ${Math.round((performance.now() - began) / 1000)} s`,
    );
    if (code === 0) return startNext();
    end(1);
  });
}

/** Ends everything that runs. */
function end(code) {
  process.exitCode = code;
  waiting.length = 0;
  for (const { pid } of running) process.kill(-pid, 'SIGTERM');
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => end(130));
for (let count = 0; count < availableParallelism(); count++) startNext();
