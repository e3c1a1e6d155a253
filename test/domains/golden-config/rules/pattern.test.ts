import * as fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, test } from 'vitest';
import { isLinear } from '#server/domains/golden-config/rules/linear.ts';
import { lineMatcher, printed } from '#server/domains/golden-config/rules/matcher.ts';
import { type Pattern, readPattern } from '#server/domains/golden-config/rules/pattern.ts';

const atom = fc.constantFrom(
  'a',
  'b',
  'ab',
  '.',
  '\\d',
  '\\w',
  '\\s',
  '\\S',
  '\\D',
  '[ab]',
  '[^a]',
  '[a-c\\d]',
  '[-a]',
  '[a-]',
  '\\.',
  ' ',
  'é',
  '😀',
  '\\-',
  '[\\]x]',
  '}',
  ']',
  '\\t',
  '/',
  '"',
);
const repeat = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,3}', '{2,}', '*?', '+?');

/** Expressions of the part of RE2 that is known here, and a little more. */
const { source } = fc.letrec<{ source: string; group: string }>((tie) => ({
  source: fc
    .array(fc.tuple(fc.oneof({ weight: 4, arbitrary: atom }, tie('group')), repeat), {
      minLength: 1,
      maxLength: 4,
    })
    .map((parts) =>
      parts
        .map(([one, times]) => (one.length > 1 && !/^[\\[(]/.test(one) ? `(?:${one})${times}` : one + times))
        .join(''),
    ),
  group: fc
    .tuple(
      fc.constantFrom('(', '(?:'),
      fc.array(tie('source'), { minLength: 1, maxLength: 3, depthIdentifier: 'groups' }),
    )
    .map(([open, branches]) => `${open}${branches.join('|')})`),
}));

const text = fc
  .array(
    fc.constantFrom('a', 'b', 'ab', 'c', '1', ' ', '\n', '.', '-', 'é', '😀', '\u00a0', '\v', '}', ']', 'x'),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

const compiles = (one: string) => {
  try {
    return RE2JS.compile(one);
  } catch {
    return null;
  }
};

describe('expressions', () => {
  test('match the same lines with the engine as with RE2', () => {
    let byEngine = 0;
    fc.assert(
      fc.property(source, fc.array(text, { minLength: 1, maxLength: 8 }), (one, lines) => {
        const reference = compiles(one);
        fc.pre(reference !== null);
        const matcher = lineMatcher(one);
        if (matcher.by === 'engine') byEngine++;
        for (const line of lines)
          expect([one, line, matcher.matches(line)]).toEqual([one, line, reference?.testExact(line)]);
      }),
      { numRuns: 3000 },
    );
    expect(byEngine).toBeGreaterThan(300);
  });

  test('that are read are printed with the same meaning, linear or not', () => {
    fc.assert(
      fc.property(source, text, (one, long) => {
        // Short, for what is not linear runs here as well.
        const line = long.slice(0, 6);
        const reference = compiles(one);
        const pattern = readPattern(one);
        fc.pre(reference !== null && pattern !== null);
        expect(new RegExp(`^(?:${printed(pattern as Pattern)})$`, 'u').test(line)).toBe(
          reference?.testExact(line),
        );
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    '(?i)a',
    '^a$',
    'a\\b',
    '(?P<n>a)',
    '[[:alpha:]]',
    '\\pL',
    'a{x',
    '[]a]',
    '\\Qa\\E',
    '(?s).',
    'a{1000}',
  ])('%s is left to RE2', (one) => {
    expect(readPattern(one)).toBeNull();
  });
});

/** Steps that a backtracking matcher takes to find out that a line does not match. */
function steps(pattern: Pattern, line: string, most: number): number {
  const points = Array.from(line, (one) => one.codePointAt(0) ?? 0);
  let count = 0;
  const run = (one: Pattern, at: number, then: (at: number) => boolean): boolean => {
    if (++count > most) throw new RangeError('too many steps');
    if (one.kind === 'set') {
      const point = points[at];
      return (
        point !== undefined && one.set.some(([from, to]) => from <= point && point <= to) && then(at + 1)
      );
    }
    if (one.kind === 'choice') return one.of.some((branch) => run(branch, at, then));
    if (one.kind === 'sequence') {
      const next = (place: number, from: number): boolean => {
        const part = one.of[place];
        return part ? run(part, from, (end) => next(place + 1, end)) : then(from);
      };
      return next(0, at);
    }
    const again = (times: number, from: number): boolean => {
      if (++count > most) throw new RangeError('too many steps');
      const more = one.most === null || times < one.most;
      // As engines do: a round that matches nothing, beyond those that must be, is no round.
      const round = (end: number) => (end > from || times < one.least) && again(times + 1, end);
      if (more && run(one.of, from, round)) return true;
      return times >= one.least && then(from);
    };
    return again(0, at);
  };
  run(pattern, 0, (end) => end === points.length);
  return count;
}

describe('what is called linear', () => {
  test('takes at most so many steps per character, whatever the line', () => {
    fc.assert(
      fc.property(
        source,
        fc.constantFrom('a', 'ab', 'a1', '1', ' a', 'b', 'ab1 '),
        text,
        (one, pump, tail) => {
          const pattern = readPattern(one);
          fc.pre(pattern !== null && isLinear(pattern as Pattern));
          const line = pump.repeat(60) + tail;
          const places = printed(pattern as Pattern).length;
          expect(steps(pattern as Pattern, line, 1_000_000)).toBeLessThan(
            (line.length + 1) * (places + 10) * 4,
          );
        },
      ),
      { numRuns: 2000 },
    );
  });

  test.each([
    '(a+)+',
    '(a*)*',
    '(a|a)*',
    '(a?)*',
    '(a?)+b',
    '(a*)?b',
    '.*.*',
    '.*a.*b',
    '(\\w+\\s?)*',
    '(a|b|ab)+c',
    '\\d+\\d+',
    '(x+x+)+y',
    '(a{1,9}){1,9}b',
    '(|a)(|a)',
    '(a?b?)*',
    '.*foo',
    'a?a?a?aaa',
  ])('%s is not', (one) => {
    const pattern = readPattern(one);
    expect(pattern && isLinear(pattern)).toBe(false);
    expect(lineMatcher(one).by).toBe('re2');
  });

  test.each([
    'interface Gi[0-9/]+',
    '(10|20)\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}',
    'description .*',
    '(\\d{1,3}\\.){3}\\d{1,3}',
    '\\S+ \\S+',
    '(a|b)*c?',
    '(a|ab)*',
    '22.(4R1.10|4R2.8)',
    '[^ ]+( secondary)?',
  ])('%s is', (one) => {
    expect(lineMatcher(one).by).toBe('engine');
  });
});

test('lines beyond 16 kB match no expression', () => {
  expect(lineMatcher('a*').matches('a'.repeat(16 * 1024))).toBe(true);
  expect(lineMatcher('a*').matches('a'.repeat(16 * 1024 + 1))).toBe(false);
  expect(lineMatcher('(a|aa)*').matches('a'.repeat(16 * 1024 + 1))).toBe(false);
});

test('the first word of all matches is known where it is sure', () => {
  const first = (one: string) => lineMatcher(one).firstWord;
  expect(first('interface (?:Gi.*)')).toBe('interface');
  expect(first('interface')).toBe('interface');
  expect(first('inter.*')).toBeNull();
  expect(first('ip|ipv6 a')).toBeNull();
  expect(first('a+ b')).toBeNull();
  expect(first('(?i)ip http')).toBeNull();
});
