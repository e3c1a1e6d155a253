import * as fc from 'fast-check';
import type { Line } from '#db/schemas/golden-config/config-spec.ts';
import { type Dialect, dialectOf } from '#server/domains/golden-config/parsing/dialect.ts';
import { parseConfig } from '#server/domains/golden-config/parsing/parse.ts';
import { deriveLines } from '#server/domains/golden-config/rule-sources/derive.ts';
import { stableLineIds } from '#server/domains/golden-config/rule-sources/line-ids.ts';
import { compileRules } from '#server/domains/golden-config/rules/compile.ts';
import { type Evaluation, evaluate } from '#server/domains/golden-config/rules/evaluate.ts';

/** A built-in dialect, which must be there. */
export function dialect(name: string): Dialect {
  const found = dialectOf(name);
  if (!found) throw new Error(`no dialect ${name}`);
  return found;
}

export const IOS = dialect('cisco-ios');
export const JUNOS = dialect('juniper-junos');

/** The lines of a template that must be right. */
export function linesOf(
  template: string,
  variables: Record<string, unknown> = {},
  of = IOS,
  seed = 'spec',
): Line[] {
  const { lines, issues } = deriveLines(template, variables, of, stableLineIds(seed));
  if (issues.length > 0) throw new Error(JSON.stringify(issues));
  return lines;
}

/** A configuration held against one or several templates, the root's first. */
export function check(templates: string | readonly string[], config: string, of = IOS): Evaluation {
  const all = typeof templates === 'string' ? [templates] : templates;
  const specs = all.map((template, at) => ({
    id: `spec-${at}`,
    lines: linesOf(template, {}, of, `spec-${at}`),
  }));
  return evaluate(compileRules(specs, {}, of), parseConfig(config, of));
}

/** Type, words and severity of each issue. */
export const reported = ({ issues }: Evaluation): string[] =>
  issues.map(({ type, severity, message }) => `${severity} ${type}: ${message.replace(/^.*?: /, '')}`);

const word = fc.constantFrom(
  'ip',
  'ntp',
  'server',
  'description',
  '10.0.0.1',
  'x{y',
  '{{',
  '{%',
  'a}}',
  'no',
  '"q',
  '<e/',
  '/}',
  '"a  b"',
);

/** A configuration of an indenting dialect: lines of words, each at most one level below the one before. */
export const indented: fc.Arbitrary<string> = fc
  .array(fc.tuple(fc.array(word, { minLength: 1, maxLength: 4 }), fc.nat(4)), { maxLength: 25 })
  .map((lines) => {
    let last = -1;
    return lines
      .map(([words, depth]) => {
        last = Math.min(depth, last + 1);
        return `${' '.repeat(last)}${words.join(' ')}\n`;
      })
      .join('');
  });

const plain = fc.constantFrom(
  'system',
  'host-name',
  'ge-0/0/0',
  'unit',
  '0',
  'family',
  '"two  words"',
  '*x*',
  '[ a b ]',
);

type Statement = { words: string[]; below: Statement[] };

const { statement } = fc.letrec<{ statement: Statement }>((tie) => ({
  statement: fc.record({
    words: fc.array(plain, { minLength: 1, maxLength: 3 }),
    below: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'braces' },
      fc.constant<Statement[]>([]),
      fc.array(tie('statement'), { maxLength: 3 }),
    ),
  }),
}));

const printed = ({ words, below }: Statement, depth = 0): string => {
  const text = `${'    '.repeat(depth)}${words.join(' ')}`;
  return below.length === 0
    ? `${text};\n`
    : `${text} {\n${below.map((one) => printed(one, depth + 1)).join('')}${'    '.repeat(depth)}}\n`;
};

/** A configuration between braces. */
export const braced: fc.Arbitrary<string> = fc
  .array(statement, { maxLength: 4 })
  .map((statements) => statements.map((one) => printed(one)).join(''));
