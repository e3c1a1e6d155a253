import type { ConfigLine } from '../parsing/config-line.ts';
import { type CompiledPlatform, found, mayHaveEntry } from './commands/compiled-platform.ts';
import { lineWords } from './line-path.ts';

/**
 * A line with those below it, as commands see it: a line that is repeated below one parent exists once, unless equal
 * lines are independent there. A block is part of the line that opens it, after a line break.
 */
export type Section = {
  text: string;
  /** Its words, once `wordsOf` has computed them. */
  words: readonly string[] | undefined;
  children: Section[];
  /** Children by text, the first of equal ones; maintained by `add`. */
  byText: Map<string, Section>;
  /** Whether it is within a section where equal lines are independent. */
  repeats: boolean;
  /** Number of its lines that were numbered. */
  entries: number;
};

/** Maximum nesting depth of compared lines; deeper configurations are rejected. */
const DEEPEST = 200;

/** Thrown when lines nest deeper than any device's do. */
export class TooDeep extends Error {
  override name = 'TooDeep';
}

/** Shared by all sections without children, which are most: a map for each would cost more than the rest of it. */
const NONE: Map<string, Section> = new Map();

/** Returns a section with this text and nothing below it. */
export const emptySection = (text: string, repeats = false): Section => ({
  text,
  words: undefined,
  children: [],
  byText: NONE,
  repeats,
  entries: 0,
});

/** Returns the words of a section's line, without those of a block below it. */
export function wordsOf(section: Section): readonly string[] {
  section.words ??= lineWords(section.text);
  return section.words;
}

/** How sections are built from lines. */
type SectionOptions = {
  /** Whole configurations are compared: lines without effect are omitted, list entries get their numbers. */
  whole: boolean;
};

/**
 * Returns the tree of a configuration from which commands are derived.
 *
 * @throws TooDeep
 */
export function sectionsOf(
  lines: readonly ConfigLine[],
  platform: CompiledPlatform,
  options: SectionOptions,
): Section {
  const root = emptySection('');
  takeLines(lines, [root], platform, options);
  return root;
}

/** @param open the enclosing sections of the lines, from the root on */
function takeLines(
  lines: readonly ConfigLine[],
  open: Section[],
  platform: CompiledPlatform,
  options: SectionOptions,
): void {
  const parent = open.at(-1);
  if (!parent) return;
  const { whole } = options;
  for (const line of lines) {
    if (leaves(line, platform, whole)) continue;
    if (line.block) {
      takeBlock(parent, open.at(-2) ?? parent, line.text);
      continue;
    }
    if (open.length > DEEPEST)
      throw new TooDeep(`line ${line.line} is nested more than ${DEEPEST} lines deep`);
    const text = whole ? numbered(line.text, parent, open, platform) : line.text;
    if (whole && isSignificant(platform.ignores, text, open)) continue;
    const repeats = parent.repeats || (open.length === 1 && isSignificant(platform.duplicates, text, open));
    const section = below(parent, text, repeats);
    if (line.children.length > 0) takeLines(line.children, [...open, section], platform, options);
  }
}

/** Returns whether a rule matches a line; for most lines none can, and their words are not computed. */
const isSignificant = (known: CompiledPlatform['ignores'], text: string, open: readonly Section[]): boolean =>
  mayHaveEntry(known, text, open.length) &&
  found(known, [...open.slice(1).map(wordsOf), lineWords(text)]) !== undefined;

/** Returns whether a line only leaves a section. When whole configurations are compared, `ignores` decides that. */
const leaves = ({ text, children }: ConfigLine, { leaving }: CompiledPlatform, whole: boolean): boolean =>
  !whole && children.length === 0 && leaving.has(text);

function below(parent: Section, text: string, repeats: boolean): Section {
  const there = parent.byText.get(text);
  if (there && !parent.repeats) return there;
  return add(parent, emptySection(text, repeats));
}

/** Adds a section below another. */
export function add(parent: Section, child: Section): Section {
  parent.children.push(child);
  if (parent.byText === NONE) parent.byText = new Map();
  if (!parent.byText.has(child.text)) parent.byText.set(child.text, child);
  return child;
}

/** Appends a block to the text of its line. */
function takeBlock(line: Section, parent: Section, block: string): void {
  if (parent.byText.get(line.text) === line) parent.byText.delete(line.text);
  wordsOf(line);
  line.text = `${line.text}\n${block}`;
  if (!parent.byText.has(line.text)) parent.byText.set(line.text, line);
}

/** Returns a list entry with the number that the device assigns to it. */
function numbered(
  text: string,
  parent: Section,
  open: readonly Section[],
  platform: CompiledPlatform,
): string {
  if (open.length !== 2 || !(text.startsWith('permit ') || text.startsWith('deny '))) return text;
  if (!found(platform.numbers, [wordsOf(parent)])) return text;
  parent.entries++;
  return `${parent.entries * 10} ${text}`;
}
