import fc from 'fast-check';
import { RE2JS } from 're2js';
import { expect, test } from 'vitest';
import type { Word } from '#db/schemas/golden-config/config-spec.ts';
import { lineMatcher } from '#server/domains/golden-config/rules/matcher.ts';
import { firstWordOf } from '#server/domains/golden-config/rules/words.ts';
import { lawRuns } from '../../../helpers/long.ts';

const expression = (value: string): Word[] => [{ type: 'regex', value }];

test('matches whole lines, with literal words as they are and expressions as RE2 has them', () => {
  const { matches } = lineMatcher([
    { type: 'literal', value: 'ip' },
    { type: 'regex', value: 'a|b+' },
    { type: 'literal', value: '1.1' },
  ]);
  expect(['ip a 1.1', 'ip bb 1.1', 'ip a 101', 'ip a 1.1 x', 'no ip a 1.1'].map(matches)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

test('matches nothing beyond 16 kB', () => {
  const { matches } = lineMatcher(expression('a*'));
  expect(matches('a'.repeat(16 * 1024))).toBe(true);
  expect(matches('a'.repeat(16 * 1024 + 1))).toBe(false);
});

test('matches the same lines as RE2, with its own engine or not', () => {
  const piece = fc.constantFrom(
    ...[
      'a',
      'b',
      ' ',
      '-',
      '/',
      '\\.',
      '\\d',
      '\\w',
      '\\S',
      '[ab]',
      '[a-c/]',
      '.',
      '\\d+',
      '\\w*',
      '\\S+',
      '[ab]+',
    ],
    ...['.*', '.+', '\\d{2}', '\\d{1,3}', '\\w{2,}', 'a+', '\\*', '(a|b)', 'é', '\\.*', '\\-'],
  );
  const line = fc
    .array(
      fc.constantFrom(
        'a',
        'b',
        'ab',
        'c',
        '1',
        '12',
        ' ',
        '\n',
        '.',
        '-',
        '/',
        'é',
        '😀',
        '\u00a0',
        '\v',
        '\r',
        '*',
      ),
      {
        maxLength: 8,
      },
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), fc.array(line), (parts, lines) => {
      const reference = RE2JS.compile(parts.join(''));
      const { matches } = lineMatcher(expression(parts.join('')));
      for (const one of lines)
        expect([parts.join(''), one, matches(one)]).toEqual([parts.join(''), one, reference.testExact(one)]);
    }),
    lawRuns(5000),
  );
});

test.each(['\\S+ \\S+ \\S+', '[a/]+ .*', '\\w+-\\w+-\\w+-\\w+', '\\d{1,3}\\.\\d{1,3}'])(
  '%s is held against a long line in a moment',
  (one) => {
    const { matches } = lineMatcher(expression(one));
    const before = process.cpuUsage();
    for (const unit of ['a', 'a-', '1', 'a '])
      for (let round = 0; round < 100; round++) matches(`${unit.repeat(8000 / unit.length)}!`);
    const { user } = process.cpuUsage(before);
    expect(user / 1000).toBeLessThan(1000);
  },
);

test('returns the first word of all matches, or null where matches may begin differently', () => {
  const first = (one: string) => lineMatcher(expression(one)).firstWord;
  expect(first('interface (?:Gi.*)')).toBe('interface');
  expect(first('inter.*')).toBeNull();
  expect(first('ip|ipv6 a')).toBeNull();
  expect(first('a+ b')).toBeNull();
  expect(first('ip *b')).toBeNull();
  expect(first('ip {0}b')).toBeNull();
  expect(first('(?i)ip http')).toBeNull();
  const words: Word[] = [{ type: 'literal', value: 'ip' }, ...expression('a|b')];
  expect(lineMatcher(words).firstWord).toBe('ip');
});

test('every line that matches begins with the first word, whatever the expression', () => {
  const piece = fc.constantFrom('a', 'b', ' ', 'a ', '.', '\\S', '|', '?', '*', '{0}', '(', ')', '-');
  const line = fc
    .array(fc.constantFrom('a', 'b', ' ', '-', 'a ', 'ab'), { maxLength: 6 })
    .map((parts) => parts.join(''));
  let sure = 0;
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), fc.array(line), (parts, lines) => {
      let matcher: ReturnType<typeof lineMatcher> | undefined;
      try {
        matcher = lineMatcher(expression(parts.join('')));
      } catch {
        fc.pre(false);
      }
      if (!matcher?.firstWord) return;
      sure++;
      for (const one of lines) if (matcher.matches(one)) expect(firstWordOf(one)).toBe(matcher.firstWord);
    }),
    lawRuns(5000, 625),
  );
  expect(sure).toBeGreaterThan(50);
});
