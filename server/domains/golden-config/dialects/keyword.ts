import type { Dialect } from '#server/platforms/record/grammar.ts';
import type { ConfigLine, ParsedConfig } from '../parsing/config-line.ts';
import { COMMENT, oneStandsAt, planOf, VOLATILE } from '../parsing/plan.ts';
import { isBlank, nextLine, rawLine, type Source, sourceOf, wordsBetween } from '../parsing/source.ts';
import type { Missing } from './blocks.ts';
import { isIndented, leavesSection, warnUnmatched } from './columns.ts';
import { wholeStatement } from './statement.ts';

/**
 * Reads a configuration whose sections are enclosed in keywords, as FortiOS' `config … end` and `edit … next`, where
 * `end` also closes an open `edit`; or follow a path, as RouterOS' `/ip address`, up to the next path.
 */
export function readKeywords(text: string, dialect: Dialect): ParsedConfig {
  const first = readText(text, dialect, false);
  if (first.matches || !isIndented(sourceOf(text), opensOf(dialect), closesOf(dialect))) return first.parsed;
  return readText(text, dialect, true).parsed;
}

/** A text that is being read, up to its current line. */
type KeywordText = {
  source: Source;
  dialect: Dialect;
  /** Whether columns decide where words are missing or extra: a section's opening and closing words share a column. */
  recovers: boolean;
  parsed: ParsedConfig;
  missing: Missing;
  open: ConfigLine | null;
  /** Whether every opening word so far has a counterpart. */
  matches: boolean;
};

/** Reads a text once. @returns the configuration, and whether every opening word has a counterpart */
function readText(
  text: string,
  dialect: Dialect,
  recovers: boolean,
): Pick<KeywordText, 'parsed' | 'matches'> {
  const parsed: ParsedConfig = { lines: [], warnings: [] };
  const source = sourceOf(text);
  const reading: KeywordText = {
    source,
    dialect,
    recovers,
    parsed,
    missing: new Set(),
    open: null,
    matches: true,
  };
  while (nextLine(source)) if (source.from < source.to && !isSkipped(reading)) readLine(reading);
  const unclosed = dialect.keywords?.path ? null : reading.open;
  if (unclosed) warnUnmatched(reading, unclosed.line, NOT_CLOSED);
  return reading;
}

/** Returns whether the current line is a comment, or one that devices change by themselves. */
function isSkipped({ source: { text, from, to }, dialect }: KeywordText): boolean {
  const flag = planOf(dialect).flags[text.charCodeAt(from)] ?? 0;
  if (flag & COMMENT && oneStandsAt(dialect.comments, text, from, to)) return true;
  return (flag & VOLATILE) !== 0 && oneStandsAt(dialect.volatile, text, from, to);
}

function readLine(reading: KeywordText): void {
  const { source, dialect } = reading;
  const { text, from } = source;
  const { keywords } = dialect;
  const isPath = keywords?.path !== undefined && text.startsWith(keywords.path, from);
  if (isPath) reading.open = null;
  const word = firstWord(source);
  if (closesUnclosed(reading, word)) return;
  const node = lineOf(reading);
  if (!node) return;
  (reading.open?.children ?? reading.parsed.lines).push(node);
  if (keywords?.path ? isPath : keywords?.open.includes(word)) reading.open = node;
}

/** Ends the sections whose closing words are missing, then the one that the current line closes. @returns whether there is one */
function closesUnclosed(reading: KeywordText, word: string): boolean {
  const { source, dialect, recovers } = reading;
  const closes = source.to - source.from === word.length && dialect.keywords?.close.includes(word) === true;
  if (recovers && (closes || leavesSection(source, opensOf(dialect), closesOf(dialect)))) {
    const least = closes ? source.indent + 1 : source.indent;
    while (reading.open && reading.open.indent >= least) leaveOpen(reading, reading.open);
  }
  // `edit` sections do not nest directly: the `next` of the open one is missing.
  if (word === dialect.keywords?.open[1] && reading.open && firstWordOf(reading.open.text) === word)
    leaveOpen(reading, reading.open);
  return closes && close(reading, word);
}

function leaveOpen(reading: KeywordText, { line, parent }: ConfigLine): void {
  warnUnmatched(reading, line, NOT_CLOSED);
  reading.open = parent;
}

/** Closes the section that a word closes. @returns whether there is one */
function close(reading: KeywordText, word: string): boolean {
  const { source, dialect, recovers, open } = reading;
  const byWord = keywordCloses(open, word, dialect);
  const closed = recovers ? sectionInColumn(open, source) : byWord;
  if (!closed) return false;
  if (closed !== byWord)
    warnUnmatched(reading, source.line, `${word} does not close ${firstWordOf(closed.text)}`);
  closed.end = recovers ? `${' '.repeat(source.indent)}${closingWord(closed, dialect)}` : rawLine(source);
  reading.open = closed.parent;
  return true;
}

/** Returns the line of the statement that begins here; undefined for a closing word that must not be kept. */
function lineOf(reading: KeywordText): ConfigLine | undefined {
  const { source, dialect, recovers, parsed, missing, open } = reading;
  const { text, from, to } = source;
  const read = wholeStatement(source, dialect, missing, parsed.warnings);
  const words = read?.text ?? wordsBetween(text, from, to);
  if (dialect.keywords?.close.includes(words)) {
    warnUnmatched(reading, source.line, `${words} closes nothing`);
    // Kept within a section, the word would close that section when printed.
    if (recovers && open) return undefined;
  }
  return {
    text: words,
    line: read?.line ?? source.line,
    indent: read?.indent ?? source.indent,
    parent: open,
    children: [],
    end: undefined,
    block: undefined,
  };
}

const NOT_CLOSED = 'the section is not closed';

const sectionInColumn = (open: ConfigLine | null, { indent }: Source): ConfigLine | null =>
  open?.indent === indent ? open : null;

const firstWordOf = (words: string): string => words.split(' ', 1)[0] ?? '';

/** Returns the word that closes a section. */
function closingWord({ text }: ConfigLine, { keywords }: Dialect): string {
  const at = keywords?.open.indexOf(firstWordOf(text)) ?? -1;
  return keywords?.close[at] ?? '';
}

const opensOf =
  ({ keywords }: Dialect) =>
  (source: Source): boolean =>
    keywords?.open.includes(firstWord(source)) === true;

const closesOf =
  ({ keywords }: Dialect) =>
  (source: Source): boolean =>
    keywords?.close.includes(firstWord(source)) === true;

function firstWord({ text, from, to }: Source): string {
  let end = from;
  while (end < to && end - from < 16 && !isBlank(text.charCodeAt(end))) end++;
  return text.slice(from, end);
}

/** Returns the open section that a word closes: `next` its `edit`, `end` its `config` and anything open within. */
export function keywordCloses(open: ConfigLine | null, word: string, dialect: Dialect): ConfigLine | null {
  const [outer, inner] = dialect.keywords?.close ?? [];
  if (!open) return null;
  if (word === inner) return open.text.startsWith('edit') ? open : null;
  if (word !== outer) return null;
  return open.text.startsWith('edit') ? (open.parent ?? open) : open;
}
