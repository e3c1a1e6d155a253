import { linePath, matchedWords } from '../line-path.ts';
import { type Section, wordsOf } from '../sections.ts';
import { type CompiledPlatform, found, type Words } from './compiled-platform.ts';
import type { Command } from './difference.ts';
import { negated } from './negation.ts';

/** A named list, and the lines that refer to it. */
type NamedList = {
  name: string;
  /** Each line that refers to it, with the lines above, outermost first. */
  references: Section[][];
};

/**
 * Returns the list that a section defines and the lines that refer to it, if all of these can refer to another name.
 *
 * @param root of the configuration
 * @returns null when the section is no such list, or is referred to where its name cannot be replaced
 */
export function namedList(section: Section, root: Section, platform: CompiledPlatform): NamedList | null {
  const kind = found(platform.sequences, [wordsOf(section)]);
  const name = kind && wordsOf(section).at(-1);
  if (!kind || name === undefined || kind.matched !== wordsOf(section).length || /[|*#$%]/.test(name))
    return null;
  const paths = kind.value.references.map((text) => linePath(text.replace('%', name)));
  const references: Section[][] = [];
  for (const lines of mentions(root, name, section)) {
    const words = lines.map((line) => wordsOf(line));
    if (!paths.some((path) => matchedWords(path, words) !== -1)) return null;
    references.push(lines);
  }
  return { name, references };
}

/** Returns every line that contains this word, with the lines above, except those of the list itself. */
function mentions(root: Section, name: string, list: Section): Section[][] {
  const found: Section[][] = [];
  const look = (section: Section, above: Section[]) => {
    for (const child of section.children) {
      if (child === list || child.text === list.text) continue;
      const lines = [...above, child];
      if (wordsOf(child).includes(name)) found.push(lines);
      look(child, lines);
    }
  };
  look(root, []);
  return found;
}

/**
 * Returns commands that change a list's entries while its references always name a complete list: the new entries are
 * written under another name, which the references then use; the list is rewritten and used again, and the other one is
 * removed.
 *
 * @param list in its intended state
 * @param root of the intended configuration
 * @returns null when the list's name cannot be replaced
 */
export function swapCommands(list: Section, root: Section, platform: CompiledPlatform): Command[] | null {
  const named = namedList(list, root, platform);
  if (!named) return null;
  const { name, references } = named;
  const other = freeName(name, root);
  const header = (as: string) => [...wordsOf(list).slice(0, -1), as].join(' ');
  const entries = list.children.map(({ text }): Command => ({ text, below: [] }));
  const negation = (as: string): Command => {
    const words: Words = [[...wordsOf(list).slice(0, -1), as]];
    return { text: negated(header(as), words, platform), below: [] };
  };
  const naming = (as: string) => references.map((lines) => renamed(lines, name, as));
  // A list without references can be rewritten directly: no traffic passes through it.
  if (references.length === 0) return [negation(name), { text: header(name), below: entries }];
  return [
    { text: header(other), below: entries },
    ...naming(other),
    negation(name),
    { text: header(name), below: entries },
    ...naming(name),
    negation(other),
  ];
}

/** Returns a line that refers to a list, within the lines above it, with another name. */
function renamed(lines: readonly Section[], name: string, as: string): Command {
  const [first, ...rest] = lines;
  if (!first) return { text: '', below: [] };
  if (rest.length === 0) {
    return {
      text: wordsOf(first)
        .map((word) => (word === name ? as : word))
        .join(' '),
      below: [],
    };
  }
  return { text: first.text, below: [renamed(rest, name, as)] };
}

/** Returns a name that no list of the configuration has. */
function freeName(name: string, root: Section): string {
  const taken = new Set(root.children.map((one) => wordsOf(one).at(-1)));
  for (let n = 1; ; n++) {
    const free = n === 1 ? `SWY_${name}` : `SWY${n}_${name}`;
    if (!taken.has(free)) return free;
  }
}
