import type { AnalyticTemplate, CommandTemplate } from '#db/schemas/mop-template.ts';
import { compilePattern, PatternRefused } from '#server/engines/platform/filter.ts';
import type { Issue } from '#server/errors.ts';

/** How a rule may be applied to the output of a command (lifecycle §7). */
const EVALS = ['contains', '!contains', 'contains1', 'RegEx', '!RegEx', '#comparison'];

/** Those of them whose rule is an expression. */
const EXPRESSIONS = new Set(['RegEx', '!RegEx', '#comparison']);

type Path = (string | number)[];

/** Ways to apply a rule that there are not, in a command template: nobody stores one, not even an import. */
export const evalIssues = (template: CommandTemplate, path: Path): Issue[] =>
  placed(template, path).flatMap(({ rule, here }) =>
    EVALS.includes(rule.eval)
      ? []
      : [{ path: [...here, 'eval'], message: `must be one of ${EVALS.join(', ')}`, code: 'invalid_value' }],
  );

/**
 * Expressions of a command template that RE2 does not take (lifecycle §7).
 *
 * @param path where the template stands in the request
 */
export const commandIssues = (template: CommandTemplate, path: Path): Issue[] =>
  placed(template, path).flatMap(({ rule, here }) => {
    if (!EXPRESSIONS.has(rule.eval)) return [];
    const second = rule.eval === '#comparison' ? rule.ruleB : undefined;
    return [
      ...expressionIssues(rule.rule, [...here, 'rule']),
      ...expressionIssues(second, [...here, 'ruleB']),
    ];
  });

/** Every rule of a command template, with its place. */
const placed = ({ commands }: CommandTemplate, path: Path) =>
  (commands ?? []).flatMap(({ rules }, command) =>
    (rules ?? []).map((rule, at) => ({ rule, here: [...path, 'commands', command, 'rules', at] })),
  );

/** What is wrong with the rules of an analytic template: expressions, and an operator spelled twice and differently. */
export function analyticIssues({ prepostCommands }: AnalyticTemplate, path: Path): Issue[] {
  return (prepostCommands ?? []).flatMap(({ rules }, command) =>
    (rules ?? []).flatMap(({ preRegex, postRegex, evaluator, evaulator }, at) => {
      const here = [...path, 'prepostCommands', command, 'rules', at];
      const unequal = evaluator !== undefined && evaulator !== undefined && evaluator !== evaulator;
      return [
        ...expressionIssues(preRegex, [...here, 'preRegex']),
        ...expressionIssues(postRegex, [...here, 'postRegex']),
        ...(unequal
          ? [
              {
                path: [...here, 'evaulator'],
                message: 'is another operator than evaluator',
                code: 'ambiguous',
              },
            ]
          : []),
      ];
    }),
  );
}

/** The template with its operators under their proper name too, where a client spelled them its own way. */
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

/** Variables are filled in before a run; until then any text stands for them. */
const VARIABLE = /<!.*?!>/g;

function expressionIssues(source: string | undefined, path: Path): Issue[] {
  if (source === undefined) return [];
  try {
    compilePattern(source.replace(VARIABLE, (name) => 'x'.repeat(name.length)));
    return [];
  } catch (error) {
    if (!(error instanceof PatternRefused)) throw error;
    return [{ path, message: error.message, code: 'invalid_pattern' }];
  }
}
