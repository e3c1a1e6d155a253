import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findLines } from '#server/domains/golden-config/fleet/find-lines.ts';
import { requiredLiterals } from '#server/domains/golden-config/fleet/required-literals.ts';
import { lawRuns } from '../../helpers/long.ts';

test.each<[string, string[]]>([
  ['ntp server', ['ntp server']],
  ['^ntp\\s+server 192\\.0', ['server 192.0', 'ntp']],
  ['interface .*Ethernet', ['interface ', 'Ethernet']],
  ['abc?def', ['def']],
  ['abcd+ef', ['abcd']],
  ['abc{2}defg', ['defg', 'abc']],
  ['abc{0,3}defg', ['defg']],
  ['abc(def|ghi)jkl', ['abc', 'jkl']],
  ['abc(def)?jkl', ['abc', 'jkl']],
  ['abc[\\]x]def', ['abc', 'def']],
  ['abc[]x]def', ['abc', 'def']],
  ['abc[[:digit:]]+def', ['abc', 'def']],
  ['abc|def', []],
  ['abc(?i)def', []],
  ['(?i)route map', ['route map'.slice(0, 9)]],
  ['(?i)kiosk', ['io'].filter((text) => text.length > 2)],
  ['\\Qa.b\\Ecd', []],
  ['ab', []],
  ['grün und rot', ['n und rot']],
])('of %s each line needs %j', (expression, literals) => {
  expect(requiredLiterals(expression, false)).toEqual(literals);
});

/** Expressions of the forms that people write, over few characters, so that they often match. */
const piece = fc.constantFrom(
  ...['a', 'b', 'ab', 'abc', '.', '\\.', '\\s', '\\d', '[ab]', '[^a]', '(ab)', '(a|b)', '(?:abc)', 'k', 'S'],
  ...['^', '$', '\\b', '1', ' ', '-', '|', '[[:alpha:]]', '\\-', '(a(b|c)d)', '(?i)'],
);
const quantifier = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{0,1}', '{1,}', '+?', '??');
const expression = fc
  .array(fc.tuple(piece, quantifier), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.map(([one, many]) => (/^[\^$|]|^\\b|^\(\?i/.test(one) ? one : one + many)).join(''));
const line = fc
  .array(
    fc.constantFrom('a', 'b', 'c', 'abc', 'A', 'K', 'k', '\u212a', 's', '\u017f', '1', ' ', '.', '-', 'd'),
    {
      maxLength: 14,
    },
  )
  .map((parts) => parts.join(''));

test('a line that an expression matches contains all of its literals', () => {
  let matched = 0;
  fc.assert(
    fc.property(expression, fc.array(line, { maxLength: 30 }), fc.boolean(), (regex, lines, ignoreCase) => {
      const literals = requiredLiterals(regex, ignoreCase);
      const whole = ignoreCase ? `(?i)${regex}` : regex;
      let hits: readonly string[];
      try {
        hits = (findLines({ regex: whole, texts: [lines.join('\n')], most: 100 })[0] ?? []).map(
          ([, text]) => text,
        );
      } catch {
        return;
      }
      const isFolded = whole.startsWith('(?i)');
      for (const hit of hits) {
        matched += 1;
        for (const literal of literals) {
          const found = isFolded ? hit.toLowerCase().includes(literal.toLowerCase()) : hit.includes(literal);
          expect(found, `${whole} matches ${JSON.stringify(hit)} without ${literal}`).toBe(true);
        }
      }
    }),
    lawRuns(2000),
  );
  expect(matched).toBeGreaterThan(50);
});
