import type { Dialect } from '#server/platforms/record/grammar.ts';
import type { ConfigLine, ParsedConfig } from '../parsing/config-line.ts';
import { COMMENT, oneStandsAt, planOf, VOLATILE } from '../parsing/plan.ts';
import { isBlank, nextLine, rawLine, type Source, sourceOf, wordsBetween } from '../parsing/source.ts';
import type { Missing } from './blocks.ts';
import { isIndented, leavesSection } from './columns.ts';
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

/**
 * Reads a text once. A section's opening and closing words share a column: where words are missing or extra, `recovers`
 * lets columns decide.
 *
 * @returns the configuration, and whether every opening word has a counterpart
 */
function readText(
  text: string,
  dialect: Dialect,
  recovers: boolean,
): { parsed: ParsedConfig; matches: boolean } {
  const source = sourceOf(text);
  const { flags } = planOf(dialect);
  const parsed: ParsedConfig = { lines: [], warnings: [] };
  const missing: Missing = new Set();
  let open: ConfigLine | null = null;
  let matches = true;
  const warnOf = (line: number, reason: string) => {
    matches = false;
    parsed.warnings.push({ line, reason });
  };
  while (nextLine(source)) {
    const { from, to } = source;
    if (from === to) continue;
    const flag = flags[text.charCodeAt(from)] ?? 0;
    if (flag & COMMENT && oneStandsAt(dialect.comments, text, from, to)) continue;
    if (flag & VOLATILE && oneStandsAt(dialect.volatile, text, from, to)) continue;
    const path = dialect.keywords?.path;
    if (path && text.startsWith(path, from)) open = null;
    const word = firstWord(source);
    const closes = to - from === word.length && dialect.keywords?.close.includes(word) === true;
    if (recovers && (closes || leavesSection(source, opensOf(dialect), closesOf(dialect)))) {
      while (open && (closes ? open.indent > source.indent : open.indent >= source.indent)) {
        warnOf(open.line, NOT_CLOSED);
        open = open.parent;
      }
    }
    // `edit` sections do not nest directly: the `next` of the open one is missing.
    if (word === dialect.keywords?.open[1] && open && firstWordOf(open.text) === word) {
      warnOf(open.line, NOT_CLOSED);
      open = open.parent;
    }
    const closed: ConfigLine | null = closes
      ? recovers
        ? sectionInColumn(open, source)
        : keywordCloses(open, word, dialect)
      : null;
    if (closed) {
      if (closed !== keywordCloses(open, word, dialect))
        warnOf(source.line, `${word} does not close ${firstWordOf(closed.text)}`);
      closed.end = recovers ? `${' '.repeat(source.indent)}${closingWord(closed, dialect)}` : rawLine(source);
      open = closed.parent;
      continue;
    }
    const read = wholeStatement(source, dialect, missing, parsed.warnings);
    const words = read?.text ?? wordsBetween(text, from, to);
    if (dialect.keywords?.close.includes(words)) {
      warnOf(source.line, `${words} closes nothing`);
      // Kept within a section, the word would close that section when printed.
      if (recovers && open) continue;
    }
    const node: ConfigLine = {
      text: words,
      line: read?.line ?? source.line,
      indent: read?.indent ?? source.indent,
      parent: open,
      children: [],
      end: undefined,
      block: undefined,
    };
    (open?.children ?? parsed.lines).push(node);
    if (path ? text.startsWith(path, from) : dialect.keywords?.open.includes(word)) open = node;
  }
  const unclosed = dialect.keywords?.path ? null : open;
  if (unclosed) warnOf(unclosed.line, NOT_CLOSED);
  return { parsed, matches };
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
