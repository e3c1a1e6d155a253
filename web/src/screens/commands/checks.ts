import type { Outputs } from '~/api/client.ts';

/** A check of the output of a command, with its result. */
export type Rule = Outputs['mop']['runCommandTemplate']['commands_results'][number]['rules'][number];

/** What a check can ask of an output, in words. */
export const CHECKS = [
  { value: 'contains', label: 'contains the text' },
  { value: '!contains', label: 'does not contain the text' },
  { value: 'contains1', label: 'contains the text exactly once' },
  { value: 'RegEx', label: 'matches the expression' },
  { value: '!RegEx', label: 'does not match the expression' },
  { value: '#comparison', label: 'two matches compare' },
];

/** Returns a check in words, without its result. */
export const checkText = ({ eval: kind, rule }: Pick<Rule, 'eval' | 'rule'>): string =>
  `${CHECKS.find(({ value }) => value === kind)?.label ?? kind} “${rule}”`;

/** Returns the checks that an output did not pass, in one text; empty when there is none. */
export function failedChecks(rules: readonly Rule[]): string {
  const failed = rules
    .filter(({ result }) => !result)
    .map((rule) => (rule.error ? `${checkText(rule)} (${rule.error})` : checkText(rule)));
  return failed.length === 0 ? '' : `Not true: the output ${failed.join('; ')}`;
}
