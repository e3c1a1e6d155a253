import { RE2JS, RE2JSSyntaxException } from 're2js';

/** A compiled expression: whether a text holds a match anywhere, in time linear to the text. */
export type Pattern = { test(text: string): boolean };

/** An expression that is wrong or too costly; `position` is the index of the character where, from 0. */
export class PatternRefused extends Error {
  readonly position: number;
  constructor(reason: string, position: number) {
    super(`the expression is refused at position ${position}: ${reason}`);
    this.name = 'PatternRefused';
    this.position = position;
  }
}

/** Characters of an expression, and steps of its program: a test costs at most steps × characters of the text. */
export type Bounds = { longest: number; steps: number };
const FILTERS: Bounds = { longest: 1000, steps: 2000 };

/**
 * Compile an RE2 expression: case-sensitive unless it says `(?i)`, not anchored, never backtracking.
 *
 * @throws PatternRefused for what RE2 does not know (look-arounds, back-references), a mistake, or too large a program
 * @see contract/endpoints#4.4
 */
export function compilePattern(source: string): Pattern {
  const expression = compileExpression(source, FILTERS);
  return { test: (text) => expression.test(text) };
}

/**
 * Compile an RE2 expression whose groups are wanted, or which may be larger than that of a filter.
 *
 * @param flags those of RE2JS; look-behinds are understood when they say so
 * @throws PatternRefused as `compilePattern` does
 */
export function compileExpression(source: string, { longest, steps }: Bounds, flags = 0): RE2JS {
  if (source.length > longest) throw new PatternRefused(`longer than ${longest} characters`, longest);
  refuseLarge(source, steps);
  const expression = compile(source, flags);
  if (expression.programSize() > steps) throw new PatternRefused(TOO_LARGE, source.length);
  return expression;
}

const TOO_LARGE = 'too large once its repetitions are written out';

function compile(source: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(source, flags);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    throw new PatternRefused(reasonOf(error), positionOf(error, source));
  }
}

function reasonOf({ error, input }: RE2JSSyntaxException): string {
  if (/^\(\?<?[=!]/.test(input ?? '')) return 'look-arounds are not supported';
  if (/^\\([1-9]|k)/.test(input ?? '') || input === '(?P')
    return `${error}: back-references are not supported`;
  return error;
}

/** Places tried before settling for the last: an expression may hold the same piece many times, rightly. */
const MOST_TRIES = 16;

/** RE2 names the piece that is wrong, not where: the first place where the expression, cut after it, is wrong too. */
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

/** The first parenthesis that closes nothing. */
function unexpectedParen(source: string): number {
  let open = 0;
  for (const { text, at } of piecesOf(source)) {
    if (text === '(') open++;
    if (text === ')' && --open < 0) return at;
  }
  return source.length;
}

/** Refuse before compiling what would take long to compile: a rough count of steps, repetitions written out. */
function refuseLarge(source: string, most: number): void {
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
    if (size > most) throw new PatternRefused(TOO_LARGE, at);
  }
}

/** How often `{n}` or `{n,m}` repeats what stands before it; null for any other piece. */
function repetitions(text: string): number | null {
  const [, least, most] = /^\{(\d+)(?:,(\d*))?\}$/.exec(text) ?? [];
  return least === undefined ? null : Math.max(Number(least), Number(most ?? 0));
}

const PIECE =
  /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:\w+:\]|[^\]\\])*\]?|\{\d+(?:,\d*)?\}|[\s\S]/gu;

/** An expression cut into quoted text, escapes, classes, repetitions and single characters. */
const piecesOf = (source: string) =>
  [...source.matchAll(PIECE)].map(({ 0: text, index: at }) => ({ text, at }));
