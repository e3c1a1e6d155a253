import { linePath, matchedWords } from '../line-path.ts';
import { type Section, wordsOf } from '../sections.ts';
import { type CompiledPlatform, found, type Words } from './compiled-platform.ts';
import type { Command } from './difference.ts';
import { negated } from './negation.ts';

/** A list that has a name, and the lines that name it. */
type NamedList = {
  name: string;
  /** Each line that names it, with the lines above, from the outermost on. */
  references: Section[][];
};

/**
 * The list that a section is, and the lines that name it, all of which can be given another name in its place.
 *
 * @param root of the configuration
 * @returns null when it is no such list, or is named where its name cannot be exchanged
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

/** Every line that has this word, with the lines above, but for those of the list itself. */
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
 * Commands that give a list other entries while what names it always names a whole list: the new entries under another
 * name, what names it is given that name; then the list is written anew, named again, and the other one goes.
 *
 * @param list as it is to be
 * @param root of the configuration as it is to be
 * @returns null when the list's name cannot be exchanged
 */
export function swapCommands(list: Section, root: Section, platform: CompiledPlatform): Command[] | null {
  const named = namedList(list, root, platform);
  if (!named) return null;
  const { name, references } = named;
  const other = freeName(name, root);
  const header = (as: string) => [...wordsOf(list).slice(0, -1), as].join(' ');
  const entries = list.children.map(({ text }): Command => ({ text, below: [] }));
  const takeBack = (as: string): Command => {
    const words: Words = [[...wordsOf(list).slice(0, -1), as]];
    return { text: negated(header(as), words, platform), below: [] };
  };
  const naming = (as: string) => references.map((lines) => renamed(lines, name, as));
  // What nobody names can be written anew as it stands: nothing passes through it.
  if (references.length === 0) return [takeBack(name), { text: header(name), below: entries }];
  return [
    { text: header(other), below: entries },
    ...naming(other),
    takeBack(name),
    { text: header(name), below: entries },
    ...naming(name),
    takeBack(other),
  ];
}

/** A line that names a list, inside of the lines above, with another name. */
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

/** A name that no list of the configuration has. */
function freeName(name: string, root: Section): string {
  const taken = new Set(root.children.map((one) => wordsOf(one).at(-1)));
  for (let n = 1; ; n++) {
    const free = n === 1 ? `SWY_${name}` : `SWY${n}_${name}`;
    if (!taken.has(free)) return free;
  }
}
