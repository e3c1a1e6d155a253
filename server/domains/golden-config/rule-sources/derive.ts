import type { Line } from '#db/schemas/golden-config/config-spec.ts';
import { compilePattern, PatternError } from '#server/kernel/documents/list-filter.ts';
import { JinjaError, type Position } from '#server/kernel/jinja/jinja-error.ts';
import { originOf, render } from '#server/kernel/jinja/render.ts';
import { LIMITS, type RenderLimits } from '#server/kernel/jinja/run.ts';
import type { Program } from '#server/kernel/jinja/syntax.ts';
import { compileTemplate } from '#server/kernel/jinja/template.ts';
import type { Identities } from '../dialects/json-items.ts';
import type { Dialect } from '../parsing/dialect.ts';
import { DEEPEST, MOST_EXPRESSIONS } from '../rules/limits.ts';
import { lint } from '../rules/lint.ts';
import { type Unmarked, unmark } from '../rules/marks.ts';
import { identitiesOf, ruleSetOf } from '../rules/rule-set.ts';
import { type JsonNote, jsonRules } from './json-rules.ts';
import type { LineIds } from './line-ids.ts';
import { buildLines, type LineTreeOptions, type ReadConfig } from './line-tree.ts';

/** A message about a template, with its position. */
export type TemplateNote = Position & { message: string };

/** An error in a template. */
export type TemplateIssue = TemplateNote & {
  /** The variable that has no value, when that is the reason. */
  variable?: string | undefined;
};

/** The lines of a template; empty when there are issues. */
export type DerivedRules = {
  lines: Line[];
  /** Likely mistakes. */
  warnings: TemplateNote[];
  issues: TemplateIssue[];
  /** Steps that rendering took; the limit when it failed. */
  steps: number;
};

/** Options of `deriveLines`. */
export type DeriveOptions = {
  /** Resource limits of rendering. */
  limits?: RenderLimits | undefined;
  /** Reads the text when its parser has lex rules of its own; absent: the dialect's scanner. */
  read?: ReadConfig | undefined;
  /** The stored rule set; with one, the template is JSON instead of lines with marks. */
  ruleSet?: unknown;
  /** Fields that identify array items; absent: those of the rule set. */
  identities?: Identities | undefined;
};

/**
 * Derives the lines of a template (contract/engines#templates): renders it with the variables, reads its marks, and
 * parses the rest as a configuration of the dialect. Never throws for mistakes of the author.
 *
 * @param ids returns the id of each line
 */
export function deriveLines(
  template: string | Program,
  variables: Readonly<Record<string, unknown>>,
  dialect: Dialect,
  ids: LineIds,
  { limits = LIMITS, read, ruleSet, identities }: DeriveOptions = {},
): DerivedRules {
  try {
    const program = typeof template === 'string' ? compileTemplate(template) : template;
    const rendered = render(program, variables, limits);
    if (ruleSet !== undefined) {
      return { ...jsonTemplateLines(rendered.text, ruleSet, identities, ids), steps: rendered.steps };
    }
    const unmarked = unmark(rendered.text, dialect);
    const place = (offset: number) => originOf(program, rendered.origins, offset);
    return { ...linesOf(unmarked, { dialect, read, ids }, place), steps: rendered.steps };
  } catch (error) {
    if (!(error instanceof JinjaError)) throw error;
    const { message, line, column, variable } = error;
    return {
      lines: [],
      warnings: [],
      issues: [{ message, line, column, variable }],
      steps: limits.steps,
    };
  }
}

/** Maximum number of issues, and of each kind of warnings, reported: locating one takes a pass over the template. */
const MOST_NOTES = 100;

function linesOf(
  unmarked: Unmarked,
  reading: LineTreeOptions,
  place: (offset: number) => Position,
): Pick<DerivedRules, 'lines' | 'warnings' | 'issues'> {
  const noteAt = ({ offset, message }: { offset: number; message: string }) => ({
    ...place(offset),
    message,
  });
  const issues: TemplateIssue[] = [...unmarked.issues, ...expressionIssues(unmarked)]
    .slice(0, MOST_NOTES)
    .map(noteAt);
  const warnings = unmarked.warnings.slice(0, MOST_NOTES).map(noteAt);
  const { lines, offsets, deepest } = buildLines(unmarked, reading);
  if (deepest !== undefined) {
    issues.push({ ...place(deepest), message: `lines are nested more than ${DEEPEST} levels deep` });
  }
  if (issues.length > 0) return { lines: [], warnings, issues };
  const found = lint(lines, reading.dialect)
    .slice(0, MOST_NOTES)
    .map(({ line, message }) => noteAt({ offset: offsets.get(line) ?? 0, message }));
  return { lines, warnings: [...warnings, ...found], issues };
}

/** Returns the lines of a JSON template with a rule set. */
function jsonTemplateLines(
  text: string,
  stored: unknown,
  identities: Identities | undefined,
  ids: LineIds,
): Pick<DerivedRules, 'lines' | 'warnings' | 'issues'> {
  const read = ruleSetOf(stored);
  const noteOf = ({ line, message }: JsonNote): TemplateNote => ({
    line,
    column: 1,
    message: `${message} (line ${line})`,
  });
  if ('faults' in read) {
    const issues = read.faults.map(({ path, message }) =>
      noteOf({ line: 1, message: `the rule set: ${['ruleSet', ...path].join('.')}: ${message}` }),
    );
    return { lines: [], warnings: [], issues: issues.slice(0, MOST_NOTES) };
  }
  const { lines, issues, warnings } = jsonRules(
    text,
    read.ruleSet,
    identities ?? identitiesOf([read.ruleSet]),
    ids,
  );
  return {
    lines,
    issues: issues.slice(0, MOST_NOTES).map(noteOf),
    warnings: warnings.slice(0, MOST_NOTES).map(noteOf),
  };
}

/** Returns issues for expressions that RE2 rejects, or for too many of them. */
function expressionIssues({ expressions }: Unmarked): { offset: number; message: string }[] {
  if (expressions.length > MOST_EXPRESSIONS) {
    const { offset } = expressions[MOST_EXPRESSIONS] ?? { offset: 0 };
    return [{ offset, message: `more than ${MOST_EXPRESSIONS} expressions` }];
  }
  // Loops repeat an expression; it is compiled once.
  const fine = new Set<string>();
  return expressions.flatMap(({ source, offset }) => {
    if (fine.has(source)) return [];
    if (source === '') return [{ offset, message: 'the expression is empty' }];
    try {
      compilePattern(source);
      fine.add(source);
      return [];
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      return [{ offset: offset + error.position, message: error.message }];
    }
  });
}
