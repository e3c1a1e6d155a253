import { RE2JS } from 're2js';
import type { LexRule } from '#db/schemas/golden-config/config-parser.ts';
import type { Dialect } from '#server/platforms/record/grammar.ts';
import { parentOf, sectionClosed } from '../dialects/indent.ts';
import { keywordCloses } from '../dialects/keyword.ts';
import { NEWLINE, TAB } from './characters.ts';
import type { ConfigLine, ParsedConfig } from './config-line.ts';
import { indentFlushSections } from './flush-sections.ts';
import { isBlank } from './source.ts';

/** A compiled rule: its expression after one preceding character, and its expression at the start of a text. */
type Lexer = { token: LexRule[1]; within: RE2JS; atStart: RE2JS };

/** Longest token, in characters: expressions see no further, which bounds the reading time. */
const LONGEST_TOKEN = 16_384;

/** Number of tokens between two yields. */
const STRIDE = 4;

/** The state of the reader while tokens arrive. */
type ReaderState = {
  parsed: ParsedConfig;
  dialect: Dialect;
  words: string[];
  /** Line number of the first word; `indent` is its column. */
  line: number;
  indent: number;
  /** The innermost section whose brace is open, or the open section of a keyword dialect. */
  open: ConfigLine | null;
  last: ConfigLine | null;
};

/** A place in the text, with the number of its line, from 1, and where that begins. */
type TextPlace = { at: number; line: number; lineStart: number };

/**
 * Reads a configuration by the lex rules of a parser document: at each position the first matching rule wins, and blanks
 * that no rule matches separate words (contract/lifecycle#4.4). Braces open and close sections; other nesting follows the
 * base grammar. Text that no rule matches becomes a word, with a warning.
 *
 * Yields every few tokens, so that a caller can limit the time spent on user input.
 */
export function* readByRules(
  given: string,
  rules: readonly LexRule[],
  dialect: Dialect,
): Generator<void, ParsedConfig, undefined> {
  const { text, warnings } = indentFlushSections(given, dialect);
  const lexers = rules.map(lexerOf);
  const state: ReaderState = {
    parsed: { lines: [], warnings, ...(dialect.structure === 'brace' && { braces: true }) },
    dialect,
    words: [],
    line: 0,
    indent: 0,
    open: null,
    last: null,
  };
  const place: TextPlace = { at: 0, line: 1, lineStart: 0 };
  if (text.charCodeAt(0) === 0xfeff) place.at = place.lineStart = 1;
  let tokens = 0;
  while (place.at < text.length) {
    if (++tokens % STRIDE === 0) yield;
    const found = tokenAt(text, place.at, lexers);
    const end = found?.end ?? endOfWord(text, place.at);
    const piece = text.slice(place.at, end);
    if (found || !isGap(text.charCodeAt(place.at))) {
      if (!found) {
        state.parsed.warnings.push({ line: place.line, reason: `no rule matches ${piece.slice(0, 40)}` });
      }
      beginLine(state, text, place);
      addToken(state, found?.token ?? 'word', piece);
    }
    moveTo(place, text, end);
  }
  endLine(state);
  if (state.open && !dialect.keywords?.path) {
    state.parsed.warnings.push({ line: state.open.line, reason: 'the section is not closed' });
  }
  return state.parsed;
}

function lexerOf([expression, token]: LexRule): Lexer {
  // The preceding character stays visible, so that `(?m)^` and `\b` keep their meaning.
  const within = RE2JS.compile(`^(?s:.)(?:${expression})`);
  return { token, within, atStart: RE2JS.compile(`^(?:${expression})`) };
}

function tokenAt(
  text: string,
  at: number,
  lexers: readonly Lexer[],
): { token: LexRule[1]; end: number } | undefined {
  const before = at === 0 ? 0 : 1;
  const window = text.slice(at - before, at + LONGEST_TOKEN);
  for (const { token, within, atStart } of lexers) {
    const matcher = (before ? within : atStart).matcher(window);
    if (!matcher.lookingAt()) continue;
    const end = at - before + matcher.end();
    if (end > at) return { token, end };
  }
  return undefined;
}

/** Notes where a line begins; a later statement on the same line keeps the indentation of the first one. */
function beginLine(state: ReaderState, text: string, { at, line, lineStart }: TextPlace): void {
  if (state.words.length > 0) return;
  if (line !== state.line) state.indent = columnsBetween(text, lineStart, at);
  state.line = line;
}

function addToken(state: ReaderState, token: LexRule[1], piece: string): void {
  const { dialect, words } = state;
  if (token === 'word') words.push(piece);
  else if (token === 'end_line') endLine(state);
  else if (token === 'open_statement_block') {
    const section = endLine(state, true);
    if (section) state.open = section;
  } else if (token === 'close_statement_block') closeBlock(state, piece);
  else if (words.length === 0 && state.indent === 0 && piece.trim() === dialect.separator) state.last = null;
}

function closeBlock(state: ReaderState, piece: string): void {
  endLine(state);
  const { open, parsed, line } = state;
  if (!open) {
    parsed.warnings.push({ line, reason: `${piece} closes nothing` });
    return;
  }
  open.end = piece;
  state.last = open;
  state.open = open.parent;
}

/** Adds the words so far as a line; an opening brace adds one even without words. */
function endLine(state: ReaderState, opens = false): ConfigLine | undefined {
  const { words, dialect, parsed, line, indent, last } = state;
  if (words.length === 0 && !opens) return undefined;
  const text = words.join(' ');
  state.words = [];
  const closed = closedBy(state, text);
  if (closed) {
    closed.end = text;
    return undefined;
  }
  const { open } = state;
  const parent = dialect.structure === 'indent' && !open ? parentOf(last, indent) : open;
  const node: ConfigLine = { text, line, indent, parent, children: [] };
  (parent?.children ?? parsed.lines).push(node);
  state.last = node;
  if (!opens && opensKeyword(dialect, text, words)) state.open = node;
  return node;
}

function opensKeyword({ keywords }: Dialect, text: string, words: readonly string[]): boolean {
  if (!keywords) return false;
  return keywords.path ? text.startsWith(keywords.path) : keywords.open.includes(words[0] ?? '');
}

function closedBy(state: ReaderState, text: string): ConfigLine | null {
  const { dialect, last, indent, open } = state;
  if (dialect.keywords) {
    const path = dialect.keywords.path;
    if (path && text.startsWith(path)) state.open = null;
    const closed = keywordCloses(open, text, dialect);
    if (closed) state.open = closed.parent;
    return closed;
  }
  return dialect.closers.includes(text) && !open
    ? (sectionClosed(last, indent, dialect, state.parsed) ?? null)
    : null;
}

const isGap = (code: number): boolean => isBlank(code) || code === NEWLINE;

/** Returns where the word, or the single blank or line end, at a place ends. */
function endOfWord(text: string, from: number): number {
  let at = from + 1;
  if (isGap(text.charCodeAt(from))) return at;
  while (at < text.length && !isGap(text.charCodeAt(at))) at++;
  return at;
}

function moveTo(place: TextPlace, text: string, end: number): void {
  for (; place.at < end; place.at++) {
    if (text.charCodeAt(place.at) !== NEWLINE) continue;
    place.line++;
    place.lineStart = place.at + 1;
  }
}

function columnsBetween(text: string, from: number, to: number): number {
  let columns = 0;
  for (let at = from; at < to; at++)
    columns = text.charCodeAt(at) === TAB ? columns - (columns % 8) + 8 : columns + 1;
  return columns;
}
