import { RE2JS, RE2JSSyntaxException } from 're2js';

/** A compiled expression: tests whether a text contains a match, in time linear to the text. */
export type Pattern = { test(text: string): boolean };

/** Thrown for an expression that is invalid or too costly; `position` is the index of the character, from 0. */
export class PatternError extends Error {
  readonly position: number;
  constructor(reason: string, position: number) {
    super(`the expression is rejected at position ${position}: ${reason}`);
    this.name = 'PatternError';
    this.position = position;
  }
}

/** Most characters of an expression and most steps of its program: a test costs at most steps × characters of the text. */
export type Bounds = { longest: number; steps: number };
const FILTERS: Bounds = { longest: 1000, steps: 2000 };

/**
 * Compiles an RE2 expression: case-sensitive unless it says `(?i)`, not anchored, never backtracking.
 *
 * @param source the expression
 * @throws PatternError for what RE2 does not support (look-arounds, back-references), a mistake, or too large a program
 * @see contract/endpoints#4.4
 */
export function compilePattern(source: string): Pattern {
  const expression = compileExpression(source, FILTERS);
  return { test: (text) => expression.test(text) };
}

/**
 * Compiles an RE2 expression whose groups are needed, or which may be larger than that of a filter.
 *
 * @param source the expression
 * @param flags those of RE2JS, including the one that enables look-behinds
 * @throws PatternError as `compilePattern` does
 */
export function compileExpression(source: string, { longest, steps }: Bounds, flags = 0): RE2JS {
  if (source.length > longest) throw new PatternError(`longer than ${longest} characters`, longest);
  assertCompilable(source, steps);
  const expression = compile(source, flags);
  if (expression.programSize() > steps) throw new PatternError(TOO_LARGE, source.length);
  return expression;
}

const TOO_LARGE = 'too large after its repetitions are expanded';

function compile(source: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(source, flags);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    throw new PatternError(reasonOf(error), positionOf(error, source));
  }
}

function reasonOf({ error, input }: RE2JSSyntaxException): string {
  if (/^\(\?<?[=!]/.test(input ?? '')) return 'look-arounds are not supported';
  if (/^\\([1-9]|k)/.test(input ?? '') || input === '(?P')
    return `${error}: back-references are not supported`;
  return error;
}

/** Most positions tried before the last is used: an expression may validly contain the same piece many times. */
const MOST_TRIES = 16;

/**
 * Returns the position of an error. RE2 names only the faulty piece: this is the first position where the expression,
 * cut after it, is faulty in the same respect.
 */
function positionOf({ error, input }: RE2JSSyntaxException, source: string): number {
  if (error === 'unexpected )') return unexpectedParen(source);
  if (error === 'missing closing ]' && input) return source.length - input.length;
  if (error.startsWith('trailing backslash')) return source.length - 1;
  if (error === 'missing closing )' || !input) return source.length;
  let position = source.indexOf(input);
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const next = source.indexOf(input, position + 1);
    if (next === -1 || breaksAlike(error, source.slice(0, next))) break;
    position = next;
  }
  return Math.max(position, 0);
}

function breaksAlike(reason: string, source: string): boolean {
  try {
    RE2JS.compile(source);
    return false;
  } catch (error) {
    return error instanceof RE2JSSyntaxException && error.error === reason;
  }
}

/** Returns the index of the first closing parenthesis without an opening one. */
function unexpectedParen(source: string): number {
  let open = 0;
  for (const { text, at } of piecesOf(source)) {
    if (text === '(') open++;
    if (text === ')' && --open < 0) return at;
  }
  return source.length;
}

/** Rejects expressions that would take long to compile, by a rough count of steps with repetitions expanded. */
function assertCompilable(source: string, most: number): void {
  const outer: number[] = [];
  let size = 0;
  let last = 0;
  for (const { text, at } of piecesOf(source)) {
    const times = repetitions(text);
    if (text === '(') {
      outer.push(size);
      size = 0;
    } else if (text === ')') {
      last = size;
      size += outer.pop() ?? 0;
    } else if (times !== null) {
      size += last * Math.max(times - 1, 0);
      last *= Math.max(times, 1);
    } else {
      last = text.startsWith('\\Q') ? text.length : 1;
      size += last;
    }
    if (size > most) throw new PatternError(TOO_LARGE, at);
  }
}

/** Returns how often `{n}` or `{n,m}` repeats the preceding piece; null for any other piece. */
function repetitions(text: string): number | null {
  const [, least, most] = /^\{(\d+)(?:,(\d*))?\}$/.exec(text) ?? [];
  return least === undefined ? null : Math.max(Number(least), Number(most ?? 0));
}

const PIECE =
  /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:\w+:\]|[^\]\\])*\]?|\{\d+(?:,\d*)?\}|[\s\S]/gu;

/** Splits an expression into quoted text, escapes, classes, repetitions and single characters. */
const piecesOf = (source: string) =>
  [...source.matchAll(PIECE)].map(({ 0: text, index: at }) => ({ text, at }));
