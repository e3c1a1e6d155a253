import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compilePattern, PatternError } from '#server/kernel/documents/list-filter.ts';
import { cpuTime } from '../../helpers/cpu-time.ts';
import { lawRuns } from '../../helpers/long.ts';

test.each([
  ['core', 'the core router', true],
  ['^core', 'the core router', false],
  ['CORE', 'core', false],
  ['(?i)CORE', 'core', true],
  ['^ios-(xr|xe)$', 'ios-xr', true],
  ['\\d{1,3}\\.\\d+', 'v7.11', true],
  ['', '', true],
  ['é', 'café', true],
])('the expression %j matches %j: %j', (source, text, found) => {
  expect(compilePattern(source).test(text)).toBe(found);
});

test.each([
  ['a(b', 3, 'missing closing )'],
  ['a)b', 1, 'unexpected )'],
  ['[)]a)', 4, 'unexpected )'],
  ['x[ab', 1, 'missing closing ]'],
  ['[a][b', 3, 'missing closing ]'],
  ['a**', 1, 'invalid nested repetition operator'],
  ['a|*', 2, 'missing argument to repetition operator'],
  ['abc\\', 3, 'trailing backslash'],
  ['x(?=a)', 1, 'look-arounds are not supported'],
  ['x(?!a)', 1, 'look-arounds are not supported'],
  ['yy(?<!a)', 2, 'look-arounds are not supported'],
  ['[(?=]x(?=y)', 6, 'look-arounds are not supported'],
  ['(a)\\1', 3, 'back-references are not supported'],
  ['(?P<n>a)(?P=n)', 8, 'back-references are not supported'],
  ['z[b-a]', 2, 'invalid character class range'],
  ['a{1001}', 1, 'invalid repeat count'],
  ['b(((a{20}){20}){20})', 15, 'too large'],
  ['(?:\\Q[(\\E){900}', 10, 'too large'],
  ['\\w{900}'.repeat(3), 16, 'too large'],
  ['x'.repeat(1001), 1000, 'longer than 1000 characters'],
])('%j is rejected at position %i: %s', (source, position, reason) => {
  expect(() => compilePattern(source)).toThrow(PatternError);
  expect(() => compilePattern(source)).toThrow(`at position ${position}: `);
  expect(() => compilePattern(source)).toThrow(reason);
});

test.each(['(x+x+)+y', '(a*)*b', '(a|aa)+$', '^(([a-z])+.)+[A-Z]([a-z])+$', '(.*a){30}', '(?:a?){30}a{30}'])(
  '%j never backtracks',
  (source) => {
    const started = cpuTime();
    compilePattern(source).test(`${'a'.repeat(20_000)}!`);
    // A backtracking engine would take longer than the universe lasts; a second leaves room for a busy machine.
    expect(cpuTime() - started).toBeLessThan(1000);
  },
);

test('any text is an expression or rejected at a position within it, quickly', () => {
  const piece = fc.constantFrom(
    '(',
    ')',
    '[',
    ']',
    '{9}',
    '{1,900}',
    '*',
    '\\',
    'a',
    '(?',
    '|',
    '\\Q',
    '\\E',
    '^',
    'é',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(piece, { maxLength: 60 }).map((all) => all.join('')),
      ),
      (source) => {
        const started = cpuTime();
        try {
          compilePattern(source).test('some text');
        } catch (error) {
          if (!(error instanceof PatternError)) throw error;
          expect(error.position).toBeGreaterThanOrEqual(0);
          expect(error.position).toBeLessThanOrEqual(source.length);
        }
        expect(cpuTime() - started).toBeLessThan(500);
      },
    ),
    lawRuns(2000),
  );
});
