import type { AnalyticTemplate, CommandTemplate } from '#db/schemas/network/mop-template.ts';
import { PatternError } from '#server/kernel/documents/list-filter.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { anyFilled } from '../variables.ts';
import { EVALUATORS, evaluatorOf } from './compare.ts';
import { EXPRESSIONS, isExpression } from './evaluate.ts';
import { compileRule } from './expression.ts';

/** Kinds of rule for the output of a command (contract/lifecycle#7). */
const EVALS = ['contains', '!contains', 'contains1', 'RegEx', '!RegEx', '#comparison'];

/** Kinds of rule in an analytic template (contract/lifecycle#7). */
export const ANALYTIC_TYPES = ['matches', '!matches', 'regex', 'table'];

type Path = (string | number)[];

/**
 * Returns issues for unknown kinds of rule in a command template, which cannot run. Only the import of a project stores it,
 * as a draft.
 */
export const evalIssues = (template: CommandTemplate, path: Path): Issue[] =>
  placed(template, path).flatMap(({ rule, here }) =>
    EVALS.includes(rule.eval) ? [] : [oneOf(EVALS, [...here, 'eval'])],
  );

/**
 * Returns issues for expressions in a command template that RE2 rejects, and for unknown operators
 * (contract/lifecycle#7).
 *
 * @param path of the template in the request
 */
export const commandIssues = (template: CommandTemplate, path: Path): Issue[] =>
  placed(template, path).flatMap(({ rule, here }) => {
    if (!EXPRESSIONS.has(rule.eval)) return [];
    const first = expressionIssues(rule.rule, [...here, 'rule']);
    if (rule.eval !== '#comparison') return first;
    const second = rule.ruleB !== undefined && isExpression(rule.ruleB) ? rule.ruleB : undefined;
    return [
      ...first,
      ...expressionIssues(second, [...here, 'ruleB']),
      ...evaluatorIssues(rule.evaluator, [...here, 'evaluator']),
    ];
  });

/** Returns every rule of a command template with its path. */
const placed = ({ commands }: CommandTemplate, path: Path) =>
  (commands ?? []).flatMap(({ rules }, command) =>
    (rules ?? []).map((rule, at) => ({ rule, here: [...path, 'commands', command, 'rules', at] })),
  );

/** Returns issues for unknown kinds and operators, invalid expressions, and contradictory spellings of an operator. */
export function analyticIssues({ prepostCommands }: AnalyticTemplate, path: Path): Issue[] {
  return (prepostCommands ?? []).flatMap(({ rules }, command) =>
    (rules ?? []).flatMap(({ type, preRegex, postRegex, evaluator, evaulator }, at) => {
      const here = [...path, 'prepostCommands', command, 'rules', at];
      const unequal = evaluator !== undefined && evaulator !== undefined && evaluator !== evaulator;
      return [
        ...(type === undefined || ANALYTIC_TYPES.includes(type)
          ? []
          : [oneOf(ANALYTIC_TYPES, [...here, 'type'])]),
        ...expressionIssues(preRegex, [...here, 'preRegex']),
        ...expressionIssues(postRegex, [...here, 'postRegex']),
        ...evaluatorIssues(evaluator, [...here, 'evaluator']),
        ...evaluatorIssues(evaulator, [...here, 'evaulator']),
        ...(unequal
          ? [
              {
                path: [...here, 'evaulator'],
                message: 'differs from evaluator: send one of them',
                code: 'ambiguous',
              },
            ]
          : []),
      ];
    }),
  );
}

/** Returns the template with operators also under `evaluator`, where a client used the other spelling. */
export function withEvaluators<Doc extends AnalyticTemplate>(template: Doc): Doc {
  if (!template.prepostCommands) return template;
  return {
    ...template,
    prepostCommands: template.prepostCommands.map((command) =>
      command.rules
        ? {
            ...command,
            rules: command.rules.map((rule) =>
              rule.evaluator === undefined && rule.evaulator !== undefined
                ? { ...rule, evaluator: rule.evaulator }
                : rule,
            ),
          }
        : command,
    ),
  };
}

const oneOf = (words: readonly string[], path: Path): Issue => ({
  path,
  message: `must be one of ${words.join(', ')}`,
  code: 'invalid_value',
});

const evaluatorIssues = (evaluator: string | undefined, path: Path): Issue[] =>
  evaluatorOf(evaluator) === undefined ? [oneOf(EVALUATORS, path)] : [];

/** Returns an issue for an invalid expression. Any text may replace variables, which are filled in by a run. */
function expressionIssues(source: string | undefined, path: Path): Issue[] {
  if (source === undefined) return [];
  try {
    compileRule(anyFilled(source));
    return [];
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return [{ path, message: error.message, code: 'invalid_pattern' }];
  }
}
