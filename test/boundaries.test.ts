import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

type Cruise = {
  summary: { totalCruised: number; violations: { rule: { name: string }; from: string; to: string }[] };
};

/** What dependency-cruiser finds below these folders. */
async function cruise(...folders: string[]): Promise<Cruise> {
  const { stdout } = await run(
    'node_modules/.bin/depcruise',
    ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', ...folders],
    { maxBuffer: 64 * 1024 * 1024 },
  ).catch((failed: { stdout: string }) => failed);
  return JSON.parse(stdout) as Cruise;
}

test('calls go down the stairs only: no module imports what its floor may not', async () => {
  const { summary } = await cruise('server', 'routers', 'db');
  const found = summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);
  expect(found).toEqual([]);
  // A cruise that sees nothing passes: it must have seen the house.
  expect(summary.totalCruised).toBeGreaterThan(50);
});
