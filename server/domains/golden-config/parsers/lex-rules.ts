import type { LexRule } from '#db/schemas/golden-config/config-parser.ts';
import { compilePattern, PatternError } from '#server/kernel/documents/list-filter.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { issue } from '#server/kernel/validation/document-issues.ts';

/** Maximum number of rules per parser: each is tried at every position of a text. */
const MOST_RULES = 100;

/**
 * Returns the issues of a parser's rules: expressions that RE2 does not accept, because they are malformed or would not run
 * in linear time (contract/lifecycle#4.4).
 *
 * @param path path of the rules in the request; the path of an issue ends with the rule's index
 */
export function lexRuleIssues(rules: readonly LexRule[], path: (string | number)[]): Issue[] {
  if (rules.length > MOST_RULES) return [issue(path, `must have at most ${MOST_RULES} rules`, 'too_big')];
  return rules.flatMap(([expression], at) => {
    try {
      compilePattern(expression);
      return [];
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      return [issue([...path, at, 0], error.message, 'invalid_pattern')];
    }
  });
}
