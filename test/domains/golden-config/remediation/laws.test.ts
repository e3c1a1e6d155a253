import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Line } from '#db/schemas/golden-config/config-spec.ts';
import { dialects } from '#server/domains/golden-config/parsing/dialect.ts';
import { parseConfig } from '#server/domains/golden-config/parsing/parse.ts';
import { toSet } from '#server/domains/golden-config/parsing/to-set.ts';
import { applyChanges } from '#server/domains/golden-config/remediation/apply-changes.ts';
import { compiledPlatform } from '#server/domains/golden-config/remediation/commands/compiled-platform.ts';
import { predictedResultOf, proposedChanges } from '#server/domains/golden-config/remediation/proposal.ts';
import { remediate } from '#server/domains/golden-config/remediation/remediate.ts';
import { renderChange } from '#server/domains/golden-config/remediation/rendering.ts';
import { generateLines } from '#server/domains/golden-config/rule-sources/generate.ts';
import { stableLineIds } from '#server/domains/golden-config/rule-sources/line-ids.ts';
import { compileRules } from '#server/domains/golden-config/rules/compile.ts';
import { evaluate } from '#server/domains/golden-config/rules/evaluate.ts';
import { lawRuns } from '../../../helpers/long.ts';
import { braced, indented } from '../rules/invented-rules.ts';
import { afterCommands, afterPaths, dialect, invented, kept, WRITTEN, whole } from './invented-device.ts';

/** Fewer for each platform than when there were five: all of them together are more. */
const runs = lawRuns(60);

/** Whether a device that takes commands then has what it should. */
function leadsTo(before: string, commands: string, after: string, name: string): void {
  const of = dialect(name);
  const [from, to] = [parseConfig(before, of), parseConfig(after, of)];
  if (compiledPlatform(of, from).rules.form === 'paths') {
    expect(whole(afterPaths(from, commands))).toEqual(whole(toSet(to)));
  } else expect(afterCommands(kept(from), commands, of)).toEqual(kept(to));
}

describe.each(WRITTEN)('%s', (name, write) => {
  const of = dialect(name);
  const platform = compiledPlatform(of, parseConfig('', of));

  test('the commands lead a device from one configuration to the other, and back', () => {
    fc.assert(
      fc.property(invented, invented, (one, other) => {
        const [before, after] = [write(one), write(other)];
        const [from, to] = [parseConfig(before, of), parseConfig(after, of)];
        leadsTo(before, renderChange(from, to, platform).text, after, name);
        leadsTo(after, renderChange(to, from, platform).text, before, name);
      }),
      runs,
    );
  });

  test('applying a proposal leaves nothing to propose, and the score does not fall', () => {
    fc.assert(
      fc.property(
        invented,
        invented,
        invented,
        fc.infiniteStream(fc.nat(9)),
        (running, rules, others, dice) => {
          const required = generateLines(write(rules), of, stableLineIds('s')).lines;
          const program = compileRules(
            [{ id: 's', lines: [...mixed(required, dice), ...forbidden(required, others, write)] }],
            {},
            of,
          );
          const parsed = parseConfig(write(running), of);
          const { changes } = proposedChanges(program, parsed, of, { removeDisallowed: true });
          const after = applyChanges(parsed, changes, of);
          const [was, is] = [evaluate(program, parsed), evaluate(program, after)];
          expect(proposedChanges(program, after, of).changes).toEqual([]);
          expect(is.issues).toEqual([]);
          const { risk, config, rollback } = predictedResultOf(program, parsed, changes, of);
          // A path with others below it cannot go while they stay: then there is no command, which is reported.
          if (platform.rules.form === 'paths' && changes.length > 0 && config === '') {
            expect(risk).toBe('no command makes these changes');
            return;
          }
          expect(risk).toBe(was.issues.length > 0 ? '' : 'no change is selected');
          expect(config === '').toBe(changes.length === 0);
          if (platform.rules.form === 'lines') expect(rollback === '').toBe(changes.length === 0);
        },
      ),
      runs,
    );

    function forbidden(
      required: readonly Line[],
      lines: Parameters<typeof write>[0],
      writes: typeof write,
    ): Line[] {
      const taken = new Set(required.map(({ words }) => words.map(({ value }) => value).join(' ')));
      return generateLines(writes(lines.map(({ text }) => ({ text, below: [] }))), of, stableLineIds('t'))
        .lines.filter(({ words }) => !taken.has(words.map(({ value }) => value).join(' ')))
        .map((line) => ({ ...line, evalMode: 'disallowed' as const }));
    }
  });

  test('the rollback undoes the proposal', () => {
    fc.assert(
      fc.property(invented, invented, (running, rules) => {
        const program = compileRules(
          [{ id: 's', lines: generateLines(write(rules), of, stableLineIds('s')).lines }],
          {},
          of,
        );
        const parsed = parseConfig(write(running), of);
        const { changes } = proposedChanges(program, parsed, of);
        const { config, rollback } = predictedResultOf(program, parsed, changes, of);
        if (platform.rules.form === 'paths') {
          const then = [...afterPaths(parsed, config)].join('\n');
          expect(whole(afterPaths(parseConfig(then, of), rollback))).toEqual(whole(toSet(parsed)));
        } else {
          const then = afterCommands(kept(parsed), config, of);
          expect(afterCommands(then, rollback, of)).toEqual(kept(parsed));
        }
      }),
      runs,
    );
  });
});

/** Rules of every severity, some of them optional or ignored. */
function mixed(lines: readonly Line[], dice: Iterator<number>): Line[] {
  return lines.map((line) => {
    const thrown = dice.next().value ?? 0;
    return {
      ...line,
      lines: mixed(line.lines ?? [], dice),
      severity: (['error', 'warning', 'info'] as const)[thrown % 3] ?? 'info',
      evalMode: thrown === 9 ? 'ignored' : thrown === 8 ? 'optional' : 'required',
    };
  });
}

test.each(dialects)('$name: proposes no command between equal configurations', (of) => {
  const texts = of.structure === 'brace' ? braced : indented;
  fc.assert(
    fc.property(texts, (text) => {
      const parsed = parseConfig(text, of);
      expect(remediate(parsed, parsed, of)).toEqual([]);
    }),
    runs,
  );
});
