import type { AnalyticRule, AnalyticTemplate, PrePostCommand } from '#db/schemas/network/mop-template.ts';
import { PatternError } from '#server/kernel/documents/list-filter.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { literalExpression } from '#server/kernel/text/literal-expression.ts';
import { allMust, allOrAny } from '../results.ts';
import { filled, type Values } from '../variables.ts';
import { type ComparisonResult, compare, type Evaluator, evaluatorOf } from './compare.ts';
import { compileRule, type Flags, firstValue, rowsOf } from './expression.ts';

/** The fields of a run's entry that a comparison uses. */
export type ComparedEntry = {
  raw: string;
  evaluated?: string | undefined;
  device?: string | undefined;
  response?: string | undefined;
  /** Why the response is missing; nothing is compared then. */
  error?: unknown;
};

/** The values that a comparison rule found in both responses, and whether it holds (contract/lifecycle#7). */
export type AnalyticRuleResult = {
  type: string;
  /** From the first response; null: nothing was found. A table is a list of rows. */
  pre: string | string[][] | null;
  post: string | string[][] | null;
  evaluator: string;
  result: boolean;
  /** Why it could not be applied; it does not hold then. */
  error?: string;
};

/** The result of comparing two runs (contract/lifecycle#7). */
export type AnalyticResult = {
  name: string;
  result: boolean;
  analytic_result: {
    device: string;
    command: string;
    result: boolean;
    rules: AnalyticRuleResult[];
  }[];
};

/** The entries of one command in both runs. */
type Pair = {
  device: string;
  command: string;
  before: ComparedEntry;
  after: ComparedEntry;
  rules: PrePostCommand;
};

/**
 * Compares the responses before a change with those after it (contract/lifecycle#7).
 *
 * @param byDevice compare each device of the runs with itself; otherwise each run has each command once
 * @returns the comparison, or an issue for each command that a run does not have exactly once
 */
export function compareRuns(
  template: AnalyticTemplate,
  runs: { pre: readonly ComparedEntry[]; post: readonly ComparedEntry[] },
  values: Values,
  { byDevice }: { byDevice: boolean },
): { issues: Issue[] } | { issues?: undefined; answer: AnalyticResult } {
  const issues: Issue[] = [];
  const pairs: Pair[] = [];
  const devices = byDevice ? devicesOf([...runs.pre, ...runs.post]) : [undefined];
  for (const device of devices) {
    for (const rules of template.prepostCommands ?? []) {
      const before = oneOf(runs.pre, rules.preRawCommand ?? '', { values, device, member: 'pre' }, issues);
      const after = oneOf(runs.post, rules.postRawCommand ?? '', { values, device, member: 'post' }, issues);
      if (!before || !after) continue;
      const command = rules.preRawCommand ?? '';
      pairs.push({ device: device ?? before.device ?? '', command, before, after, rules });
    }
  }
  if (issues.length > 0) return { issues };
  const compared = pairs.map((pair) => comparedPair(pair, values));
  return {
    answer: {
      name: template.name,
      result: allOrAny(
        allMust(template.passRule),
        compared.map(({ result }) => result),
      ),
      analytic_result: compared,
    },
  };
}

const devicesOf = (entries: readonly ComparedEntry[]): string[] => [
  ...new Set(entries.map(({ device = '' }) => device)),
];

type Side = { values: Values; device: string | undefined; member: 'pre' | 'post' };

/** Returns the only entry of a command, as written in the template or with its variables filled in. */
function oneOf(
  entries: readonly ComparedEntry[],
  command: string,
  { values, device, member }: Side,
  issues: Issue[],
): ComparedEntry | undefined {
  const { text } = filled(command, values);
  const wanted = new Set([command, text]);
  const found = entries.filter(
    (entry) =>
      (device === undefined || (entry.device ?? '') === device) &&
      (wanted.has(entry.raw) || (entry.evaluated !== undefined && wanted.has(entry.evaluated))),
  );
  if (found.length === 1) return found[0];
  issues.push({
    path: [member, 'commands_results'],
    message: `must have the command ${JSON.stringify(text.slice(0, 200))}${device === undefined ? '' : ` of device ${device}`} exactly once (found ${found.length} times)`,
    code: 'not_exactly_one',
  });
  return undefined;
}

