import { expect, test } from 'vitest';
import { openChecker } from '#server/domains/golden-config/compliance/grading/check.ts';
import type { ProgramSource } from '#server/domains/golden-config/compliance/grading/program-source.ts';

const PARENTS =
  '{/interface .+/}\n description {/(?:x+x+)+y/}\n mtu 9000\n{d/}{/(a|a)*b/}\n<e/>{/^(a+)+$/}\n';

/** CPU milliseconds of a check of so many lines under rules that a backtracking engine would never end with. */
function cpuOf(lines: number): number {
  const source: ProgramSource = {
    sha256: String(lines),
    specs: [{ id: '65a0000000000000000000aa', nodePath: 'base', template: PARENTS, lines: [] }],
    parser: { template: 'cisco-ios' },
    variables: {},
  };
  const section = `interface Gi1\n description ${'x'.repeat(40)}\n mtu 9000\n${'a'.repeat(40)}!\n`;
  const text = section.repeat(lines / 4);
  const before = process.cpuUsage();
  const [found] = openChecker().check(
    { text, programs: [source.sha256] },
    new Map([[source.sha256, source]]),
  );
  const { user, system } = process.cpuUsage(before);
  expect(found).toMatchObject({ status: 'complete', totals: { errors: 1, passes: 3 } });
  return (user + system) / 1000;
}

const LINES = 1_000_000;

test(`the time to check ${LINES} lines under adversarial expressions grows in proportion to their number`, () => {
  cpuOf(20_000);
  const quarter = cpuOf(LINES / 4);
  const whole = cpuOf(LINES);
  // four times is linear; the square would be sixteen times
  expect(whole / quarter).toBeLessThan(9);
});
