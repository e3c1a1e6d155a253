import type { Dialect } from '#server/platforms/record/grammar.ts';
import { CLOSE_BRACE, HASH, OPEN_BRACE, QUOTE, SEMICOLON } from '../parsing/characters.ts';
import type { ConfigLine, ParsedConfig } from '../parsing/config-line.ts';
import { isPath, PATH_VERBS } from '../parsing/paths.ts';
import { BLOCK, COMMENT, oneStandsAt, planOf, VOLATILE } from '../parsing/plan.ts';
import {
  closingQuote,
  indexBetween,
  isBlank,
  nextLine,
  rawLine,
  type Source,
  sourceOf,
  wordsBetween,
} from '../parsing/source.ts';
import { readBlock } from './blocks.ts';
import {
  type BracedText,
  closeByColumn,
  closeOnLine,
  closeOpen,
  closeSectionsLeft,
  isIndentedText,
  NOT_CLOSED,
} from './brace-recovery.ts';
import { listBeyond, setBeyond, valueBeyond } from './brace-values.ts';
import { warnUnmatched } from './columns.ts';
import { takeBlock } from './indent.ts';
import { wholeStatement } from './statement.ts';

/**
 * Reads a configuration whose lines nest by braces: a line that ends with `{` opens a section, one that begins with `}`
 * closes it, any other is a leaf. Whole `set` paths are leaves, whatever they contain.
 */
export function readBraced(text: string, dialect: Dialect): ParsedConfig {
  const reading = readText(text, dialect, false);
  if (reading.matches || !isIndentedText(text)) return reading.parsed;
  return readText(text, dialect, true).parsed;
}

function readText(text: string, dialect: Dialect, recovers: boolean): BracedText {
  const reading: BracedText = {
    source: sourceOf(text),
    dialect,
    plan: planOf(dialect),
    parsed: { lines: [], warnings: [], braces: true },
    missing: new Set(),
    open: null,
    last: null,
    recovers,
    matches: true,
  };
  const { source } = reading;
  while (nextLine(source)) {
    if (source.from < source.to && !skipped(reading)) readLine(reading);
  }
  if (reading.open) warnUnmatched(reading, reading.open.line, NOT_CLOSED);
  return reading;
}

/** Skips comments, also of several lines, and volatile lines. */
function skipped({ source, dialect, plan, missing, parsed }: BracedText): boolean {
  const { text, from, to } = source;
  const flag = plan.flags[text.charCodeAt(from)] ?? 0;
  if (flag & VOLATILE && oneStandsAt(dialect.volatile, text, from, to)) return true;
  if (!(flag & COMMENT && oneStandsAt(dialect.comments, text, from, to))) return false;
  if (!text.startsWith('/*', from)) return true;
  const close = missing.has('*/') ? -1 : text.indexOf('*/', from + 2);
  if (close === -1) missing.add('*/');
  if (close === -1 || commentBegins(source, close)) {
    parsed.warnings.push({ line: source.line, reason: 'the comment is not closed' });
    return close !== -1;
  }
  while (source.next <= close && nextLine(source));
  return true;
}

/** Returns whether a later line begins a comment before the mark that would end this one. */
function commentBegins(source: Source, close: number): boolean {
  const ahead = { ...source };
  while (ahead.next < close && nextLine(ahead)) if (ahead.text.startsWith('/*', ahead.from)) return true;
  return false;
}

function readLine(reading: BracedText): void {
  if (reading.recovers) closeSectionsLeft(reading);
  const { source, dialect, missing, parsed, open } = reading;
  const { text } = source;
  if (open === null && oneStandsAt(PATH_VERBS, text, source.from, source.to)) {
    const statement = wholeStatement(source, dialect, missing, parsed.warnings) ?? setBeyond(reading);
    if (statement) add(reading, statement.text, statement);
    else add(reading, wordsBetween(text, source.from, source.to));
    return;
  }
  const statement =
    wholeStatement(source, dialect, missing, parsed.warnings) ?? listBeyond(reading) ?? valueBeyond(reading);
  if (statement) {
    add(reading, withoutTerminator(statement.text, dialect), statement);
    return;
  }
  readBetween(reading, source.from, withoutRemark(source, dialect));
}

