import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '../parsing/characters.ts';
import type { ConfigLine, ParsedConfig } from '../parsing/config-line.ts';
import { closingQuote, isBlank, type Source, sourceOf } from '../parsing/source.ts';
import { isIndented, warnUnmatched } from './columns.ts';

/**
 * Reads JSON as lines: a property is its name and value; one that holds an object or array is a line with children; an
 * object or array without a name has empty text. Commas end lines, colons separate words. Invalid JSON is read likewise.
 */
export function readJson(text: string): ParsedConfig {
  const first = readText(text, false);
  if (first.matches || !isIndented(sourceOf(text), opens, closes)) return first.parsed;
  return readText(text, true).parsed;
}

const opens = ({ text, to }: Source): boolean => '{['.includes(text.charAt(to - 1));
const closes = ({ text, from }: Source): boolean => '}]'.includes(text.charAt(from));

/** A text that is being read, up to some place. */
type JsonText = {
  text: string;
  /** Whether the columns of lines decide which brackets match. */
  recovers: boolean;
  parsed: ParsedConfig;
  /** Whether every bracket so far has a counterpart. */
  matches: boolean;
  /** The innermost open line. */
  open: ConfigLine | null;
  /** The open brackets: their column, their line, and their closing character. */
  brackets: { column: number; line: number; closer: string }[];
  /** The words of the line that is being read, and the number of the source line in which they begin. */
  words: string[];
  begun: number;
  /** The current source line: its number, its column, and whether nothing of it was read. */
  line: number;
  column: number;
  isFirst: boolean;
  /** End of the current line as last searched for, and the last line that has an unclosed quote. */
  lineEnd: number;
  unclosed: number;
};

/** Reads a text once. @returns the configuration, and whether every bracket has a counterpart */
function readText(text: string, recovers: boolean): Pick<JsonText, 'parsed' | 'matches'> {
  const reading: JsonText = {
    text,
    recovers,
    parsed: { lines: [], warnings: [], braces: true },
    matches: true,
    open: null,
    brackets: [],
    words: [],
    begun: 1,
    line: 1,
    column: 0,
    isFirst: true,
    lineEnd: -1,
    unclosed: 0,
  };
  let at = text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0;
  while (at < text.length) at = readAt(reading, at);
  endLine(reading);
  if (reading.open) warnUnmatched(reading, reading.open.line, 'the bracket is not closed');
  return reading;
}

/** Reads what begins at an offset. @returns the offset after it */
function readAt(reading: JsonText, at: number): number {
  const { text } = reading;
  const code = text.charCodeAt(at);
  if (code === NEWLINE) {
    reading.line++;
    reading.column = columnOf(text, at + 1);
    reading.isFirst = true;
    return at + 1;
  }
  if (isBlank(code) || code === COLON) return at + 1;
  const isFirst = reading.isFirst;
  reading.isFirst = false;
  const isCloser = code === CLOSE_BRACE || code === CLOSE_BRACKET;
  if (reading.recovers && isFirst) leaveTo(reading, isCloser ? reading.column + 1 : reading.column);
  if (isCloser) closeBracket(reading, text.charAt(at), isFirst);
  else if (code === OPEN_BRACE || code === OPEN_BRACKET)
    openBracket(reading, code === OPEN_BRACE ? '}' : ']');
  else if (code === COMMA) endLine(reading);
  else return takeWord(reading, at, code === QUOTE ? endOfString(reading, at) : endOfWord(text, at));
  return at + 1;
}

/** Adds the line of the words that were read. */
function addLine(reading: JsonText): ConfigLine {
  const { words, begun, line, open, parsed } = reading;
  const node: ConfigLine = {
    text: words.join(' '),
    line: words.length > 0 ? begun : line,
    indent: 0,
    parent: open,
    children: [],
  };
  (open?.children ?? parsed.lines).push(node);
  reading.words = [];
  return node;
}

function endLine(reading: JsonText): void {
  if (reading.words.length > 0) addLine(reading);
}

function takeWord(reading: JsonText, from: number, to: number): number {
  if (reading.words.length === 0) reading.begun = reading.line;
  reading.words.push(reading.text.slice(from, to));
  return to;
}

function openBracket(reading: JsonText, closer: string): void {
  reading.open = addLine(reading);
  reading.brackets.push({ column: reading.column, line: reading.line, closer });
}

function close(reading: JsonText, end: string): void {
  if (reading.open) reading.open.end = end;
  reading.open = reading.open?.parent ?? null;
  reading.brackets.pop();
}

/** Closes the brackets that the current line has left by its column. */
function leaveTo(reading: JsonText, column: number): void {
  const { brackets } = reading;
  for (let top = brackets.at(-1); top && top.column >= column; top = brackets.at(-1)) {
    endLine(reading);
    warnUnmatched(reading, top.line, 'the bracket is not closed');
    close(reading, top.closer);
  }
}

/** Reads a closing bracket. @param isFirst whether it begins its line: then columns can show what it closes */
function closeBracket(reading: JsonText, closer: string, isFirst: boolean): void {
  endLine(reading);
  const { recovers, column, line } = reading;
  const top = reading.brackets.at(-1);
  const isOwn = !recovers || (isFirst ? top?.column === column : top?.line === line);
  if (!top || !isOwn) {
    warnUnmatched(reading, line, 'the closing bracket has no opening bracket');
    return;
  }
  if (top.closer !== closer)
    warnUnmatched(reading, line, 'the closing bracket does not match the opening bracket');
  close(reading, recovers ? top.closer : closer);
}

/** Returns the end of a JSON string, which ends on its line; that of a word when its quote is not closed. */
function endOfString(reading: JsonText, at: number): number {
  const { text, line } = reading;
  if (reading.lineEnd < at) reading.lineEnd = endOfLine(text, at);
  // A second quote of the line has no end either: the rest of the line is not searched again.
  const closed = reading.unclosed === line ? -1 : closingQuote(text, at + 1, reading.lineEnd);
  if (closed !== -1) return closed + 1;
  reading.unclosed = line;
  reading.parsed.warnings.push({ line, reason: 'a quote is not closed' });
  return endOfWord(text, at);
}

/** Returns the column of a line's first non-blank character. */
function columnOf(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBlank(text.charCodeAt(at))) at++;
  return at - from;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

const BYTE_ORDER_MARK = 0xfeff;

function endOfWord(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === NEWLINE || isBlank(code) || '{}[],:"'.includes(text.charAt(at))) return at;
    at++;
  }
  return at;
}
