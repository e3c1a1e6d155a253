import { BACKSLASH, NEWLINE, QUOTE, RETURN, SPACE, TAB } from './characters.ts';
/** A cursor that reads a text line by line; it holds offsets and copies nothing. */
export type Source = {
  readonly text: string;
  /** Offset of the next line. */
  next: number;
  /** Number of the current line, from 1. */
  line: number;
  /** Offsets of the current line: its start, its first non-blank character, and the end of its last one. */
  start: number;
  from: number;
  to: number;
  /** Columns before `from`; a tab advances to the next multiple of eight. */
  indent: number;
  /** Offset of the next double space or other blank character, as last searched for; see `isPlain`. */
  odd: number;
  /** Whether the text contains no blanks other than spaces. */
  readonly onlySpaces: boolean;
};

/** Returns whether a character is a blank within a line; line feeds and the control characters that end banners are not. */
export const isBlank = (code: number): boolean =>
  code === SPACE || (code >= TAB && code <= RETURN && code !== NEWLINE);

const OTHER_BLANKS = ['\t', '\v', '\f', '\r'];

const ENDS = /\r+\n?/g;

/**
 * Returns the text with every line ended by a line feed. A lone carriage return ends a line too: old captures and serial
 * consoles contain them, also mixed with other line ends.
 */
export const withLineFeeds = (text: string): string =>
  /\r(?!\n)/.test(text)
    ? text.replace(ENDS, (end) => (end.endsWith('\n') ? end : '\n'.repeat(end.length)))
    : text;

/** Returns a cursor before the first line; skips a byte order mark. */
export const sourceOf = (text: string): Source => ({
  text,
  next: text.charCodeAt(0) === 0xfeff ? 1 : 0,
  line: 0,
  start: 0,
  from: 0,
  to: 0,
  indent: 0,
  odd: -1,
  onlySpaces: !OTHER_BLANKS.some((blank) => text.includes(blank)),
});

/** Moves to the next line, even an empty one; returns false at the end of the text. */
export function nextLine(source: Source): boolean {
  const { text, next } = source;
  if (next >= text.length) return false;
  let end = text.indexOf('\n', next);
  if (end === -1) end = text.length;
  source.start = next;
  source.next = end + 1;
  source.line++;
  let from = next;
  let indent = 0;
  while (from < end) {
    const code = text.charCodeAt(from);
    if (code === SPACE) indent++;
    else if (!isBlank(code)) break;
    else indent = code === TAB ? indent - (indent % 8) + 8 : indent + 1;
    from++;
  }
  let to = end;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
  source.from = from;
  source.to = to;
  source.indent = indent;
  return true;
}

/** Returns the current line without trailing blanks. */
export const rawLine = ({ text, start, from, to }: Source): string =>
  from === to ? '' : text.slice(start, to);

/** Returns whether words are already separated by single spaces, so that they need not be joined. */
function singleSpaced(text: string, from: number, to: number): boolean {
  let before = 0;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (isBlank(code) && (code !== SPACE || before === SPACE)) return false;
    before = code;
  }
  return true;
}

const ODD = / {2}|[\t\v\f\r]/g;
/** Matches what `ODD` matches in a text whose blanks are all spaces, at half the cost. */
const TWO_SPACES = / {2}/g;

/** Returns whether single spaces separate the current line's words; searches the text once, not line by line. */
export function isPlain(source: Source): boolean {
  const { from, to } = source;
  if (source.odd < from) source.odd = nextOdd(source);
  return source.odd >= to - 1;
}

function nextOdd({ text, from, onlySpaces }: Source): number {
  const odd = onlySpaces ? TWO_SPACES : ODD;
  odd.lastIndex = from;
  return odd.exec(text)?.index ?? text.length;
}

/**
 * Returns the words between two offsets, joined by single spaces. Text in double quotes keeps its blanks; an unclosed
 * quote is an ordinary character.
 */
export const wordsBetween = (text: string, from: number, to: number): string =>
  singleSpaced(text, from, to) ? text.slice(from, to) : joined(text, from, to);

function joined(text: string, from: number, to: number): string {
  const pieces: string[] = [];
  let quoted = true;
  let begun = from;
  let at = from;
  while (at < to) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const close = quoted ? closingQuote(text, at + 1, to) : -1;
      // If one quote has no closing quote, no later one has: searching again would take quadratic time.
      if (close === -1) quoted = false;
      at = Math.max(at, close) + 1;
    } else if (isBlank(code)) {
      pieces.push(text.slice(begun, at));
      while (at < to && isBlank(text.charCodeAt(at))) at++;
      begun = at;
    } else at++;
  }
  pieces.push(text.slice(begun, to));
  return pieces.join(' ');
}

/** Returns the offset of the quote that closes the one before `from`; -1 when it is not closed before `to`. */
export function closingQuote(text: string, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at;
  }
  return -1;
}

/** Returns the offset of a character between two offsets, -1 when missing; does not search the text beyond. */
export function indexBetween(text: string, code: number, from: number, to: number): number {
  for (let at = from; at < to; at++) if (text.charCodeAt(at) === code) return at;
  return -1;
}

/** Returns the words of a line; text in double quotes is one word, including the quotes. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  let quoted = true;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === NEWLINE || isBlank(code)) {
      at++;
      continue;
    }
    const close = code === QUOTE && quoted ? closingQuote(text, at + 1, text.length) : -1;
    if (code === QUOTE && close === -1) quoted = false;
    let end = Math.max(close, at) + 1;
    while (end < text.length && text.charCodeAt(end) !== NEWLINE && !isBlank(text.charCodeAt(end))) end++;
    words.push(text.slice(at, end));
    at = end;
  }
  return words;
}

/**
 * Returns a copy of a text that shares no memory with the text it was sliced from. Strings kept longer than their
 * configuration (issues, proposals) must be such copies: JavaScript engines keep the whole configuration in memory for a
 * slice of more than twelve characters (contract/engines#retained-text).
 */
export const flat = (text: string): string => (text.length < 13 ? text : ` ${text}`.slice(1));
