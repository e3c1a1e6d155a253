import type { ConfigLine } from '../parsing/config-line.ts';
import { type CompiledPlatform, found, mayTell } from './commands/compiled-platform.ts';
import { lineWords } from './line-path.ts';
import type { Unchanged } from './unchanged.ts';

/**
 * A line with those below it, as commands see it: what stands twice below one line stands there once, but where equal
 * lines stand for themselves. A block is part of the line that opens it, behind a line break.
 */
export type Section = {
  text: string;
  /** Its words, once `wordsOf` was asked for them. */
  words: readonly string[] | undefined;
  children: Section[];
  /** By text, the first of equal ones; `add` writes it. */
  byText: Map<string, Section>;
  /** It is the inside of a section where equal lines stand for themselves. */
  repeats: boolean;
  /** How many of its lines got a number. */
  entries: number;
  /** Lines that stand there too, and are left out because they are the same before and after. */
  unchanged: readonly string[] | undefined;
};

/** Lines nest no deeper than this in what is compared; configurations that do are refused. */
const DEEPEST = 200;

/** Lines nest deeper than any device's do. */
export class TooDeep extends Error {
  override name = 'TooDeep';
}

/** Of every section that nothing is below, which most are: a map of its own would cost more than all else of it. */
const NONE: Map<string, Section> = new Map();

const emptySection = (text: string, repeats: boolean): Section => ({
  text,
  words: undefined,
  children: [],
  byText: NONE,
  repeats,
  entries: 0,
  unchanged: undefined,
});

/** The words of a section's line, without those of a block below it. */
export function wordsOf(section: Section): readonly string[] {
  section.words ??= lineWords(section.text);
  return section.words;
}

/** How sections are made of lines. */
type SectionOptions = {
  /** They are compared as a whole: lines that say nothing are left out, entries of lists get their numbers. */
  whole: boolean;
  /** Lines that were left out of these. */
  unchanged?: Unchanged;
};

/**
 * The tree of a configuration that commands are told from.
 *
 * @throws TooDeep
 */
export function sectionsOf(
  lines: readonly ConfigLine[],
  platform: CompiledPlatform,
  making: SectionOptions,
): Section {
  const root = emptySection('', false);
  root.unchanged = making.unchanged?.get(null);
  takeLines(lines, [root], platform, making);
  return root;
}

/** @param open the sections that the lines stand in, from the root on */
function takeLines(
  lines: readonly ConfigLine[],
  open: Section[],
  platform: CompiledPlatform,
  making: SectionOptions,
): void {
  const parent = open.at(-1);
  if (!parent) return;
  const { whole, unchanged } = making;
  for (const line of lines) {
    if (leaves(line, platform, whole)) continue;
    if (line.block) {
      takeBlock(parent, open.at(-2) ?? parent, line.text);
      continue;
    }
    if (open.length > DEEPEST) throw new TooDeep(`line ${line.line} nests deeper than ${DEEPEST} lines`);
    const text = whole ? numbered(line.text, parent, open, platform) : line.text;
    if (whole && tells(platform.ignores, text, open)) continue;
    const repeats = parent.repeats || (open.length === 1 && tells(platform.duplicates, text, open));
    const section = below(parent, text, repeats);
    section.unchanged ??= unchanged?.get(line);
    if (line.children.length > 0) takeLines(line.children, [...open, section], platform, making);
  }
}

/** Whether something is known of a line; of most of them nothing is, and their words are not looked at. */
const tells = (known: CompiledPlatform['ignores'], text: string, open: readonly Section[]): boolean =>
  mayTell(known, text, open.length) &&
  found(known, [...open.slice(1).map(wordsOf), lineWords(text)]) !== undefined;

/** Whether a line only leaves a section. Where whole configurations are compared, `ignores` says so. */
const leaves = ({ text, children }: ConfigLine, { leaving }: CompiledPlatform, whole: boolean): boolean =>
  !whole && children.length === 0 && leaving.has(text);

function below(parent: Section, text: string, repeats: boolean): Section {
  const there = parent.byText.get(text);
  if (there && !parent.repeats) return there;
  return add(parent, emptySection(text, repeats));
}

/** Put a section below another. */
export function add(parent: Section, child: Section): Section {
  parent.children.push(child);
  if (parent.byText === NONE) parent.byText = new Map();
  if (!parent.byText.has(child.text)) parent.byText.set(child.text, child);
  return child;
}

/** A section of this text and nothing below it. */
export const bareSection = (text: string, repeats = false): Section => emptySection(text, repeats);

/** The block becomes part of its line's text. */
function takeBlock(line: Section, parent: Section, block: string): void {
  if (parent.byText.get(line.text) === line) parent.byText.delete(line.text);
  wordsOf(line);
  line.text = `${line.text}\n${block}`;
  if (!parent.byText.has(line.text)) parent.byText.set(line.text, line);
}

/** An entry of a list with the number that the device gives it. */
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
