import type { ConfigLine } from '../../parsing/config-line.ts';
import type { Rule, RuleBranch } from '../../rules/program.ts';

/**
 * Returns the moves that bring lines into the order of their rules: a line that breaks the order moves after the line of
 * the previous rule. Under a strict order all lines of rules move to the front, so that no others are between them.
 *
 * @param broken the rules whose lines break the order; each has a text
 */
export function moves(
  branch: RuleBranch,
  broken: readonly Rule[],
  children: readonly ConfigLine[],
): { rule: Rule; after: string | null }[] {
  const out: { rule: Rule; after: string | null }[] = [];
  let order = [...new Set(children.map(({ text }) => text))];
  let before: string | null = null;
  for (const rule of branch.rules) {
    if (rule.mode === 'ignored' || rule.mode === 'disallowed') continue;
    const text = order.find((one) => (rule.text === null ? rule.matcher?.matches(one) : rule.text === one));
    if (text === undefined) continue;
    const strict = branch.ordering === 'strict';
    const isInPlace = before === null ? order[0] === text : order[order.indexOf(before) + 1] === text;
    if (rule.text !== null && (strict ? !isInPlace : broken.includes(rule))) {
      out.push({ rule, after: before });
      const rest = order.filter((one) => one !== text);
      const at = before === null ? 0 : rest.indexOf(before) + 1;
      order = [...rest.slice(0, at), text, ...rest.slice(at)];
    }
    before = text;
  }
  return out;
}
