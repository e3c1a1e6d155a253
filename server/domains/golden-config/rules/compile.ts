import type { Line, Word } from '#db/schemas/golden-config/config-spec.ts';
import { compilePattern, PatternError } from '#server/kernel/documents/list-filter.ts';
import type { Dialect } from '../parsing/dialect.ts';
import { listsValues } from '../parsing/print.ts';
import { RuleCompileError, type RuleFault } from './compile-error.ts';
import { type FoldedLine, fold, type SpecLines } from './fold.ts';
import { DEEPEST, MOST_EXPRESSIONS } from './limits.ts';
import { isSyntaxFault, lineMatcher, type Matcher } from './matcher.ts';
import type { Mode, Ordering, Rule, RuleBranch, RuleProgram, Severity } from './program.ts';
import { firstWordOf, shownWords, wordsKey } from './words.ts';

type CompileState = {
  specs: readonly SpecLines[];
  dialect: Dialect;
  faults: RuleFault[];
  expressions: number[];
  matchers: Map<string, Matcher>;
};

/**
 * Compiles the rules of a node and of all nodes above it into one program (contract/engines#rule-programs, #inheritance).
 *
 * @param specs the root's first
 * @param variables values of words of type variable: a string, number or boolean, or `{type: 'literal' | 'regex', value}`
 * @throws RuleCompileError with every missing variable and every invalid expression
 */
export function compileRules(
  specs: readonly SpecLines[],
  variables: Readonly<Record<string, unknown>>,
  dialect: Dialect,
): RuleProgram {
  const { root, faults } = fold(specs, variables);
  const compiling: CompileState = {
    specs,
    dialect,
    faults,
    expressions: specs.map(() => 0),
    matchers: new Map(),
  };
  const program: RuleProgram = {
    specIds: specs.map(({ id }) => id),
    root: branch([...root.values()], 'none', 'warning', 0, compiling),
  };
  if (faults.length > 0) throw new RuleCompileError(faults);
  return program;
}

function branch(
  folded: readonly FoldedLine[],
  ordering: Ordering,
  severity: Severity,
  depth: number,
  compiling: CompileState,
  above = '',
): RuleBranch {
  const literals = new Map<string, number>();
  const byFirstWord = new Map<string, number[]>();
  const anywhere: number[] = [];
  const rules: Rule[] = [];
  for (const one of folded) {
    const made = rule(one, depth, compiling, above);
    // With `both`, several specs may have a rule for one line: only one can be found by its text.
    const taken = made.text !== null && literals.has(made.text);
    const at = rules.push(taken ? patternOf(made) : made) - 1;
    if (made.text !== null && !taken) literals.set(made.text, at);
    else if (!made.matcher?.firstWord && !taken) anywhere.push(at);
    else {
      const word = taken ? firstWordOf(made.text ?? '') : (made.matcher?.firstWord ?? '');
      byFirstWord.set(word, [...(byFirstWord.get(word) ?? []), at]);
    }
  }
  return {
    rules,
    literals,
    byFirstWord: byFirstWord.size > 0 ? byFirstWord : null,
    anywhere,
    ordering,
    severity,
  };
}

const patternOf = (rule: Rule): Rule => {
  const { text } = rule;
  return {
    ...rule,
    text: null,
    matcher: { matches: (line) => line === text, firstWord: null },
  };
};

function rule(folded: FoldedLine, depth: number, compiling: CompileState, above: string): Rule {
  const { line, words, spec } = folded;
  const mode: Mode = line.evalMode ?? 'required';
  const severity: Severity = line.severity ?? 'warning';
  const isText = words.every(({ type }) => type === 'literal');
  const below = folded.below.size > 0 && mode !== 'ignored';
  if (below && depth >= DEEPEST)
    fault(compiling, spec, line, `lines are nested more than ${DEEPEST} levels deep`);
  const { lines: _, ...shownLine } = line;
  const written = words.map(({ value }) => value).join(' ');
  return {
    mode,
    severity,
    text: isText ? normalised(written, above, compiling.dialect) : null,
    matcher: isText ? null : matcherOf(words, spec, line, compiling),
    shown: shownWords(words),
    line: shownLine,
    spec,
    below:
      below && depth < DEEPEST
        ? branch([...folded.below.values()], line.ordering ?? 'none', severity, depth + 1, compiling, written)
        : null,
  };
}

/**
 * Returns a line as the dialect's reader would: without the characters that only end a statement or a value of a list, or
 * open a block.
 */
function normalised(text: string, above: string, dialect: Dialect): string {
  if (listsValues(above, dialect)) return text.replace(/ ?,$/, '');
  if (dialect.structure !== 'brace') return text;
  return text.endsWith(';') || text.endsWith(' {') ? text.replace(/(?:;| \{)$/, '') : text;
}

function matcherOf(words: readonly Word[], spec: number, line: Line, compiling: CompileState) {
  const count = (compiling.expressions[spec] ?? 0) + 1;
  compiling.expressions[spec] = count;
  if (count > MOST_EXPRESSIONS) {
    if (count === MOST_EXPRESSIONS + 1)
      fault(compiling, spec, line, `more than ${MOST_EXPRESSIONS} expressions`);
    return null;
  }
  try {
    const key = wordsKey(words);
    // Loops repeat a line under many parents; its expression is compiled once.
    const known = compiling.matchers.get(key);
    if (known) return known;
    for (const { type, value } of words) if (type === 'regex') compilePattern(value);
    const matcher = lineMatcher(words);
    compiling.matchers.set(key, matcher);
    return matcher;
  } catch (error) {
    if (!(error instanceof PatternError) && !isSyntaxFault(error)) throw error;
    fault(compiling, spec, line, error.message);
    return null;
  }
}

function fault({ faults, specs }: CompileState, spec: number, line: Line, message: string): void {
  faults.push({ specId: specs[spec]?.id ?? '', lineId: line.id ?? '', message });
}
