import type { Dialect, FlushSections } from '#server/platforms/record/grammar.ts';
import type { ParseWarning } from './config-line.ts';

/** Deepest section that is indented: the words that open sections inside others could repeat without end. */
const DEEPEST = 8;

/** A line that opened a section: its index, and the words by which it did. */
type OpenSection = { at: number; words: string };

/**
 * A line with the closing word, the first of such lines in a row, and the line that opened the section that it closes;
 * undefined: it closes none.
 */
type LastCloser = { at: number; first: number; opened: number | undefined };

/** The sections of a text: the index of the closing line by that of the line that opens it; and what is wrong with them. */
type FoundSections = {
  closedAt: Map<number, number>;
  warnings: ParseWarning[];
  last: LastCloser | undefined;
};

/**
 * Indents the lines of sections where a device prints all lines at the very left, from the line that opens a section to the
 * word that closes it. A section that is not closed keeps its lines at the very left, with a warning, since nothing says
 * where it ends: what follows it is in no other place than before. A text whose sections are indented stays as it is.
 *
 * @returns the text, line by line that of before, and what is wrong with its sections
 */
export function indentFlushSections(
  text: string,
  dialect: Dialect,
): { text: string; warnings: ParseWarning[] } {
  const { sections } = dialect;
  if (!sections) return { text, warnings: [] };
  const lines = text.split('\n');
  if (!isFlush(lines, sections)) return { text, warnings: [] };
  const found = sectionsIn(lines, sections);
  leaveMode(found, lines, dialect);
  const { closedAt, warnings } = found;
  const ends: number[] = [];
  const indented = lines.map((line, index) => {
    const isEnd = ends.at(-1) === index;
    if (isEnd) ends.pop();
    else if (line.trim() === sections.closes) return '';
    const written = `${' '.repeat(ends.length)}${line.trimStart()}`;
    const end = closedAt.get(index);
    if (end !== undefined) ends.push(end);
    return written;
  });
  return { text: indented.join('\n'), warnings };
}

/** Returns whether sections are closed, and more of those that are known have their first line at the very left than indented. */
function isFlush(lines: readonly string[], { top, closes }: FlushSections): boolean {
  let opens = false;
  let isClosed = false;
  let indented = 0;
  for (const line of lines) {
    if (line.trim() === '') continue;
    if (opens) indented += /^\s/.test(line) ? 1 : -1;
    const words = line.trim();
    isClosed ||= words === closes;
    opens = top.test(words);
  }
  return isClosed && indented < 0;
}

/** Matches the lines that open sections with those that close them. */
function sectionsIn(lines: readonly string[], { top, inner, closes }: FlushSections): FoundSections {
  const closedAt = new Map<number, number>();
  const warnings: ParseWarning[] = [];
  const open: OpenSection[] = [];
  let last: LastCloser | undefined;
  const giveUp = (from: number) => {
    const [outer] = open;
    for (const { at } of open.splice(from)) {
      const inner = last?.opened;
      // A closing word inside it is its own: that of the section that it seemed to close is missing.
      if (last && inner !== undefined && at === outer?.at && inner > at) {
        closedAt.delete(inner);
        closedAt.set(at, last.at);
        last = { ...last, opened: at };
        warnings.push(notClosed(inner));
      } else warnings.push(notClosed(at));
    }
  };
  for (const [at, line] of lines.entries()) {
    const words = line.trim();
    if (words === closes) {
      if (last && last.opened === undefined) warnings.push(closesNothing(last, closes));
      last = { at, first: last?.at === at - 1 ? last.first : at, opened: open.pop()?.at };
      if (last.opened !== undefined) closedAt.set(last.opened, at);
      continue;
    }
    const within = open.length > 0 ? inner?.exec(words)?.[0] : undefined;
    const begins = within ?? top.exec(words)?.[0];
    // `vlan 10` opens a section, but for one in `vlan database`.
    if (begins === undefined || open[0]?.words.startsWith(`${begins} `)) continue;
    // A section is in none of its own kind, and one of the top level in none: the word that closes that one is missing.
    const unclosed = within === undefined ? 0 : open.findIndex((one) => one.words === within);
    if (unclosed !== -1) giveUp(unclosed);
    if (open.length < DEEPEST) open.push({ at, words: begins });
  }
  giveUp(0);
  return { closedAt, warnings, last };
}

/** Reads the last closing word of a text as the one that leaves the configuration mode, where a line opens that. */
function leaveMode({ closedAt, warnings, last }: FoundSections, lines: readonly string[], dialect: Dialect) {
  const { mode, closes } = dialect.sections ?? {};
  if (!last || closes === undefined) return;
  const isInMode = mode !== undefined && lines.some((line) => line.trim() === mode);
  const isEnd = !lines.some((line, at) => at > last.at && isStatement(line, dialect));
  if (last.opened === undefined) {
    if (!isInMode) warnings.push(closesNothing(last, closes));
  } else if (isInMode && isEnd && hasForeignLine(lines, last.opened, closedAt)) {
    // The section that it seems to close lacks its own closing word.
    closedAt.delete(last.opened);
    warnings.push(notClosed(last.opened));
  }
}

/**
 * Returns whether a section has a line with a first word that lines outside all sections have, and no other section that
 * begins with the same word: a text may also end before the word that leaves the configuration mode.
 */
function hasForeignLine(
  lines: readonly string[],
  opened: number,
  closedAt: ReadonlyMap<number, number>,
): boolean {
  const own = new Set<string>();
  const outside = new Set<string>();
  let kind: string | undefined;
  let end = -1;
  for (const [at, line] of lines.slice(0, opened).entries()) {
    if (at > end) {
      kind = firstWord(line);
      end = closedAt.get(at) ?? -1;
      if (end < at) outside.add(kind);
    } else if (kind === firstWord(lines[opened] ?? '')) own.add(firstWord(line));
  }
  const inside = lines.slice(opened + 1, closedAt.get(opened)).map(firstWord);
  return inside.some((word) => word !== '' && outside.has(word) && !own.has(word));
}

const firstWord = (line: string): string => line.trim().split(/\s/, 1)[0] ?? '';

const isStatement = (line: string, { comments }: Dialect): boolean =>
  line.trim() !== '' && !comments.some((mark) => line.trimStart().startsWith(mark));

const notClosed = (at: number): ParseWarning => ({ line: at + 1, reason: 'the section is not closed' });

/** Of several closing words in a row, any may be the one too many: the warning is for the second. */
const closesNothing = ({ at, first }: LastCloser, word: string): ParseWarning => ({
  line: Math.min(first + 1, at) + 1,
  reason: `${word} closes nothing`,
});
