import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, inject, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { processesIn, until } from '../helpers/processes/processes.ts';

/** A start takes some seconds of CPU time, of which a busy machine gives a twentieth. */
const START_SECONDS = 150;

const ending: (() => void)[] = [];
afterAll(() => {
  for (const end of ending) end();
});

test('SIGTERM to npm ends the service that it started', async () => {
  const folder = join(inject('folder'), `npm-${process.pid}-${Date.now()}`);
  await mkdir(folder);
  const child = spawn('npm', ['start', '--silent'], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', DATA_DIR: folder },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  ending.push(() => {
    try {
      // What is left of its group.
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch {
      // Nothing is.
    }
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  await until(
    'a service that listens',
    () => lines.find((line) => line.startsWith('listening')),
    START_SECONDS,
  );
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
  await until('nothing left', () => processesIn(folder).length === 0 || undefined);
});

test('a script of npm that runs the service takes the place of its shell, which would keep signals to itself', () => {
  const scripts = Object.entries(packageJson.scripts).filter(([, script]) => script.includes('launch.cjs'));
  expect(scripts.map(([name]) => name)).toEqual(['start', 'backup', 'restore', 'adapter', 'worker']);
  for (const [, script] of scripts) expect(script).toMatch(/^exec node /);
});
