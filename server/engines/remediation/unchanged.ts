import type { ConfigLine, ParsedConfig } from '#server/engines/dialects/config-line.ts';

/** Lines that are compared as wholes nest no deeper than this: deeper ones count as changed. */
const DEEPEST = 50;

/** Two configurations without the sections at the top that are the same in both, and the lines that those begin with. */
export type Changed = { before: ParsedConfig; after: ParsedConfig; unchanged: readonly string[] };

/**
 * Leave out what two configurations share: most of them is the same, and no command comes of it. A section that stands
 * there twice stays, for its parts are one.
 */
export function withoutUnchanged(before: ParsedConfig, after: ParsedConfig): Changed {
  const pairs = new Map<string, Pair>();
  const wanted = after.lines.map((line) => {
    const pair = pairOf(line.text, pairs);
    pair.several ||= pair.after !== undefined;
    pair.after = line;
    return pair;
  });
  const there = before.lines.map((line) => {
    const pair = pairOf(line.text, pairs);
    pair.several ||= pair.before !== undefined;
    pair.before = line;
    return pair;
  });
  const unchanged: string[] = [];
  for (const pair of wanted) {
    const { before, after, several } = pair;
    if (several || !before || !after || !same(before, after, 0)) continue;
    pair.same = true;
    unchanged.push(after.text);
  }
  return {
    before: { ...before, lines: before.lines.filter((_, at) => !there[at]?.same) },
    after: { ...after, lines: after.lines.filter((_, at) => !wanted[at]?.same) },
    unchanged,
  };
}

/** A line at the top of two configurations. */
type Pair = {
  before: ConfigLine | undefined;
  after: ConfigLine | undefined;
  /** It stands several times in one of them. */
  several: boolean;
  same: boolean;
};

function pairOf(text: string, pairs: Map<string, Pair>): Pair {
  const known = pairs.get(text);
  if (known) return known;
  const pair: Pair = { before: undefined, after: undefined, several: false, same: false };
  pairs.set(text, pair);
  return pair;
}

function same(one: ConfigLine, other: ConfigLine, depth: number): boolean {
  const { children } = one;
  if (children.length !== other.children.length || depth > DEEPEST) return false;
  for (let at = 0; at < children.length; at++) {
    const left = children[at];
    const right = other.children[at];
    if (!left || !right || left.text !== right.text || left.block !== right.block) return false;
    if (left.children.length + right.children.length > 0 && !same(left, right, depth + 1)) return false;
  }
  return true;
}
