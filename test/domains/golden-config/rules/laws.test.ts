import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Line, Word } from '#db/schemas/golden-config/config-spec.ts';
import type { Dialect } from '#server/domains/golden-config/parsing/dialect.ts';
import { parseConfig } from '#server/domains/golden-config/parsing/parse.ts';
import { deriveLines } from '#server/domains/golden-config/rule-sources/derive.ts';
import { generateLines } from '#server/domains/golden-config/rule-sources/generate.ts';
import { stableLineIds } from '#server/domains/golden-config/rule-sources/line-ids.ts';
import { outOfOrder } from '#server/domains/golden-config/rule-sources/order.ts';
import { printTemplate } from '#server/domains/golden-config/rule-sources/print.ts';
import { compileRules } from '#server/domains/golden-config/rules/compile.ts';
import { evaluate } from '#server/domains/golden-config/rules/evaluate.ts';
import { lawRuns } from '../../../helpers/long.ts';
import { braced, dialect, IOS, indented, JUNOS } from './invented-rules.ts';

const ids = () => stableLineIds('spec');
const runs = lawRuns(300);

const configurations: [Dialect, fc.Arbitrary<string>][] = [
  [IOS, indented],
  [dialect('cisco-nx'), indented],
  [JUNOS, braced],
  [dialect('f5-bigip'), braced.map((text) => text.replaceAll(';', ''))],
];

describe.each(configurations)('$name', (of, texts) => {
  test('a configuration has no issue with rules made from itself', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { lines, issues } = generateLines(text, of, ids());
        expect(issues).toEqual([]);
        const result = evaluate(compileRules([{ id: 's', lines }], {}, of), parseConfig(text, of));
        expect(result.issues).toEqual([]);
        expect(result.totals.passes).toBe(result.evaluated);
      }),
      runs,
    );
  });

  test('a configuration has no issue with the rules of the template that is printed from its parsed rules', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { lines } = generateLines(text, of, ids());
        const derived = deriveLines(printTemplate(lines, of), {}, of, ids());
        expect(derived.issues).toEqual([]);
        const result = evaluate(
          compileRules([{ id: 's', lines: derived.lines }], {}, of),
          parseConfig(text, of),
        );
        expect(result.issues).toEqual([]);
      }),
      runs,
    );
  });
});

const name = fc.constantFrom('ip', 'ntp', 'server', 'x{y', 'a}}', '{{', '{%', '{#', 'unit', '10.0.0.1', '*');
const expression = fc.constantFrom('Gi.*', '[0-9]{1,3}', 'a|b', '\\d+ \\w+', '(x|y)z', '\\{\\{', 'a{2}');
const word: fc.Arbitrary<Word> = fc.oneof(
  { weight: 3, arbitrary: name.map((value): Word => ({ type: 'literal', value })) },
  expression.map((value): Word => ({ type: 'regex', value })),
);

/** Lines that the language can say. */
const { line } = fc.letrec<{ line: Line }>((tie) => ({
  line: fc.record({
    id: fc.constant(''),
    words: fc.array(word, { minLength: 1, maxLength: 3 }),
    lines: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'lines' },
      fc.constant<Line[]>([]),
      fc.array(tie('line'), { maxLength: 3 }),
    ),
    evalMode: fc.constantFrom(
      'required' as const,
      'disallowed' as const,
      'ignored' as const,
      'optional' as const,
    ),
    fixMode: fc.constant('manual' as const),
    severity: fc.constantFrom('error' as const, 'warning' as const, 'info' as const),
    ordering: fc.constantFrom('none' as const, 'strict' as const, 'loose' as const),
    membership: fc.constant('default'),
  }),
}));

const withoutIds = (lines: readonly Line[]): Line[] =>
  lines.map((one) => ({ ...one, id: '', lines: withoutIds(one.lines ?? []) }));

test.each([
  ['cisco-ios', IOS],
  ['juniper-junos', JUNOS],
])('%s: lines printed as a template give the same lines again', (_, of) => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 5 }), (lines) => {
      // Braces among the words of a dialect of braces are no words.
      fc.pre(of !== JUNOS || !JSON.stringify(lines).match(/x\{y|a\}\}|"\{\{"|"\{%"|"\{#"/));
      const { lines: again, issues } = deriveLines(printTemplate(lines, of), {}, of, ids());
      expect(issues).toEqual([]);
      expect(withoutIds(again)).toEqual(withoutIds(lines));
    }),
    runs,
  );
});

test('a path with a value of several lines is printed without the character that ends statements', () => {
  const text = 'set system login message "only\nfor staff"\nset system host-name a\n';
  for (const of of [JUNOS, dialect('paloalto-panos')]) {
    expect(printTemplate(generateLines(text, of, ids()).lines, of)).toBe(text);
  }
});

test.each([
  '{"system":{"ntp":["192.0.2.1"],"off":false},"users":[{"name":"a"},{"name":"b","uid":2}]}',
  '{"users":[{},{"name":"b"},[]],"off":{},"ntp":[]}',
  '[{},[[]]]',
  '{}',
])('the lines of the JSON document %s printed as a template give the same lines again', (text) => {
  const of = dialect('json');
  const { lines } = generateLines(text, of, ids());
  const { lines: again, issues } = deriveLines(printTemplate(lines, of), {}, of, ids());
  expect(issues).toEqual([]);
  expect(withoutIds(again)).toEqual(withoutIds(lines));
});

test('an evaluation does not depend on the order of an object’s fields', () => {
  const shuffled = (lines: readonly Line[]): Line[] =>
    lines.map((one) => {
      const entries = Object.entries({ ...one, lines: shuffled(one.lines ?? []) }).toReversed();
      return Object.fromEntries(entries) as Line;
    });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 4 }), indented, (lines, text) => {
      const run = (given: readonly Line[]) =>
        evaluate(compileRules([{ id: 's', lines: given }], {}, IOS), parseConfig(text, IOS));
      expect(run(shuffled(lines))).toEqual(run(lines));
    }),
    runs,
  );
});

test('every verdict is counted once: passes and presence issues are all that was evaluated', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 5 }), indented, (lines, text) => {
      const { totals, issues, evaluated, perSpec } = evaluate(
        compileRules([{ id: 's', lines }], {}, IOS),
        parseConfig(text, IOS),
      );
      expect(totals.passes + issues.filter(({ type }) => type !== 'ordering').length).toBe(evaluated);
      expect(totals.errors + totals.warnings + totals.infos).toBe(issues.length);
      expect(perSpec).toEqual([{ specId: 's', totals }]);
    }),
    runs,
  );
});

test('the lines reported for a broken order are the fewest whose removal restores it', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(20), { maxLength: 9 }), (places) => {
      const broken = outOfOrder(places);
      const ascending = (kept: readonly number[]) =>
        kept.every((one, at) => at === 0 || (kept[at - 1] ?? 0) < one);
      expect(ascending(places.filter((_, at) => !broken.includes(at)))).toBe(true);
      let longest = 0;
      for (let mask = 0; mask < 2 ** places.length; mask++) {
        const kept = places.filter((_, at) => mask & (1 << at));
        if (ascending(kept)) longest = Math.max(longest, kept.length);
      }
      expect(places.length - broken.length).toBe(longest);
    }),
    runs,
  );
});
