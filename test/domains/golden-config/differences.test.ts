import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Difference, differences, type Grain } from '#server/kernel/text/text-differences.ts';
import { cpuTime } from '../../helpers/cpu-time.ts';
import { isLong, lawRuns } from '../../helpers/long.ts';

const grains: Grain[] = ['line', 'word', 'char'];
const without = (list: readonly Difference[], op: number) =>
  list.flatMap(([one, text]) => (one === op ? [] : [text])).join('');

/** Texts that resemble one another as configurations do: few words, many lines. */
const config = fc
  .array(fc.constantFrom('a', 'b', 'interface x', ' no shutdown', '', 'ünï 𝛼', '\r', ' \t '), {
    maxLength: 40,
  })
  .map((lines) => lines.join('\n'));
const text = fc.oneof(config, fc.string({ unit: 'binary', maxLength: 60 }), fc.string({ unit: 'grapheme' }));

test.each(grains)(
  'by %s: the parts that are not added form the first text, those not removed the second',
  (grain) => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const list = differences(before, after, grain);
        expect(without(list, 1)).toBe(before);
        expect(without(list, -1)).toBe(after);
      }),
      lawRuns(1000),
    );
  },
);

test.each(grains)('by %s: no part is empty, and no two neighbouring parts are of one kind', (grain) => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const list = differences(before, after, grain);
      for (const [at, [op, part]] of list.entries()) {
        expect(part).not.toBe('');
        expect(op).not.toBe(list[at + 1]?.[0]);
      }
    }),
  );
});

/** The most characters that two texts have in common, in order: by the textbook, in square time and space. */
function common(one: readonly string[], other: readonly string[]): number {
  let last = new Array<number>(other.length + 1).fill(0);
  for (const a of one) {
    const next = [0];
    for (const [at, b] of other.entries()) {
      next.push(a === b ? (last[at] ?? 0) + 1 : Math.max(last[at + 1] ?? 0, next[at] ?? 0));
    }
    last = next;
  }
  return last.at(-1) ?? 0;
}

test('no equal line is reported as changed: no list of differences has more in common', () => {
  const short = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 40 });
  fc.assert(
    fc.property(short, short, (before, after) => {
      const same = differences(before, after, 'char').flatMap(([op, part]) => (op === 0 ? [part] : []));
      expect(same.join('')).toHaveLength(common([...before], [...after]));
    }),
    lawRuns(1000),
  );
});

test('lines, words and characters are reported as such', () => {
  const [before, after] = [
    'hostname edge-1\nntp server 192.0.2.9\n',
    'hostname edge-2\nntp server 192.0.2.9\n',
  ];
  expect(differences(before, after, 'line')).toEqual([
    [-1, 'hostname edge-1\n'],
    [1, 'hostname edge-2\n'],
    [0, 'ntp server 192.0.2.9\n'],
  ]);
  expect(differences(before, after, 'word')).toEqual([
    [0, 'hostname '],
    [-1, 'edge-1'],
    [1, 'edge-2'],
    [0, '\nntp server 192.0.2.9\n'],
  ]);
  expect(differences(before, after, 'char')).toEqual([
    [0, 'hostname edge-'],
    [-1, '1'],
    [1, '2'],
    [0, '\nntp server 192.0.2.9\n'],
  ]);
  expect(differences('', '', 'word')).toEqual([]);
  expect(differences('same', 'same', 'word')).toEqual([[0, 'same']]);
});

test.skipIf(!isLong)('large texts that differ everywhere are compared in bounded time, and correctly', () => {
  const lines = (seed: number) =>
    Array.from({ length: 60_000 }, (_, at) => `line ${(at * seed) % 50_021}\n`).join('');
  const [before, after] = [lines(7919), lines(104_729)];
  const started = cpuTime();
  const list = differences(before, after, 'line');
  expect(cpuTime() - started).toBeLessThan(5000);
  expect(without(list, 1) === before && without(list, -1) === after).toBe(true);
});

test('scattered changes in a large text are reported as small as they are', () => {
  const lines = Array.from({ length: 100_000 }, (_, at) => `line ${at}\n`);
  const changed = lines.map((line, at) => (at % 40 === 0 ? `changed ${at}\n` : line));
  const list = differences(lines.join(''), changed.join(''), 'line');
  expect(list.filter(([op]) => op === 0)).toHaveLength(2500);
  expect(list.filter(([op]) => op === 1)).toHaveLength(2500);
});

test('unlimited blanks are read in linear time', () => {
  const started = cpuTime();
  differences(' '.repeat(1_000_000), ` ${'\t'.repeat(1_000_000)}x`, 'word');
  expect(cpuTime() - started).toBeLessThan(3000);
});
