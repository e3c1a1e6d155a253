import type { ConfigLine, ParsedConfig } from '#server/domains/golden-config/parsing/config-line.ts';
import { wordsOf } from '#server/domains/golden-config/parsing/source.ts';

/** Junos keywords that have no meaning without the name after them: both belong on one line. */
const NAMED = new Set(
  `address address-book application area class community family file filter fpc group host instance interface neighbor
  pic policer policy policy-statement pool port prefix-list rib route rule rule-set security-zone server term
  trap-group unit user view vlan`.split(/\s+/),
);

/** The words that follow a word, in the order of their first appearance. */
type WordBranch = { below: Map<string, WordBranch>; ends: boolean };

const branch = (): WordBranch => ({ below: new Map(), ends: false });

/**
 * Returns the brace form of `set` paths: paths with common words share a section. The words do not show where Junos
 * itself would begin a section; the paths stay the same. Lines that are not `set` paths are kept unchanged, at the end.
 */
export function toBraces(paths: readonly string[]): ParsedConfig {
  const root = branch();
  const others: string[] = [];
  for (const path of paths) {
    if (path.startsWith('set ')) grow(root, wordsOf(path.slice(4)));
    else others.push(path);
  }
  const lines: ConfigLine[] = [];
  const waiting: { from: WordBranch; parent: ConfigLine | null }[] = [{ from: root, parent: null }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { from, parent } = next;
    for (const [word, start] of from.below) {
      let words = word;
      let at = start;
      for (let only = onlyBelow(at); only; only = onlyBelow(at)) {
        words = `${words} ${only[0]}`;
        at = only[1];
      }
      if (at.ends) (parent?.children ?? lines).push(lineOf(words, parent));
      if (at.below.size === 0) continue;
      const section = lineOf(words, parent);
      (parent?.children ?? lines).push(section);
      waiting.push({ from: at, parent: section });
    }
  }
  lines.push(...others.map((text) => lineOf(text, null)));
  return { lines, warnings: [], braces: true };
}

function grow(root: WordBranch, words: readonly string[]): void {
  let at = root;
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    const name = words[index + 1];
    const key = NAMED.has(word) && name !== undefined ? `${word} ${name}` : word;
    if (key !== word) index++;
    const below = at.below.get(key) ?? branch();
    at.below.set(key, below);
    at = below;
  }
  at.ends = true;
}

/** Returns the only continuation of a branch where no path ends. */
const onlyBelow = ({ below, ends }: WordBranch): [string, WordBranch] | undefined =>
  !ends && below.size === 1 ? [...below][0] : undefined;

const lineOf = (text: string, parent: ConfigLine | null): ConfigLine => ({
  text,
  line: 0,
  indent: 0,
  parent,
  children: [],
});
