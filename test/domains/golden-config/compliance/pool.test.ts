import { expect, test } from 'vitest';
import type { CheckResult } from '#server/domains/golden-config/compliance/grading/check.ts';
import { checkInThreads } from '#server/domains/golden-config/compliance/grading/checkers.service.ts';
import type {
  CheckTask,
  ProgramSource,
} from '#server/domains/golden-config/compliance/grading/program-source.ts';
import { openCalculationPool } from '#server/kernel/calculations/calculation-pool.ts';
import { isLong } from '../../../helpers/long.ts';

const pool = openCalculationPool(2, 256);
const check = (tasks: CheckTask[], programs: Map<string, ProgramSource>) =>
  checkInThreads(tasks, programs, pool, 700);

const program = (template: string, more: Partial<ProgramSource> = {}): ProgramSource => ({
  sha256: template,
  specs: [{ id: '65a0000000000000000000aa', nodePath: 'base', template, lines: [] }],
  parser: { template: 'cisco-ios' },
  variables: {},
  ...more,
});
const sources = (...programs: ProgramSource[]) => new Map(programs.map((one) => [one.sha256, one]));
const reported = (one: CheckResult | undefined) =>
  one?.status === 'complete' ? `${one.totals.passes} of ${one.evaluated}` : one?.error;

test('threads return the results of each text and program in the order of the tasks', async () => {
  const both = sources(program('hostname {/.+/}\n'), program('ntp server 192.0.2.9\n'));
  const tasks = Array.from({ length: 130 }, (_, n) => ({
    text: n % 2 === 0 ? 'hostname x\n' : 'ntp server 192.0.2.9\n',
    programs: [...both.keys()],
  }));
  const outcomes = await check(tasks, both);
  expect(outcomes.map((outcome) => outcome.map(reported))).toEqual(
    tasks.map((_, n) => (n % 2 === 0 ? ['1 of 1', '0 of 1'] : ['0 of 1', '1 of 1'])),
  );
});

test.skipIf(!isLong)(
  'a text that exceeds the time limit of a device fails for that device only',
  async () => {
    // expressions over expressions: a millisecond for each line of this text
    const slow = program('hostname {/.+/}\n', {
      sha256: 'slow',
      parser: {
        template: 'cisco-ios',
        lexRules: [
          ['(?:(?:a{0,30}){0,30}b)|x', 'word'],
          ['\\n', 'end_line'],
          ['\\S+', 'word'],
        ],
      },
    });
    const heavy = `${'a'.repeat(400)}\n`.repeat(3000);
    const tasks = Array.from({ length: 60 }, (_, n) => ({
      text: n === 30 ? heavy : 'hostname x\n',
      programs: ['slow'],
    }));
    const outcomes = await check(tasks, sources(slow));
    expect(outcomes.map(([one]) => reported(one))).toEqual(
      tasks.map((_, n) => (n === 30 ? 'checking it took longer than 700 ms' : '1 of 1')),
    );
  },
);

test('a text that cannot be checked fails for its device only', async () => {
  const rule = program('hostname {/.+/}\n');
  const broken = { ...rule, sha256: 'broken', parser: null } as unknown as ProgramSource;
  const tasks = Array.from({ length: 40 }, (_, n) => ({
    text: 'hostname x\n',
    programs: [n === 7 ? 'broken' : rule.sha256],
  }));
  const outcomes = await check(tasks, sources(rule, broken));
  const errors = outcomes.flatMap(([one], n) => (one?.status === 'error' ? [[n, one.error]] : []));
  expect(errors).toEqual([[7, expect.stringMatching(/^checking it failed: /)]]);
});
