import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuTime } from '../../../helpers/cpu-time.ts';
import {
  body,
  declare,
  input,
  method,
  outputs,
  result,
  run,
} from '../../../helpers/documents/transformations.ts';
import { lawRuns } from '../../../helpers/long.ts';

/** What a method of a text gives for an expression that the document makes. */
function reported(
  name: string,
  text: string,
  [source, flags]: [string, string],
  ...more: unknown[]
): unknown {
  const pattern = declare(1, 'RegExp.new RegExp', 0, [source, flags]);
  const args = name.startsWith('RegExp')
    ? [result(pattern), input('text')]
    : [input('text'), result(pattern), ...more];
  const step = method(2, name, args);
  const made = run(body(['text'], [pattern, step], { out: result(step) }), { text });
  return 'error' in made ? { error: made.error.message } : (made.outputs as { out?: unknown }).out;
}

/** The same by the host language; expressions of tests are ours. */
function byHost(name: string, text: string, source: string, flags: string): unknown {
  const pattern = new RegExp(source, flags);
  const plain = (one: unknown) => JSON.parse(JSON.stringify(one ?? null)) as unknown;
  if (name === 'RegExp.test') return pattern.test(text);
  if (name === 'RegExp.exec') return plain(pattern.exec(text));
  if (name === 'String.match') return plain(text.match(pattern));
  if (name === 'String.search') return text.search(pattern);
  if (name === 'String.split') return plain(text.split(pattern));
  return text.replace(pattern, "<$1$&$$$`$'$<x>>");
}

const NAMES = [
  'RegExp.test',
  'RegExp.exec',
  'String.match',
  'String.search',
  'String.split',
  'String.replace',
];

const agree = (name: string, text: string, source: string, flags: string) => {
  const more = name === 'String.replace' ? ["<$1$&$$$`$'$<x>>"] : [];
  expect(
    reported(name, text, [source, flags], ...more),
    `${name} of ${JSON.stringify(text)} by /${source}/${flags}`,
  ).toEqual(byHost(name, text, source, flags));
};

describe('expressions agree with the host language', () => {
  test.each([
    ['/h*/gm as documents write it', 'h*', 'gm', 'Hello\nhh'],
    ['a look-behind', '(?<=port )\\d+', 'g', 'port 1, port 22, vlan 3'],
    ['a look-behind that must not be', '(?<!x)a', 'g', 'xa a'],
    ['lines', '^(\\w+)$', 'gm', 'one\ntwo words\nthree'],
    ['blanks of all kinds', '\\s+', 'g', 'a\u00a0b\u2003c\td\ufeffe'],
    ['what is no blank', '[^\\S\\n]+|\\S', 'g', ' a\u00a0\n'],
    ['a dot before line ends', '.+', 'g', 'a\rb\u2028c\nd'],
    ['a dot for all', '.+', 's', 'a\nb'],
    ['escapes that mean themselves', '\\-\\/\\@\\Q\\A\\z', '', '-/@QAz'],
    ['hexadecimal escapes', '\\x41\\u0042\\cJ\\0', '', 'AB\n\0'],
    ['octal escapes of old', '\\101[\\60-\\71]', '', 'A5'],
    ['braces that repeat nothing', 'a{,2}{x}b{2}', '', 'a{,2}{x}bb'],
    ['brackets that are closed only', ']a}', '', ']a}'],
    ['a class of nothing and of anything', 'a[^]b[]?', '', 'a\nb'],
    ['classes within classes', '[\\d\\-x\\]^]+', '', '1-x]^'],
    ['a hyphen beside a class', '[\\w-.]+', '', 'a-b.c'],
    ['named groups', '(?<year>\\d+)-(?<x>\\d+)', '', '2024-03'],
    ['groups that are not taken', '(a)|(b)', 'g', 'ab'],
    ['lazy repetition', '<(.+?)>', 'g', '<a><b>'],
    ['no regard to case', '[a-c]+É', 'i', 'ABCé'],
    ['sticky', 'a', 'y', 'ba'],
    ['groups that split', '(,)\\s?|;', '', 'a, b;c'],
    ['empty', '', 'g', 'abc'],
    ['word bounds', '\\bor\\B', 'g', 'or order for'],
  ])('%s', (_, source, flags, text) => {
    for (const name of NAMES) agree(name, text, source, flags);
  });

  const atom = fc.constantFrom(
    'a',
    'b',
    '.',
    '\\d',
    '\\w',
    '\\s',
    '[ab]',
    '[^a]',
    '\\.',
    '(?:ab)',
    '(a)',
    '(b|a)',
    '^',
    '$',
    '\\b',
  );
  const repeat = fc.constantFrom('', '', '*', '+', '?', '{2}', '{0,1}', '*?');
  const pattern = fc
    .array(fc.tuple(atom, repeat), { minLength: 1, maxLength: 5 })
    .map((parts) => parts.map(([one, times]) => (/^(\^|\$|\\b)$/.test(one) ? one : one + times)).join(''));
  test('and so do random ones, on random texts', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...NAMES),
        fc.array(pattern, { minLength: 1, maxLength: 2 }).map((ones) => ones.join('|')),
        fc.constantFrom('', 'g', 'i', 'm', 'gm', 'gi'),
        fc.string({ unit: fc.constantFrom('a', 'b', 'A', '1', '.', ' ', '\n'), maxLength: 8 }),
        (name, source, flags, text) => agree(name, text, source, flags),
      ),
      lawRuns(3000),
    );
  });
});

test.each([
  ['a(?=b)', '', 'look-arounds are not supported'],
  ['(a)\\1', '', 'back-references are not supported'],
  ['(?<x>a)\\k<x>', '', 'back-references are not supported'],
  ['(?i)a', '', 'invalid group'],
  ['(?P<x>a)', '', 'invalid group'],
  ['a\\', '', '\\ at end of pattern'],
  ['[b-a]', '', 'range out of order'],
  ['[a', '', 'missing closing ]'],
  ['(', '', 'missing closing )'],
  ['a**', '', 'rejected'],
  ['a', 'x', 'the flags x are invalid'],
  ['(a{500}){500}', '', 'too large'],
])('/%s/%s is rejected: %s', (source, flags, reason) => {
  expect(reported('RegExp.test', 'a', [source, flags])).toEqual({ error: expect.stringContaining(reason) });
});

test('an expression remembers nothing from one use to the next', () => {
  const pattern = declare(1, 'RegExp.new RegExp', 0, ['a', 'g']);
  const first = method(2, 'RegExp.test', [result(pattern), 'a']);
  const second = method(3, 'RegExp.test', [result(pattern), 'a']);
  const doc = body([], [pattern, first, second], { first: result(first), second: result(second) });
  expect(outputs(doc)).toEqual({ first: true, second: true });
});

test('a text that is looked for in a text must not be an expression', () => {
  expect(reported('String.includes', 'abc', ['b', ''])).toEqual({
    error: expect.stringContaining('a string is expected as argument 1, found an expression'),
  });
});

test('expressions that would backtrack without end read 50,000 characters within 3 s of CPU time', () => {
  const text = `${'a'.repeat(50_000)}!`;
  for (const source of ['(a+)+$', '(a|a)*$', '(.*)*x', '(a|aa)+$']) {
    const began = cpuTime();
    reported('RegExp.test', text, [source, '']);
    expect(cpuTime() - began).toBeLessThan(3000);
  }
});
