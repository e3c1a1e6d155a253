import type { Line, Spec, StoredSpec } from '#db/schemas/golden-config/config-spec.ts';
import type { Node } from '#db/schemas/golden-config/golden-tree.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { LIMITS } from '#server/kernel/jinja/run.ts';
import type { Identities } from '../dialects/json-items.ts';
import type { ConfigReader } from '../parsing/compile-parser.ts';
import { dialectOf } from '../parsing/dialect.ts';
import { type DerivedRules, deriveLines, type TemplateIssue } from '../rule-sources/derive.ts';
import { stableLineIds } from '../rule-sources/line-ids.ts';
import type { RuleCompileError } from '../rules/compile-error.ts';
import { ruleSetOf } from '../rules/rule-set.ts';
import { mapNodes } from '../trees/tree-nodes.ts';

/** Returns the seed for the ids of lines: lines of two sections of a spec have different ids. */
export const lineSeed = (specId: string, section?: string): string =>
  section === undefined ? specId : `${specId} ${section}`;

/** Derives the lines of a spec's template; lines keep their ids from one derivation to the next. */
export const deriveSpec = (
  { _id, template, ruleSet }: Pick<Spec, '_id' | 'template' | 'ruleSet'>,
  variables: Readonly<Record<string, unknown>>,
  { dialect, read }: ConfigReader,
  { steps = LIMITS.steps, identities }: { steps?: number; identities?: Identities | undefined } = {},
): DerivedRules =>
  deriveLines(template, variables, dialect, stableLineIds(_id), {
    limits: { ...LIMITS, steps: Math.min(steps, LIMITS.steps) },
    read,
    // Rule sets apply to JSON only.
    ruleSet: dialect.name === 'json' ? ruleSet : undefined,
    identities,
  });

/** Returns a template's errors as issues of the field that holds it, with line and column (contract/lifecycle#4.5). */
export const templateIssues = (issues: readonly TemplateIssue[], path: string[]): Issue[] =>
  issues.map(({ message, line, column, variable }) => ({
    path,
    message,
    code: variable === undefined ? 'invalid_template' : 'undefined_variable',
    line,
    column,
  }));

/**
 * Returns a rule set's errors as issues of the field that holds it.
 *
 * @param template name of the grammar of the spec's parser
 */
export function ruleSetIssues(ruleSet: unknown, { template }: { template: string }, path: string[]): Issue[] {
  if (ruleSet === undefined) return [];
  const dialect = dialectOf(template);
  if (dialect?.name !== 'json') {
    return [
      { path, message: `is for JSON only: ${dialect?.name} uses marks instead`, code: 'invalid_rule_set' },
    ];
  }
  const read = ruleSetOf(ruleSet);
  if ('ruleSet' in read) return [];
  return read.faults.map(({ path: below, message }) => ({
    path: [...path, ...below.map((one) => (typeof one === 'number' ? one : String(one)))],
    message,
    code: 'invalid_rule_set',
  }));
}

/** Returns the errors of lines as issues of the field that holds them. */
export const lineIssues = ({ faults }: Pick<RuleCompileError, 'faults'>, path: string[]): Issue[] =>
  faults.map(({ message, lineId, variable }) => ({
    path,
    message: lineId === '' ? message : `line ${lineId}: ${message}`,
    code: variable === undefined ? 'invalid_line' : 'undefined_variable',
  }));

/** Returns whether lines are equal, apart from their ids and unknown fields. */
export function sameLines(one: readonly Line[], other: readonly Line[]): boolean {
  const open: [readonly Line[], readonly Line[]][] = [[one, other]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [left, right] = next;
    if (left.length !== right.length) return false;
    for (const [at, line] of left.entries()) {
      const twin = right[at];
      if (!twin || lineKey(line) !== lineKey(twin)) return false;
      open.push([line.lines ?? [], twin.lines ?? []]);
    }
  }
  return true;
}

const lineKey = ({ words, evalMode, severity, ordering, fixMode, membership }: Line): string =>
  JSON.stringify([
    words.map(({ type, value }) => [type, value]),
    evalMode ?? 'required',
    severity ?? 'warning',
    ordering ?? 'none',
    fixMode ?? 'manual',
    membership ?? 'default',
  ]);

/** Maximum rendering steps per request for finding stale lines; nodes beyond it are not marked. */
export const MOST_STEPS = 6_000_000;

/**
 * Marks the nodes whose stored lines, of the template or of a section, differ from those that template and variables derive
 * now (contract/decisions#tree-import). A spec without a template has lines from elsewhere and is never stale.
 *
 * @param sections readers by the name of their parser; sections without one are ignored
 * @param budget steps left; this call subtracts the steps it takes
 */
export function withStaleLines(
  root: Node,
  specs: ReadonlyMap<string, StoredSpec>,
  variables: Readonly<Record<string, unknown>>,
  reader: ConfigReader,
  sections: ReadonlyMap<string, ConfigReader>,
  budget: { steps: number },
): Node {
  const isStale = (
    spec: Pick<Spec, '_id' | 'template' | 'ruleSet'> & { lines: readonly Line[] },
    reads: ConfigReader,
  ): boolean => {
    if (spec.template.trim() === '' || budget.steps <= 0) return false;
    const derived = deriveSpec(spec, variables, reads, { steps: budget.steps });
    budget.steps -= derived.steps;
    if (derived.issues.length > 0) return budget.steps > 0;
    return !sameLines(derived.lines, spec.lines);
  };
  return mapNodes(root, (node) => {
    const { staleLines: _, ...rest } = node;
    const spec = specs.get(node.attributes?.configId ?? '');
    if (!spec) return rest;
    const hasStaleSection = Object.entries(spec.sections ?? {}).some(([name, section]) => {
      const reads = sections.get(name);
      const own = { ...section, lines: section.lines ?? [], _id: lineSeed(spec._id, name) };
      return reads !== undefined && isStale(own, reads);
    });
    return hasStaleSection || isStale(spec, reader) ? { ...rest, staleLines: true } : rest;
  });
}
