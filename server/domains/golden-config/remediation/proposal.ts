import type { Totals } from '#db/schemas/golden-config/compliance.ts';
import type { ProposeOptions } from '#db/schemas/requests/remediation.ts';
import type { ParsedConfig } from '../parsing/config-line.ts';
import type { Dialect } from '../parsing/dialect.ts';
import { evaluate, type RuleIssue } from '../rules/evaluate.ts';
import type { RuleProgram } from '../rules/program.ts';
import { gradeOf, type PartialFields, scoreOf, shownScore, type Thresholds } from '../rules/score.ts';
import { applyChanges } from './apply-changes.ts';
import type { Change, Manual } from './change.ts';
import { compiledPlatform } from './commands/compiled-platform.ts';
import { remediationPlanOf } from './commands/remediation-plan.ts';
import { renderChange } from './rendering.ts';
import { withoutReplacedValues } from './replaced-values.ts';

/** Restrictions on the content of a proposal; absent fields restrict nothing. */
export type ProposalRequest = Pick<ProposeOptions, 'severities' | 'types' | 'removeDisallowed'>;

/** The result of changes: the commands, their rollback, and the verdict afterwards. */
export type Prediction = {
  config: string;
  rollback: string;
  predicted: { totals: Totals; score: number; grade: 'pass' | 'review' | 'fail' };
  /** Why the changes must not be made; empty when they may. */
  risk: string;
};

/**
 * Returns the changes that fix a configuration, and the issues left to users (contract/lifecycle#4.10).
 *
 * @throws TooDeep
 */
export function proposedChanges(
  program: RuleProgram,
  parsed: ParsedConfig,
  dialect: Dialect,
  { severities, types, removeDisallowed = false }: ProposalRequest = {},
): { changes: Change[]; manual: Manual[] } {
  const { changes, manual } = remediationPlanOf(program, parsed, compiledPlatform(dialect, parsed), {
    removeDisallowed,
  });
  const wanted = ({ severity, type }: Pick<Change, 'severity' | 'type'>) =>
    (severities?.includes(severity) ?? true) && (types?.includes(type) ?? true);
  return {
    changes: changes.filter(wanted).map((change, at) => ({ ...change, id: `c${at + 1}` })),
    manual: manual.filter(wanted),
  };
}

/**
 * Returns the predicted result of the selected changes. They must raise the score and add no issue
 * (contract/engines#remediation).
 *
 * @throws TooDeep
 */
export function predictedResultOf(
  program: RuleProgram,
  parsed: ParsedConfig,
  changes: readonly Change[],
  dialect: Dialect,
  benchmarks: PartialFields<Thresholds> = {},
): Prediction {
  const platform = compiledPlatform(dialect, parsed);
  const selected = changes.filter((change) => change.selected);
  const after = applyChanges(parsed, selected, dialect);
  const before = evaluate(program, parsed);
  const then = evaluate(program, after);
  const forth = renderChange(parsed, after, platform);
  const back = renderChange(withoutReplacedValues(parsed, after, platform), parsed, platform);
  const score = scoreOf(then.totals);
  const added = newIssues(before.issues, then.issues);
  const risks = [
    selected.length === 0 ? 'no change is selected' : '',
    selected.length > 0 && forth.text === '' ? 'no command makes these changes' : '',
    selected.length > 0 && !(score > scoreOf(before.totals)) ? 'the score would not improve' : '',
    added.length > 0 ? `new issues: ${added.slice(0, 5).join('; ')}` : '',
    ...[...new Set([...forth.unsafe, ...back.unsafe])].map(
      (list) => `${list} cannot be changed without an interruption`,
    ),
  ];
  return {
    config: forth.text,
    rollback: back.text,
    predicted: { totals: then.totals, score: shownScore(score), grade: gradeOf(score, benchmarks) },
    risk: risks.filter((risk) => risk !== '').join('; '),
  };
}

/** Returns the messages of issues that did not exist before. */
function newIssues(before: readonly RuleIssue[], then: readonly RuleIssue[]): string[] {
  const key = ({ type, specId, spec, parents, message }: RuleIssue) =>
    JSON.stringify([type, specId, spec.id ?? null, parents, message]);
  const known = new Set(before.map(key));
  return then.filter((issue) => !known.has(key(issue))).map(({ message }) => message);
}