/** Reads the current line between two offsets: closing braces first, then one line. */
function readBetween(reading: BracedText, from: number, to: number): void {
  const { source, dialect } = reading;
  const { text } = source;
  let at = from;
  while (at < to && text.charCodeAt(at) === CLOSE_BRACE && (reading.open || reading.recovers)) {
    if (!reading.recovers) closeOpen(reading, rawLine(source));
    else if (!closeByColumn(reading)) break;
    at++;
    while (at < to && (isBlank(text.charCodeAt(at)) || text.charCodeAt(at) === SEMICOLON)) at++;
  }
  if (at >= to) return;
  const code = text.charCodeAt(at);
  if (code === CLOSE_BRACE) {
    warnUnmatched(reading, source.line, 'the closing brace has no opening brace');
    // Kept within a section, the brace would close that section when printed.
    if (reading.open) {
      readBetween(reading, behindBraces(text, at, to), to);
      return;
    }
  } else if (text.charCodeAt(to - 1) === OPEN_BRACE) {
    opens(reading, at, to - 1);
    return;
  } else if (dialect.terminator && hasInner(text, at, to)) {
    readInner(reading, at, to);
    return;
  }
  const words = withoutTerminator(wordsBetween(text, at, to), dialect);
  add(reading, words);
  if (code !== CLOSE_BRACE) warnOfLeaf(reading, words);
}

/** Returns the offset after the braces that a line begins with. */
function behindBraces(text: string, from: number, to: number): number {
  let at = from;
  while (
    at < to &&
    (text.charCodeAt(at) === CLOSE_BRACE || text.charCodeAt(at) === SEMICOLON || isBlank(text.charCodeAt(at)))
  )
    at++;
  return at;
}

/** Warns of an unmatched brace or a stray comment end within the words of a leaf. */
function warnOfLeaf({ source, parsed }: BracedText, words: string): void {
  if (words.endsWith('*/'))
    parsed.warnings.push({ line: source.line, reason: 'the comment end has no comment start' });
  if (!words.includes('{') && !words.includes('}')) return;
  const depth = bracesOutsideQuotes(words);
  if (depth !== 0) {
    const reason =
      depth > 0 ? 'a brace is not closed on its line' : 'a closing brace on its line has no opening brace';
    parsed.warnings.push({ line: source.line, reason });
  }
}

/** Returns the number of braces opened minus those closed, outside quotes. */
function bracesOutsideQuotes(words: string): number {
  let depth = 0;
  for (let at = 0; at < words.length; at++) {
    const code = words.charCodeAt(at);
    if (code === QUOTE) at = Math.max(at, closingQuote(words, at + 1, words.length));
    else if (code === OPEN_BRACE) depth++;
    else if (code === CLOSE_BRACE) depth--;
  }
  return depth;
}

function opens(reading: BracedText, from: number, to: number): void {
  const { source, plan, missing, parsed, last } = reading;
  let end = to;
  while (end > from && isBlank(source.text.charCodeAt(end - 1))) end--;
  if (reading.recovers && end === from && from === source.from && reading.open?.indent === source.indent) {
    // A brace alone in the column of the open section can only close it.
    warnUnmatched(reading, source.line, 'an opening brace occurs where a closing one is expected');
    closeOpen(reading, rawLine(source));
    return;
  }
  if (end === to && end > from && source.text.charCodeAt(end - 1) === OPEN_BRACE) {
    parsed.warnings.push({ line: source.line, reason: 'the brace is doubled' });
    while (
      end > from &&
      (source.text.charCodeAt(end - 1) === OPEN_BRACE || isBlank(source.text.charCodeAt(end - 1)))
    )
      end--;
  }
  const adopts = end === from && last && !isPath(last) && last.children.length === 0;
  if (adopts && last.end === undefined && last.parent === reading.open && !last.text.includes('\n')) {
    reading.open = last;
    return;
  }
  const words = wordsBetween(source.text, from, end);
  const node = add(reading, words);
  reading.open = node;
  if ((plan.flags[words.charCodeAt(0)] ?? 0) & BLOCK) {
    takeBlock(node, readBlock(source, plan.blocks, missing), parsed.warnings);
  }
}

