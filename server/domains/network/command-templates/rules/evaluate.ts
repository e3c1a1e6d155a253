import type { CommandRule } from '#db/schemas/network/mop-template.ts';
import { PatternError } from '#server/kernel/documents/list-filter.ts';
import { literalExpression } from '#server/kernel/text/literal-expression.ts';
import { indexOfText } from '#server/kernel/text/text-search.ts';
import { allMust, allOrAny, type CommandCheck, type RuleResult } from '../results.ts';
import { anyFilled, filled, scopesOf, type Values } from '../variables.ts';
import { compare, evaluatorOf } from './compare.ts';
import { compileRule, firstValue, isFound, isSlashed } from './expression.ts';

/** Kinds of rule that use an expression. */
export const EXPRESSIONS: ReadonlySet<string> = new Set(['RegEx', '!RegEx', '#comparison']);

/** Maximum number of rules that one rule expands to when its variables are lists. */
const MOST_RULES = 1000;

type Applied = { holds: boolean; fault?: string | undefined };

/**
 * Applies the rules of a command to a device's response (contract/lifecycle#7). A rule that uses a list is applied to
 * each of its elements; one that cannot be applied does not hold, and has the reason in `error`.
 */
export const applyRules = (rules: readonly CommandRule[], output: string, values: Values): RuleResult[] =>
  rules.flatMap((rule) =>
    scopesOf(`${rule.rule}${secondOf(rule)}`, values, MOST_RULES).map((scope) =>
      applyRule(rule, output, scope),
    ),
  );

/** Returns the second expression of a rule, which only comparisons have. */
const secondOf = (rule: CommandRule): string => (rule.eval === '#comparison' ? (rule.ruleB ?? '') : '');

function applyRule(given: CommandRule, output: string, values: Values): RuleResult {
  const ruleB = secondOf(given);
  const first = EXPRESSIONS.has(given.eval)
    ? filled(given.rule, values, literalExpression)
    : filled(given.rule, values);
  const second = isExpression(ruleB) ? filled(ruleB, values, literalExpression) : filled(ruleB, values);
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

/** @param searched whether ruleB is searched in the output */
function holding(rule: CommandRule, searched: boolean, output: string): Applied {
  try {
    return byEval(rule, searched, output);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
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
      return { holds: false, fault: `the rule type ${rule.eval} does not exist` };
  }
}

/** Counts the occurrences of a text in another: 0, 1, or 2 for more. */
function occurrences(output: string, text: string, ignoreCase: boolean | undefined): 0 | 1 | 2 {
  const [whole, part] = ignoreCase ? [output.toLowerCase(), text.toLowerCase()] : [output, text];
  const first = indexOfText(whole, part);
  if (first === -1) return 0;
  // An empty text occurs everywhere; in an empty output, it occurs once.
  if (part === '') return whole === '' ? 1 : 2;
  return indexOfText(whole, part, first + 1) === -1 ? 1 : 2;
}

function compared(rule: CommandRule, searched: boolean, output: string): Applied {
  const evaluator = evaluatorOf(rule.evaluator);
  if (evaluator === undefined)
    return { holds: false, fault: `the operator ${rule.evaluator} does not exist` };
  const left = firstValue(compileRule(rule.rule, rule.flags), output);
  if (left === null) return { holds: false, fault: 'rule matches nothing in the output' };
  const { ruleB = '' } = rule;
  const right = searched ? firstValue(compileRule(ruleB, rule.flags), output) : ruleB;
  if (right === null) return { holds: false, fault: 'ruleB matches nothing in the output' };
  return compare(left, right, evaluator, rule.percentage);
}

/**
 * Returns whether the right side of a comparison, as written in the template, is an expression to search in the output:
 * it is within slashes, or has characters of expressions. Otherwise it is the value itself.
 */
export const isExpression = (ruleB: string): boolean =>
  isSlashed(ruleB) || /[()[\]\\]/.test(anyFilled(ruleB));

/**
 * Returns whether a command passes. If warnings are ignored, only rules of severity error can fail it
 * (contract/lifecycle#7).
 */
export const commandPasses = (
  { passRule, ignoreWarnings }: CommandCheck,
  rules: readonly RuleResult[],
): boolean =>
  allOrAny(
    allMust(passRule),
    rules.map(({ result, severity }) => result || (ignoreWarnings === true && severity !== 'error')),
  );
