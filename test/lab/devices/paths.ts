import type { ConfigLine } from './configuration-tree.ts';

/** Lines of an operating system that are entered as paths of words. */
export type PathGrammar = {
  kind: 'paths';
  /** A path that ends in a section leads there; else each begins at the top, with `set`. */
  contexts?: boolean;
  /** Words that open a section by themselves. */
  sections: ReadonlySet<string>;
  /** Words that open a section together with a name. */
  named: ReadonlySet<string>;
  /** Statements that may exist several times beside each other. */
  lists: ReadonlySet<string>;
  /** Sections whose lines are names that open sections. */
  ofNames: ReadonlySet<string>;
  /** Sections whose lines are values. */
  ofValues: ReadonlySet<string>;
};

/** Returns the words of a line; a quoted text is one word. */
export const wordsOf = (line: string): string[] => line.match(/"[^"]*"|\[[^\]]*\]|\S+/g) ?? [];

const begins = (words: readonly string[], text: string): number => {
  const own = wordsOf(text);
  return own.every((word, index) => word === words[index]) ? own.length : 0;
};

/** Sets a path of words below a section. @returns the section at its end, null where it ends in a statement */
export function setPath(grammar: PathGrammar, from: ConfigLine, path: readonly string[]): ConfigLine | null {
  let at = from;
  for (let words = path; words.length > 0; ) {
    const [first = ''] = words;
    const size =
      grammar.ofNames.has(at.text) || grammar.sections.has(first) ? 1 : grammar.named.has(first) ? 2 : 0;
    const known = at.children.find(
      ({ text, children }) => begins(words, text) > 0 && (children.length > 0 || size > 0),
    );
    if (known) {
      words = words.slice(begins(words, known.text));
      at = known;
    } else if (size > 0 && words.length >= size) {
      const node = { text: words.slice(0, size).join(' '), children: [] };
      at.children.push(node);
      words = words.slice(size);
      at = node;
    } else {
      const text = words.join(' ');
      const isMany = grammar.lists.has(first) || grammar.ofValues.has(at.text);
      const same = at.children.find((one) =>
        isMany ? one.text === text : wordsOf(one.text)[0] === first && one.children.length === 0,
      );
      if (same) same.text = text;
      else at.children.push({ text, children: [] });
      return null;
    }
  }
  return at;
}

/** Deletes what a path of words leads to. @returns false where there is nothing */
export function deletePath(from: ConfigLine, words: readonly string[]): boolean {
  const known = from.children.find(({ text }) => {
    const size = begins(words, text);
    return size > 0 && size < words.length;
  });
  if (known) return deletePath(known, words.slice(begins(words, known.text)));
  const kept = from.children.filter(({ text }) => {
    const own = wordsOf(text);
    return !words.every((word, index) => own[index] === word);
  });
  const isFound = kept.length < from.children.length;
  from.children = kept;
  return isFound;
}

/** Whether a path of words continues behind the name of a setting. */
export function namesValue(from: ConfigLine, words: readonly string[]): boolean {
  for (const { text, children } of from.children) {
    const size = begins(words, text);
    if (size === 0) continue;
    if (size < words.length) return namesValue({ text, children }, words.slice(size));
    if (size > 1 && children.length === 0) return true;
  }
  return false;
}