function add(
  reading: BracedText,
  words: string,
  place: { line: number; indent: number } = reading.source,
): ConfigLine {
  const { parsed, dialect, open } = reading;
  const prefix = dialect.prefixes?.find((one) => words.startsWith(one));
  const node: ConfigLine = {
    text: prefix ? words.slice(prefix.length) : words,
    line: place.line,
    indent: place.indent,
    parent: open,
    children: [],
    end: undefined,
    block: undefined,
  };
  (open?.children ?? parsed.lines).push(node);
  reading.last = node;
  return node;
}

const withoutTerminator = (words: string, { terminator }: Dialect): string =>
  terminator && words.endsWith(terminator) ? words.slice(0, -1).trimEnd() : words;

/** Returns the end of the line without the remark after its statement, such as `## SECRET-DATA`. */
function withoutRemark({ text, from, to }: Source, { terminator }: Dialect): number {
  if (!terminator) return to;
  let unquoted = from;
  for (
    let at = indexBetween(text, HASH, from + 2, to);
    at !== -1;
    at = indexBetween(text, HASH, at + 1, to)
  ) {
    const before = text.charCodeAt(at - 2);
    const ends = before === SEMICOLON || before === OPEN_BRACE || before === CLOSE_BRACE;
    if (!ends || !isBlank(text.charCodeAt(at - 1))) continue;
    if (unquoted < at) unquoted = behindQuotes(text, unquoted, at, to);
    if (unquoted <= at) return at - 1;
  }
  return to;
}

/**
 * Returns the first offset outside quotes that is not before `place`.
 *
 * @param from an offset outside quotes, before `place`
 */
function behindQuotes(text: string, from: number, place: number, to: number): number {
  let at = from;
  while (at < place) {
    const open = indexBetween(text, QUOTE, at, place);
    const close = open === -1 ? -1 : closingQuote(text, open + 1, to);
    // A quote that is not closed on its line opens no text.
    if (close === -1) return place;
    at = close + 1;
  }
  return at;
}

/** Returns whether a line contains braces or more than one statement, outside quotes. */
function hasInner(text: string, from: number, to: number): boolean {
  for (let at = from; at < to - 1; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const close = closingQuote(text, at + 1, to);
      if (close === -1) return false;
      at = close;
    } else if (code === SEMICOLON || (code === OPEN_BRACE && text.charCodeAt(to - 1) === CLOSE_BRACE))
      return true;
  }
  return false;
}

/** Reads the statements and braces of one line. */
function readInner(reading: BracedText, from: number, to: number): void {
  const { source } = reading;
  const { text } = source;
  let begun = from;
  const leaf = (end: number) => {
    const words = wordsBetween(text, begun, end).trim();
    if (words) add(reading, words);
  };
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const close = closingQuote(text, at + 1, to);
      if (close !== -1) at = close;
    } else if (code === OPEN_BRACE) {
      while (begun < at && isBlank(text.charCodeAt(begun))) begun++;
      opens(reading, begun, at);
      begun = at + 1;
    } else if (code === SEMICOLON || code === CLOSE_BRACE) {
      leaf(at);
      begun = at + 1;
      if (code === CLOSE_BRACE) closeOnLine(reading);
    }
  }
  leaf(to);
  while (reading.recovers && reading.open?.line === source.line) {
    warnUnmatched(reading, source.line, NOT_CLOSED);
    closeOpen(reading, '}');
  }
}
