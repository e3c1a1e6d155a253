import type { Outputs } from '~/api/client.ts';

/** A rule with the rules nested below it. */
export type Line = Outputs['configurationManager']['getSpec']['lines'][number];

/** A rule with its place in the tree of rules. */
export type FlatRule = { key: string; at: readonly number[]; depth: number; text: string; line: Line };

const textOf = ({ words }: Line) =>
  words
    .map(({ type, value }) => (type === 'regex' ? `/${value}/` : type === 'variable' ? `$${value}` : value))
    .join(' ');

/** Returns rules in the order of the template, parents before the rules nested below them. */
export const flatten = (lines: readonly Line[], above: readonly number[] = []): FlatRule[] =>
  lines.flatMap((line, index) => {
    const at = [...above, index];
    const rule = { key: at.join('.'), at, depth: above.length, text: textOf(line), line };
    return [rule, ...flatten(line.lines ?? [], at)];
  });

/** Returns rules with a change to the one at a place; all others are the same objects. */
export function changedAt(
  lines: readonly Line[],
  [first, ...rest]: readonly number[],
  change: Partial<Line>,
): Line[] {
  return lines.map((line, index) => {
    if (index !== first) return line;
    if (rest.length === 0) return { ...line, ...change };
    return { ...line, lines: changedAt(line.lines ?? [], rest, change) };
  });
}
