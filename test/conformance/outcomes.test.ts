import { expect, test } from 'vitest';
import { casesOf } from './case.ts';
import { outcomes, summary } from './outcomes.ts';

const FILE = [
  {
    kind: 'parse',
    case: 'one',
    os: 'cisco_ios',
    given: { config: 'a\n b\n' },
    expected: [
      ['a', []],
      [' b', ['a']],
    ],
  },
  { kind: 'parse', case: 'two', os: 'cisco_ios', given: { config: 'a\n' }, expected: [['b', []]] },
  { kind: 'parse', case: 'three', os: 'no_such_os', given: { config: 'a\n' }, expected: [] },
  {
    kind: 'section',
    case: 'four',
    os: 'cisco_ios',
    given: { config: 'a 1\n b\nc\n', feature: { name: 'a', ordered: true, section: ['a '] } },
    expected: 'a 1\n b',
  },
  { kind: 'dream', case: 'five', os: 'cisco_ios', given: {}, expected: null },
]
  .map((one) => JSON.stringify(one))
  .join('\n');

test('cases are counted by kind; a faulty case and a kind without a runner count as missed', () => {
  const all = outcomes(casesOf(`${FILE}\n`));
  expect(summary(all, false)).toEqual([
    'parse 1/3',
    'section 1/1',
    'dream 0/1 (no one runs this kind)',
    'total 2/5',
  ]);
  const [two, three, five] = summary(all, true);
  expect(two).toMatch(/^MISSED parse cisco_ios two at \/0\/0\n {4}ours {5}"a"\n {4}expected "b"$/);
  expect(three).toContain('fault: Error: no dialect for no_such_os');
  expect(five).toBe('MISSED dream cisco_ios five no one runs this kind');
});

test('a case without a kind is a remediation', () => {
  const [one] = casesOf('{"os":"x","running":["a"],"generated":[],"remediation":["no a"]}');
  expect(one).toEqual({
    kind: 'remediation',
    name: 'line 1',
    os: 'x',
    given: { running: ['a'], generated: [] },
    expected: ['no a'],
  });
});
