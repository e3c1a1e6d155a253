import type { Totals } from '#db/schemas/golden-config/compliance.ts';
import type { Line } from '#db/schemas/golden-config/config-spec.ts';
import type { ConfigLine, ParsedConfig } from '../parsing/config-line.ts';
import { flat } from '../parsing/source.ts';
import { brokenOrder } from '../rule-sources/ordering.ts';
import type { Rule, RuleBranch, RuleProgram, Severity } from './program.ts';
import { firstWordOf } from './words.ts';

/** A rule that a configuration does not meet (contract/lifecycle#4.8). */
export type RuleIssue = {
  severity: Severity;
  type: 'required' | 'disallowed' | 'ordering';
  message: string;
  /** The rule's line, without the lines below it. */
  spec: Line;
  specId: string;
  /** The device's lines above this one, outermost first; below a missing line, that line's words. */
  parents: string[];
  /** Id of the missing line above, which causes this line to be missing too. */
  under?: string;
  /** The device's lines that are disallowed. */
  found?: string[];
};

/** The result of evaluating one configuration. */
export type Evaluation = {
  totals: Totals;
  issues: RuleIssue[];
  /** Number of verdicts: passes, missing lines and disallowed lines. */
  evaluated: number;
  perSpec: { specId: string; totals: Totals }[];
};

type Judging = { program: RuleProgram; totals: Totals[]; issues: RuleIssue[]; evaluated: number };

/** The lines that rules are evaluated on, their parent, and the texts above them once computed. */
type SectionLines = { children: readonly ConfigLine[]; parent: ConfigLine | null; parents: string[] | null };

/**
 * Evaluates a configuration against rules, in nearly linear time (contract/engines#evaluation).
 *
 * Each rule yields one verdict per matched parent. A missing required line is one issue, plus one for each required line
 * below it. A disallowed line passes where its parent exists and the line does not. Optional and ignored lines yield no
 * verdict; rules below an optional line apply where that line exists. A kept order adds nothing, a broken one adds an
 * issue for each line that breaks it.
 */
export function evaluate(program: RuleProgram, { lines }: ParsedConfig): Evaluation {
  const judging: Judging = {
    program,
    totals: program.specIds.map(() => noTotals()),
    issues: [],
    evaluated: 0,
  };
  judge(program.root, { children: lines, parent: null, parents: null }, judging);
  const totals = noTotals();
  for (const one of judging.totals) {
    totals.errors += one.errors;
    totals.warnings += one.warnings;
    totals.infos += one.infos;
    totals.passes += one.passes;
  }
  return {
    totals,
    issues: judging.issues,
    evaluated: judging.evaluated,
    perSpec: program.specIds.map((specId, at) => ({ specId, totals: judging.totals[at] ?? noTotals() })),
  };
}

const noTotals = (): Totals => ({ errors: 0, warnings: 0, infos: 0, passes: 0 });

/** Judges the rules of a branch; the nesting limit of rules bounds the recursion. */
function judge(branch: RuleBranch, place: SectionLines, judging: Judging): void {
  const found = meet(branch, place.children);
  for (let at = 0; at < branch.rules.length; at++) {
    const rule = branch.rules[at];
    const lines = found[at];
    if (!rule || rule.mode === 'ignored') continue;
    if (rule.mode === 'disallowed') {
      if (lines === undefined) pass(rule, judging);
      else disallow(rule, lines, place, judging);
    } else if (rule.mode === 'required') {
      if (lines === undefined) miss(rule, parentsOf(place), undefined, judging);
      else pass(rule, judging);
    }
    if (lines !== undefined && rule.below) judgeBelow(rule.below, lines, rule.text !== null, judging);
  }
  if (branch.ordering !== 'none') judgeOrder(branch, place, judging);
}

/** The lines that a rule matches: none, one, or several. */
type MatchedLines = ConfigLine | ConfigLine[] | undefined;

function meet(
  { rules, literals, byFirstWord, anywhere }: RuleBranch,
  children: readonly ConfigLine[],
): MatchedLines[] {
  const found: MatchedLines[] = new Array(rules.length).fill(undefined);
  const patterns = byFirstWord !== null || anywhere.length > 0;
  for (const child of children) {
    const at = literals.get(child.text);
    if (at !== undefined) add(found, at, child);
    if (!patterns) continue;
    const near = byFirstWord?.get(firstWordOf(child.text));
    if (near) meetPatterns(rules, near, child, found);
    if (anywhere.length > 0) meetPatterns(rules, anywhere, child, found);
  }
  return found;
}

