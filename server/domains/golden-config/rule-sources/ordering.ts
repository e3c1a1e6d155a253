import type { ConfigLine } from '../parsing/config-line.ts';
import type { Rule, RuleBranch } from '../rules/program.ts';
import { firstWordOf } from '../rules/words.ts';
import { outOfOrder } from './order.ts';

/**
 * Returns the rules of an ordered branch whose lines break the order (contract/engines#evaluation). Ignored and
 * disallowed lines do not count; the lines of one pattern count as one, at the first of them. Missing lines affect no
 * others.
 *
 * strict: the lines of the rules come first, in order, with no others between them. loose: others may come between; the
 * result is the smallest set of lines whose removal restores the order.
 */
export function brokenOrder(branch: RuleBranch, children: readonly ConfigLine[]): Rule[] {
  const ordinals = ordinalsOf(branch, children);
  const items = branch.rules.flatMap((rule, at) => {
    const ordinal = ordinals[at];
    return ordinal === undefined ? [] : [{ rule, ordinal }];
  });
  if (branch.ordering === 'strict') {
    return items.filter(({ ordinal }, at) => ordinal !== at).map(({ rule }) => rule);
  }
  const broken = new Set(outOfOrder(items.map(({ ordinal }) => ordinal)));
  return items.filter((_, at) => broken.has(at)).map(({ rule }) => rule);
}

/** Returns the index of each rule's line among the lines that count; undefined for rules that have none. */
function ordinalsOf(branch: RuleBranch, children: readonly ConfigLine[]): (number | undefined)[] {
  const ordinals: (number | undefined)[] = new Array(branch.rules.length).fill(undefined);
  let next = 0;
  for (const child of children) {
    const at = claimant(branch, child);
    const rule = at === undefined ? undefined : branch.rules[at];
    if (rule?.mode === 'ignored' || rule?.mode === 'disallowed') continue;
    if (at !== undefined && rule) {
      const again = ordinals[at] !== undefined;
      if (again && rule.matcher) continue;
      if (!again) ordinals[at] = next;
    }
    next++;
  }
  return ordinals;
}

/** Returns the rule that a line belongs to: the one with its text, otherwise the first pattern that it matches. */
function claimant(
  { rules, literals, byFirstWord, anywhere }: RuleBranch,
  { text }: ConfigLine,
): number | undefined {
  const literal = literals.get(text);
  if (literal !== undefined) return literal;
  const near = byFirstWord?.get(firstWordOf(text)) ?? [];
  let first: number | undefined;
  for (const at of [...near, ...anywhere]) {
    if ((first === undefined || at < first) && rules[at]?.matcher?.matches(text)) first = at;
  }
  return first;
}
