import type { Line, Spec, StoredSpec } from '#db/schemas/golden-config/config-spec.ts';
import type { Node } from '#db/schemas/golden-config/golden-tree.ts';
import type { ParserSource } from '../parsers/readers.service.ts';
import { type ConfigReader, compileParser } from '../parsing/compile-parser.ts';
import type { DerivedRules } from '../rule-sources/derive.ts';
import { stableLineIds } from '../rule-sources/line-ids.ts';
import { withLineIds } from '../rule-sources/line-tree.ts';
import { printTemplate } from '../rule-sources/print.ts';
import { compileRules } from '../rules/compile.ts';
import { RuleCompileError, type RuleFault } from '../rules/compile-error.ts';
import { deriveSpec, withStaleLines } from '../specs/derivation.ts';

type Variables = Readonly<Record<string, unknown>>;

/** Input for deriving the lines of a spec from its template. */
export type SpecDerivation = {
  spec: Pick<Spec, '_id' | 'template' | 'ruleSet'>;
  variables: Variables;
  source: ParserSource;
};
export type DerivedSpec = Pick<DerivedRules, 'lines' | 'warnings' | 'issues'>;

/** Lines of a spec that a caller sent instead of a template. */
export type LinesCheck = { id: string; lines: Line[]; variables: Variables; source: ParserSource };
export type CheckedLines = { lines: Line[]; template: string } | { faults: readonly RuleFault[] };

/** Input for finding the nodes of a tree whose stored lines differ from those that their templates yield. */
export type StaleCheck = {
  root: Node;
  specs: readonly StoredSpec[];
  variables: Variables;
  source: ParserSource;
  /** Sources of the readers of sections, by the name of their parser. */
  sections: Readonly<Record<string, ParserSource>>;
  steps: number;
};
export type StaleCheckResult = { root: Node; steps: number };

/**
 * Returns the lines of a spec, with the warnings and issues of its template.
 *
 * @param steps maximum number of rendering steps; absent: the default for a template
 */
export function derivedSpec({ spec, variables, source }: SpecDerivation, steps?: number): DerivedSpec {
  const options = steps === undefined ? {} : { steps };
  const { lines, warnings, issues } = deriveSpec(spec, variables, readerOf(source), options);
  return { lines, warnings, issues };
}

/** Returns the lines with their ids and the template that represents them, or the faults in them. */
export function checkedLines({ id, lines, variables, source }: LinesCheck): CheckedLines {
  const { dialect } = readerOf(source);
  try {
    compileRules([{ id, lines }], variables, dialect);
  } catch (error) {
    if (!(error instanceof RuleCompileError)) throw error;
    return { faults: error.faults };
  }
  const whole = withLineIds(lines, stableLineIds(id));
  return { lines: whole, template: printTemplate(whole, dialect) };
}

/** Returns the tree with each node's stale flag set, and the steps that are left. */
export function staleChecked({
  root,
  specs,
  variables,
  source,
  sections,
  steps,
}: StaleCheck): StaleCheckResult {
  const budget = { steps };
  const byId = new Map(specs.map((spec) => [spec._id, spec]));
  const readers = new Map(Object.entries(sections).map(([name, one]) => [name, readerOf(one)]));
  const checked = withStaleLines(root, byId, variables, readerOf(source), readers, budget);
  return { root: checked, steps: budget.steps };
}

function readerOf(source: ParserSource): ConfigReader {
  const reader = compileParser(source);
  if (!reader) throw new Error(`parser template ${source.template} does not exist`);
  return reader;
}