function comparedPair(
  { device, command, before, after, rules: { passRule, rules = [] } }: Pair,
  values: Values,
) {
  const unanswered = [before.error && 'before the change', after.error && 'after the change'].filter(Boolean);
  const fault = unanswered.length > 0 ? `the device sent no response ${unanswered.join(' and ')}` : undefined;
  const applied = rules.map((rule) =>
    comparedRule(rule, before.response ?? '', after.response ?? '', values, fault),
  );
  const result =
    fault === undefined &&
    allOrAny(
      allMust(passRule),
      applied.map((one) => one.result),
    );
  return { device, command, result, rules: applied };
}

function comparedRule(
  rule: AnalyticRule,
  before: string,
  after: string,
  values: Values,
  fault: string | undefined,
): AnalyticRuleResult {
  const { type = 'matches' } = rule;
  const spelled = rule.evaluator ?? rule.evaulator;
  const evaluator = evaluatorOf(spelled);
  const base = { type, pre: null, post: null, evaluator: evaluator ?? spelled ?? '=' };
  if (fault !== undefined) return { ...base, result: false, error: fault };
  if (evaluator === undefined)
    return { ...base, result: false, error: `the operator ${spelled} does not exist` };
  try {
    const taken = (expression: string | undefined, text: string) =>
      takenFrom(type, expression, text, rule, values);
    const [pre, post] = [taken(rule.preRegex, before), taken(rule.postRegex, after)];
    const { holds, fault: why } = judged(type, pre, post, evaluator, rule);
    return { ...base, pre, post, result: holds, ...(why !== undefined && { error: why }) };
  } catch (error) {
    if (!(error instanceof PatternError || error instanceof UnfilledRule)) throw error;
    return { ...base, result: false, error: error.message };
  }
}

class UnfilledRule extends Error {}

/** Returns the first group of a match, or the groups per matching line for a table; the whole text without expression. */
function takenFrom(
  type: string,
  source: string | undefined,
  text: string,
  rule: AnalyticRule,
  values: Values,
) {
  if (source === undefined || source === '') {
    return type === 'table' ? text.split(/\r?\n/).map((line) => [line]) : text;
  }
  const { text: expression, fault } = filled(source, values, literalExpression);
  if (fault !== undefined) throw new UnfilledRule(fault);
  const compiled = compileRule(expression, flagsOf(rule));
  return type === 'table' ? rowsOf(compiled, text) : firstValue(compiled, text);
}

const flagsOf = ({ flags }: AnalyticRule): Flags => flags ?? {};

function judged(
  type: string,
  pre: string | string[][] | null,
  post: string | string[][] | null,
  evaluator: Evaluator,
  { percentage }: AnalyticRule,
): ComparisonResult {
  if (type === 'table') return tables(pre, post, evaluator, percentage);
  if (typeof pre !== 'string' || typeof post !== 'string') {
    const missing = [pre === null && 'preRegex', post === null && 'postRegex'].filter(Boolean).join(' and ');
    return { holds: false, fault: `${missing} matches nothing` };
  }
  if (type === 'matches' || type === 'regex') return compare(pre, post, evaluator, percentage);
  if (type !== '!matches') return { holds: false, fault: `the rule type ${type} does not exist` };
  const compared = compare(pre, post, evaluator, percentage);
  return compared.fault === undefined ? { holds: !compared.holds } : compared;
}

/** Compares tables: equal if they have the same rows in any order; other operators compare the number of rows. */
function tables(
  pre: unknown,
  post: unknown,
  evaluator: Evaluator,
  percentage: number | undefined,
): ComparisonResult {
  const [a, b] = [rowTexts(pre), rowTexts(post)];
  if (evaluator !== '=' && evaluator !== '!=') {
    return compare(String(a.length), String(b.length), evaluator, percentage);
  }
  const same = a.length === b.length && a.every((row, at) => row === b[at]);
  return { holds: same === (evaluator === '=') };
}

const rowTexts = (rows: unknown): string[] =>
  Array.isArray(rows) ? rows.map((row) => JSON.stringify(row)).sort() : [];