function meetPatterns(
  rules: readonly Rule[],
  places: readonly number[],
  child: ConfigLine,
  found: MatchedLines[],
): void {
  for (const at of places) if (rules[at]?.matcher?.matches(child.text)) add(found, at, child);
}

function add(found: MatchedLines[], at: number, line: ConfigLine): void {
  const before = found[at];
  if (before === undefined) found[at] = line;
  else if (Array.isArray(before)) before.push(line);
  else found[at] = [before, line];
}

/** Judges the rules below matched lines; lines of the same text are one parent, whose children are those of all of them. */
function judgeBelow(
  branch: RuleBranch,
  lines: ConfigLine | ConfigLine[],
  same: boolean,
  judging: Judging,
): void {
  if (!Array.isArray(lines)) {
    judge(branch, { children: lines.children, parent: lines, parents: null }, judging);
    return;
  }
  const groups = same ? [lines] : grouped(lines);
  for (const group of groups) {
    const [first] = group;
    if (!first) continue;
    const children = group.length === 1 ? first.children : group.flatMap((line) => line.children);
    judge(branch, { children, parent: first, parents: null }, judging);
  }
}

function grouped(lines: readonly ConfigLine[]): Iterable<ConfigLine[]> {
  const groups = new Map<string, ConfigLine[]>();
  for (const line of lines) {
    const group = groups.get(line.text);
    if (group) group.push(line);
    else groups.set(line.text, [line]);
  }
  return groups.values();
}

function pass(rule: Rule, judging: Judging): void {
  judging.evaluated++;
  const totals = judging.totals[rule.spec];
  if (totals) totals.passes++;
}

function count({ spec }: Rule, severity: Severity, judging: Judging): void {
  const totals = judging.totals[spec];
  if (!totals) return;
  if (severity === 'error') totals.errors++;
  else if (severity === 'warning') totals.warnings++;
  else totals.infos++;
}

const specIdOf = ({ spec }: Rule, { program }: Judging): string => program.specIds[spec] ?? '';

/** Reports a missing line and, recursively, every required line below it. */
function miss(rule: Rule, parents: string[], under: string | undefined, judging: Judging): void {
  judging.evaluated++;
  count(rule, rule.severity, judging);
  judging.issues.push({
    severity: rule.severity,
    type: 'required',
    message: `Required line is missing: ${rule.shown}`,
    spec: rule.line,
    specId: specIdOf(rule, judging),
    parents,
    ...(under !== undefined && { under }),
  });
  if (!rule.below) return;
  const below = [...parents, rule.shown];
  for (const child of rule.below.rules) {
    if (child.mode === 'required') miss(child, below, rule.line.id ?? '', judging);
  }
}

function disallow(rule: Rule, lines: ConfigLine | ConfigLine[], place: SectionLines, judging: Judging): void {
  judging.evaluated++;
  count(rule, rule.severity, judging);
  const texts = Array.isArray(lines) ? lines.map(({ text }) => text) : [lines.text];
  judging.issues.push({
    severity: rule.severity,
    type: 'disallowed',
    message: `Disallowed line is present: ${rule.shown}`,
    spec: rule.line,
    specId: specIdOf(rule, judging),
    parents: parentsOf(place),
    found: [...new Set(texts)].map(flat),
  });
}

function judgeOrder(branch: RuleBranch, place: SectionLines, judging: Judging): void {
  for (const rule of brokenOrder(branch, place.children)) {
    count(rule, branch.severity, judging);
    judging.issues.push({
      severity: branch.severity,
      type: 'ordering',
      message: `Line is out of order: ${rule.shown}`,
      spec: rule.line,
      specId: specIdOf(rule, judging),
      parents: parentsOf(place),
    });
  }
}

/** Returns the texts of the lines above a place; copies, which may outlive the configuration. */
function parentsOf(place: SectionLines): string[] {
  if (place.parents) return place.parents;
  const parents: string[] = [];
  for (let line = place.parent; line; line = line.parent) parents.push(flat(line.text));
  place.parents = parents.reverse();
  return place.parents;
}
