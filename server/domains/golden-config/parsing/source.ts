/** A text that is read a line at a time; offsets into the text, nothing is cut out of it. */
export type Source = {
  readonly text: string;
  /** Where the next line begins. */
  next: number;
  /** Number of the current line, from 1. */
  line: number;
  /** Where the current line begins, where its first and behind its last character that is not blank. */
  start: number;
  from: number;
  to: number;
  /** Columns before the first of these; a tab goes on to the next multiple of eight. */
  indent: number;
  /** Where two blanks follow each other next, or one that is no space, from a place that lies behind; see `isPlain`. */
  odd: number;
  /** No blank but spaces stands in the text. */
  readonly onlySpaces: boolean;
};

const TAB = 9;
const NEWLINE = 10;
const SPACE = 32;

/** Blanks within a line; a line's end is none, nor are the control characters that end banners. */
export const isBlank = (code: number): boolean =>
  code === SPACE || (code >= TAB && code <= 13 && code !== NEWLINE);

const OTHER_BLANKS = ['\t', '\v', '\f', '\r'];

const ENDS = /\r+\n?/g;

/**
 * A text whose every line ends in a line feed, with carriage returns before it or none. A carriage return by itself ends
 * a line too: old captures and serial lines have such, also beside others.
 */
export const withLineFeeds = (text: string): string =>
  /\r(?!\n)/.test(text)
    ? text.replace(ENDS, (end) => (end.endsWith('\n') ? end : '\n'.repeat(end.length)))
    : text;

/** Begin to read a text; a byte order mark is no part of it. */
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

/** Go to the next line, an empty one too: false at the end of the text. */
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

/** The current line without blanks at its end. */
export const rawLine = ({ text, start, from, to }: Source): string =>
  from === to ? '' : text.slice(start, to);

/** Whether words are parted by single spaces, so that they need not be joined. */
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
/** The same for a text whose blanks are spaces: it costs half. */
const TWO_SPACES = / {2}/g;

/** Whether the current line's words are parted by single spaces: the text is looked through once, not each line. */
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
 * The words from one place to another joined by single spaces. Text in double quotes keeps its blanks; a quote that
 * nothing closes is a character like others.
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
    if (code === 34) {
      const close = quoted ? closingQuote(text, at + 1, to) : -1;
      // What one quote does not find, none behind it would: looking again would take the square of the length.
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

/** Where the quote is closed that was opened before `from`; -1 when it is not closed before `to`. */
export function closingQuote(text: string, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code === 92) at++;
    else if (code === 34) return at;
  }
  return -1;
}

/** Where a character stands between two places; -1 when it does not: the text beyond is not looked through. */
export function indexBetween(text: string, code: number, from: number, to: number): number {
  for (let at = from; at < to; at++) if (text.charCodeAt(at) === code) return at;
  return -1;
}

/** The words of a line; a text in double quotes is one word, quotes and all. */
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
    const close = code === 34 && quoted ? closingQuote(text, at + 1, text.length) : -1;
    if (code === 34 && close === -1) quoted = false;
    let end = Math.max(close, at) + 1;
    while (end < text.length && text.charCodeAt(end) !== NEWLINE && !isBlank(text.charCodeAt(end))) end++;
    words.push(text.slice(at, end));
    at = end;
  }
  return words;
}

/**
 * A copy of a text that shares no memory with what it was cut from. What is kept longer than the configuration it
 * comes from (issues, proposals) must be such a copy: the engine's strings are views, and one of them, of more than
 * twelve characters, keeps the whole configuration in memory (contract/engines#retained-text).
 */
export const flat = (text: string): string => (text.length < 13 ? text : ` ${text}`.slice(1));
