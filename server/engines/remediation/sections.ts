import type { ConfigLine, ParsedConfig } from '#server/engines/dialects/config-line.ts';
import { visits } from '#server/engines/dialects/visits.ts';
import { lineWords } from './line-path.ts';
import { found, type Manner, type Words } from './manner.ts';

/**
 * A line with those below it, as commands see it: what stands twice below one line stands there once, but where equal
 * lines stand for themselves. A block is part of the line that opens it, behind a line break.
 */
export type Section = {
  text: string;
  /** Its words, without those of a block. */
  words: readonly string[];
  children: Section[];
  /** By text, the first of equal ones. */
  byText: Map<string, Section>;
  /** It is the inside of a section where equal lines stand for themselves. */
  repeats: boolean;
  /** How many of its lines got a number. */
  entries: number;
};

/** Lines nest no deeper than this in what is compared; configurations that do are refused. */
const DEEPEST = 200;

/** Lines nest deeper than any device's do. */
export class TooDeep extends Error {
  override name = 'TooDeep';
}

const emptySection = (text: string, repeats: boolean): Section => ({
  text,
  words: lineWords(text),
  children: [],
  byText: new Map(),
  repeats,
  entries: 0,
});

/**
 * The tree of a configuration that commands are told from.
 *
 * @param whole it is compared as a whole: lines that say nothing are left out, entries of lists get their numbers
 * @throws TooDeep
 */
export function sectionsOf(parsed: ParsedConfig, manner: Manner, whole: boolean): Section {
  const root = emptySection('', false);
  const open: Section[] = [root];
  const words: (readonly string[])[] = [];
  let skipping = 0;
  for (const { line, leaving } of visits(parsed.lines)) {
    if (leaving) {
      if (skipping > 0) skipping--;
      else if (!line.block) {
        open.pop();
        words.pop();
      }
      continue;
    }
    const parent = open.at(-1) ?? root;
    if (skipping > 0 || leaves(line, manner, whole)) skipping++;
    else if (line.block) takeBlock(parent, open.at(-2) ?? root, line.text);
    else {
      if (open.length > DEEPEST) throw new TooDeep(`line ${line.line} nests deeper than ${DEEPEST} lines`);
      const text = whole ? numbered(line.text, parent, words, manner) : line.text;
      words.push(lineWords(text));
      if (whole && found(manner.ignores, words)) {
        words.pop();
        skipping = 1;
        continue;
      }
      open.push(below(parent, text, words, manner));
    }
  }
  return root;
}

/** Whether a line only leaves a section. Where whole configurations are compared, `ignores` says so. */
const leaves = ({ text, children }: ConfigLine, { leaving }: Manner, whole: boolean): boolean =>
  !whole && children.length === 0 && leaving.has(text);

function below(parent: Section, text: string, words: Words, manner: Manner): Section {
  const there = parent.byText.get(text);
  if (there && !parent.repeats) return there;
  const repeats = parent.repeats || (words.length === 1 && found(manner.duplicates, words) !== undefined);
  return add(parent, emptySection(text, repeats));
}

/** Put a section below another. */
export function add(parent: Section, child: Section): Section {
  parent.children.push(child);
  if (!parent.byText.has(child.text)) parent.byText.set(child.text, child);
  return child;
}

/** A section of this text and nothing below it. */
export const bareSection = (text: string, repeats = false): Section => emptySection(text, repeats);

/** The block becomes part of its line's text. */
function takeBlock(line: Section, parent: Section, block: string): void {
  if (parent.byText.get(line.text) === line) parent.byText.delete(line.text);
  line.text = `${line.text}\n${block}`;
  if (!parent.byText.has(line.text)) parent.byText.set(line.text, line);
}

/** An entry of a list with the number that the device gives it. */
function numbered(text: string, parent: Section, above: Words, manner: Manner): string {
  if (above.length !== 1 || !(text.startsWith('permit ') || text.startsWith('deny '))) return text;
  if (!found(manner.numbers, above)) return text;
  parent.entries++;
  return `${parent.entries * 10} ${text}`;
}
