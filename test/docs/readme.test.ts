import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startDemo } from '../helpers/demo.ts';
import { missingPrograms, runSteps, stepsIn } from './guide-runner.ts';

const page = readFileSync('README.md', 'utf8');
const steps = stepsIn(page);

/** Time that the whole tour may take on a slow machine, in milliseconds. */
const TOUR_MS = 180_000;

const missing = missingPrograms();
test.skipIf(missing.length > 0)(
  `the tour of README runs on the demo and answers what the page shows (needs bash, curl, jq; missing: ${missing.join() || 'none'})`,
  { timeout: TOUR_MS + 120_000 },
  async () => {
    expect(steps.length).toBeGreaterThan(20);
    const password = /^ADMIN_PASSWORD=(\S+) npm run demo$/m.exec(page)?.[1] ?? '';
    const { child, url } = await startDemo(password);
    try {
      const replace = ['http://127.0.0.1:3000', url] as const;
      expect(await runSteps(steps, { replace, timeoutMs: TOUR_MS })).toEqual([]);
    } finally {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  },
);

test('README lists each document once', () => {
  const linked = [...page.matchAll(/^\| \[(\S+)\]/gm)].map(([, path]) => path);
  expect(new Set(linked).size).toBe(linked.length);
  expect(linked.length).toBeGreaterThan(15);
});
