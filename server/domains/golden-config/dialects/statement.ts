import type { Dialect } from '#server/platforms/record/grammar.ts';
import { BACKSLASH, QUOTE } from '../parsing/characters.ts';
import type { ParseWarning } from '../parsing/config-line.ts';
import {
  closingQuote,
  indexBetween,
  isBlank,
  nextLine,
  type Source,
  wordsBetween,
} from '../parsing/source.ts';
import type { Missing } from './blocks.ts';

/** A statement that spans several lines: its words and its position. */
export type Statement = { text: string; line: number; indent: number };

/**
 * Reads the statement that the current line begins when it continues on later lines: in an open quote, or after a
 * backslash. Leaves the source at the statement's last line.
 *
 * @returns undefined for a statement of one line
 */
export function wholeStatement(
  source: Source,
  { multilineQuotes, continued }: Dialect,
  missing: Missing,
  warnings: ParseWarning[],
): Statement | undefined {
  const { text, to } = source;
  // A backslash alone, or at the end of the text, has nothing to join.
  if (
    continued &&
    text.charCodeAt(to - 1) === BACKSLASH &&
    to - source.from > 1 &&
    source.next < text.length
  ) {
    return continuedStatement(source);
  }
  if (!multilineQuotes || missing.has('"')) return undefined;
  return quotedStatement(source, missing, warnings);
}

/** Joins the lines at their backslashes; drops the indentation of continuation lines. */
function continuedStatement(source: Source): Statement {
  const { text, line, indent } = source;
  const pieces: string[] = [];
  let goesOn = true;
  let to = source.to;
  while (goesOn) {
    goesOn = text.charCodeAt(source.to - 1) === BACKSLASH;
    to = source.to;
    pieces.push(text.slice(source.from, goesOn ? to - 1 : to));
    goesOn = goesOn && nextLine(source);
  }
  const joined = pieces.join('');
  return {
    text: withoutBackslashes(wordsBetween(joined, 0, joined.length)),
    line,
    indent,
  };
}

/** Removes the backslashes and blanks left at the end when a blank line continues the statement. */
function withoutBackslashes(words: string): string {
  let end = words.length;
  while (end > 1 && (words.charCodeAt(end - 1) === BACKSLASH || isBlank(words.charCodeAt(end - 1)))) end--;
  return words.slice(0, end);
}

function quotedStatement(source: Source, missing: Missing, warnings: ParseWarning[]): Statement | undefined {
  const { text, line, indent, from } = source;
  let open = openQuote(text, from, source.to);
  if (open === -1) return undefined;
  while (open !== -1) {
    const close = closingQuote(text, open + 1, text.length);
    if (close === -1) missing.add('"');
    if (close === -1 || !endsText(text, close)) {
      warnings.push({ line: source.line, reason: 'a quote is not closed' });
      break;
    }
    while (source.next <= close && nextLine(source));
    open = openQuote(text, close + 1, source.to);
  }
  if (source.line === line) return undefined;
  const words = lineEnds(text.slice(from, source.to));
  return { text: wordsBetween(words, 0, words.length), line, indent };
}

/**
 * Returns whether the quote at `close`, in a later line, ends the open text. If that quote opens the next value instead,
 * the open text has lost its closing quote and ends with its own line.
 */
function endsText(text: string, close: number): boolean {
  if (!endsValue(text.charCodeAt(close + 1))) return false;
  const end = text.indexOf('\n', close);
  const lineEnd = end === -1 ? text.length : end;
  const afterBlank = isBlank(text.charCodeAt(close - 1));
  if (openQuote(text, close + 1, lineEnd) !== -1) return !afterBlank;
  // A quote between a blank and the line's end may also open a text of several lines: the next quote decides.
  if (!afterBlank || wordsBetween(text, close + 1, lineEnd).trim() !== '') return true;
  const next = indexBetween(text, QUOTE, close + 1, text.length);
  return next === -1 || !endsValue(text.charCodeAt(next + 1));
}

const VALUE_ENDS = new Set([...'\n;,{}[]()'].map((character) => character.charCodeAt(0)));

/** Returns whether the character after a quote shows that the quote ends a value. */
const endsValue = (code: number): boolean => Number.isNaN(code) || isBlank(code) || VALUE_ENDS.has(code);

const lineEnds = (text: string) => (text.includes('\r') ? text.replaceAll('\r\n', '\n') : text);

/** Returns the offset of a quote that is not closed before `to`; -1 when there is none. Ignores escaped quotes. */
function openQuote(text: string, from: number, to: number): number {
  let at = indexBetween(text, QUOTE, from, to);
  while (at !== -1) {
    const close = text.charCodeAt(at - 1) === BACKSLASH ? at : closingQuote(text, at + 1, to);
    if (close === -1) return at;
    at = indexBetween(text, QUOTE, close + 1, to);
  }
  return -1;
}
