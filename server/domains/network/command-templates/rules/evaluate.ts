import type { CommandRule } from '#db/schemas/network/mop-template.ts';
import { PatternRefused } from '#server/kernel/documents/list-filter.ts';
import { allMust, type CommandCheck, enough, type RuleResult } from '../results.ts';
import { anyFilled, filled, quoted, scopesOf, type Values } from '../variables.ts';
import { compare, evaluatorOf } from './compare.ts';
import { compileRule, firstValue, isFound, isSlashed } from './expression.ts';

/** Ways to apply a rule by an expression. */
export const EXPRESSIONS: ReadonlySet<string> = new Set(['RegEx', '!RegEx', '#comparison']);

/** Rules that one rule becomes where it uses variables that are lists. */
const MOST_RULES = 1000;

type Applied = { holds: boolean; fault?: string | undefined };

/**
 * Apply the rules of a command to what a device answered (contract/lifecycle#7). A rule that uses a list is applied once
 * for each of its elements; one that cannot be applied does not hold, and says why.
 */
export const applyRules = (rules: readonly CommandRule[], output: string, values: Values): RuleResult[] =>
  rules.flatMap((rule) =>
    scopesOf(`${rule.rule}${secondOf(rule)}`, values, MOST_RULES).map((scope) =>
      applyRule(rule, output, scope),
    ),
  );

/** The second expression of a rule, which only comparisons have. */
const secondOf = (rule: CommandRule): string => (rule.eval === '#comparison' ? (rule.ruleB ?? '') : '');

function applyRule(given: CommandRule, output: string, values: Values): RuleResult {
  const ruleB = secondOf(given);
  const first = EXPRESSIONS.has(given.eval) ? filled(given.rule, values, quoted) : filled(given.rule, values);
  const second = isExpression(ruleB) ? filled(ruleB, values, quoted) : filled(ruleB, values);
  const rule: CommandRule = {
    ...given,
    ...(first.text !== given.rule && { raw: given.rule }),
    rule: first.text,
    ...(given.eval === '#comparison' && given.ruleB !== undefined && { ruleB: second.text }),
    severity: given.severity ?? 'error',
  };
  const unfilled = [first.fault, second.fault].filter((fault) => fault !== undefined).join('; ');
  const { holds, fault } = unfilled
    ? { holds: false, fault: unfilled }
    : holding(rule, isExpression(ruleB), output);
  return { ...rule, result: holds, ...(fault !== undefined && { error: fault }) };
}

/** @param searched whether ruleB is looked for in the output */
function holding(rule: CommandRule, searched: boolean, output: string): Applied {
  try {
    return byEval(rule, searched, output);
  } catch (error) {
    if (!(error instanceof PatternRefused)) throw error;
    return { holds: false, fault: error.message };
  }
}

function byEval(rule: CommandRule, searched: boolean, output: string): Applied {
  const flags = rule.flags ?? {};
  switch (rule.eval) {
    case 'contains':
      return { holds: occurrences(output, rule.rule, flags.case) > 0 };
    case '!contains':
      return { holds: occurrences(output, rule.rule, flags.case) === 0 };
    case 'contains1':
      return { holds: occurrences(output, rule.rule, flags.case) === 1 };
    case 'RegEx':
      return { holds: isFound(compileRule(rule.rule, flags), output) };
    case '!RegEx':
      return { holds: !isFound(compileRule(rule.rule, flags), output) };
    case '#comparison':
      return compared(rule, searched, output);
    default:
      return { holds: false, fault: `there is no way to apply a rule that is called ${rule.eval}` };
  }
}

/** How often a text stands in another one, as far as it matters: 0, 1, or 2 for more. */
function occurrences(output: string, text: string, ignoreCase: boolean | undefined): 0 | 1 | 2 {
  const [whole, part] = ignoreCase ? [output.toLowerCase(), text.toLowerCase()] : [output, text];
  const first = whole.indexOf(part);
  if (first === -1) return 0;
  // An empty text stands everywhere; of an empty output there is one place.
  if (part === '') return whole === '' ? 1 : 2;
  return whole.indexOf(part, first + 1) === -1 ? 1 : 2;
}

function compared(rule: CommandRule, searched: boolean, output: string): Applied {
  const evaluator = evaluatorOf(rule.evaluator);
  if (evaluator === undefined) return { holds: false, fault: `there is no operator ${rule.evaluator}` };
  const left = firstValue(compileRule(rule.rule, rule.flags), output);
  if (left === null) return { holds: false, fault: 'rule matches nothing in the output' };
  const { ruleB = '' } = rule;
  const right = searched ? firstValue(compileRule(ruleB, rule.flags), output) : ruleB;
  if (right === null) return { holds: false, fault: 'ruleB matches nothing in the output' };
  return compare(left, right, evaluator, rule.percentage);
}

/**
 * Whether the second side of a comparison is looked for in the output, as it stands in the template: slashes say so, or
 * what only expressions have. Else it is the value itself.
 */
export const isExpression = (ruleB: string): boolean =>
  isSlashed(ruleB) || /[()[\]\\]/.test(anyFilled(ruleB));

/**
 * Whether a command passes. Where warnings are ignored, only rules of severity error fail one (contract/lifecycle#7).
 */
export const passes = ({ passRule, ignoreWarnings }: CommandCheck, rules: readonly RuleResult[]): boolean =>
  enough(
    allMust(passRule),
    rules.map(({ result, severity }) => result || (ignoreWarnings === true && severity !== 'error')),
  );
