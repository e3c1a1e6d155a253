import { jinjaError } from './jinja-error.ts';

/** One token of an expression; `at` is its offset in the template. */
export type Token = { kind: 'name' | 'number' | 'string' | 'mark' | 'end'; value: string; at: number };

/** A piece of a template: verbatim text between two offsets, `{{ }}`, or `{% %}`. */
export type Piece =
  | { kind: 'text'; from: number; to: number }
  | { kind: 'output' | 'tag'; at: number; tokens: Token[] };

const OPEN = /\{[{%#]/g;
const END_RAW = /\{%[-+]?\s*endraw\s*([-+]?)%\}/g;
const TOKEN =
  /(?<name>[A-Za-z_]\w*)|(?<number>\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|(?<string>"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*')|(?<mark>\/\/|\*\*|[=!<>]=|[-+*/%~<>=.,:|()[\]{}])/y;
const BLANK = /[ \t\r\n]*/y;

const CLOSE = { '{{': '}}', '{%': '%}' } as const;

/**
 * Splits a template into text, outputs and tags. Comments are dropped, `raw` blocks are text, and whitespace control
 * (`-`) is applied.
 *
 * @returns the pieces in their order
 * @throws JinjaError for unclosed tags and invalid tokens
 */
export function splitTemplate(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  let trimNext = false;

  const push = (to: number, trimEnd: boolean) => {
    const start = trimNext ? skipBlanks(text, from, to) : from;
    const end = trimEnd ? dropBlanks(text, start, to) : to;
    if (end > start) pieces.push({ kind: 'text', from: start, to: end });
    trimNext = false;
  };

  for (;;) {
    OPEN.lastIndex = from;
    const open = OPEN.exec(text);
    if (!open) {
      push(text.length, false);
      return pieces;
    }
    const at = open.index;
    const control = text.charAt(at + 2);
    push(at, control === '-');
    const inner = at + (control === '-' || control === '+' ? 3 : 2);

    if (open[0] === '{#') {
      const close = endOfComment(text, at);
      trimNext = text.charAt(close - 1) === '-' && close - 1 >= inner;
      from = close + 2;
      continue;
    }

    const output = open[0] === '{{';
    const { tokens, end, trim } = readTokens(text, at, inner, CLOSE[output ? '{{' : '{%']);
    from = end;
    trimNext = trim;
    if (!output && tokens[0]?.value === 'raw' && tokens.length === 2) {
      const close = endOfRaw(text, at, from);
      push(close.index, text.charAt(close.index + 2) === '-');
      trimNext = close[1] === '-';
      from = close.index + close[0].length;
    } else {
      pieces.push({ kind: output ? 'output' : 'tag', at, tokens });
    }
  }
}

function endOfComment(text: string, at: number): number {
  const close = text.indexOf('#}', at + 2);
  if (close === -1) throw jinjaError(text, at, 'the comment is not closed: #} is missing');
  return close;
}

function endOfRaw(text: string, at: number, from: number): RegExpExecArray {
  END_RAW.lastIndex = from;
  const close = END_RAW.exec(text);
  if (!close) throw jinjaError(text, at, 'raw is not closed: {% endraw %} is missing');
  return close;
}

function readTokens(text: string, at: number, inner: number, close: string) {
  const tokens: Token[] = [];
  const open: string[] = [];
  let place = inner;
  for (;;) {
    BLANK.lastIndex = place;
    BLANK.test(text);
    place = BLANK.lastIndex;
    if (open.length === 0) {
      const dash = /[-+]/.test(text.charAt(place)) && text.startsWith(close, place + 1);
      if (dash || text.startsWith(close, place)) {
        tokens.push({ kind: 'end', value: close, at: place });
        return { tokens, end: place + close.length + (dash ? 1 : 0), trim: text.charAt(place) === '-' };
      }
    }
    if (place >= text.length) throw jinjaError(text, at, `${close} is missing`);
    TOKEN.lastIndex = place;
    const groups = TOKEN.exec(text)?.groups;
    if (!groups) throw jinjaError(text, place, `unexpected ${JSON.stringify(text.charAt(place))}`);
    const token = tokenOf(groups, place);
    if (token.kind === 'mark') balance(text, open, token);
    tokens.push(token);
    place = TOKEN.lastIndex;
  }
}

function tokenOf({ name, number, string, mark }: Record<string, string | undefined>, at: number): Token {
  if (name !== undefined) return { kind: 'name', value: name, at };
  if (number !== undefined) return { kind: 'number', value: number, at };
  if (string !== undefined) return { kind: 'string', value: unescaped(string.slice(1, -1)), at };
  return { kind: 'mark', value: mark ?? '', at };
}

const PAIRS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

function balance(text: string, open: string[], { value, at }: Token): void {
  if (value === '(' || value === '[' || value === '{') open.push(value);
  const wanted = PAIRS[value];
  if (wanted !== undefined && open.pop() !== wanted) throw jinjaError(text, at, `unexpected ${value}`);
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/** Resolves the backslash escapes of a string; an unknown escape stays as it is written, as in Python. */
const unescaped = (text: string): string =>
  text.replace(
    /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|([\s\S]))/g,
    (whole, x?: string, u?: string, mark = '') => {
      const code = x ?? u;
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
      if (mark === '\\' || mark === '"' || mark === "'") return mark;
      return ESCAPES[mark] ?? whole;
    },
  );

function skipBlanks(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && isBlank(text.charCodeAt(at))) at++;
  return at;
}

function dropBlanks(text: string, from: number, to: number): number {
  let at = to;
  while (at > from && isBlank(text.charCodeAt(at - 1))) at--;
  return at;
}

const isBlank = (code: number) => code === 32 || (code >= 9 && code <= 13);
