import type { RE2JS } from 're2js';
import { compileExpression, PatternError } from '#server/kernel/documents/list-filter.ts';
import { BOUNDS } from './bounds.ts';

/** The texts of the named groups of a match; null for a group that took no part. */
export type Groups = Record<string, string | null>;

/** An expression that a line must begin with. */
export type LineExpression = {
  /** Its named groups, in their order. */
  names: readonly string[];
  /** Size of its program: the maximum cost per character. */
  steps: number;
  /** Returns the named groups when the line begins with a match. */
  match: (line: string) => Groups | null;
};

/** What RE2 does not have: look-arounds, back-references, and more than 999 repetitions. */
const BACKTRACKING = /\(\?<?[=!]|\(\?P=|\\[1-9]|\{(?:\d+,)?\d{4,}\}/;

/**
 * Returns whether a template may have expressions whose time grows faster than the text: those are run in a thread that can be
 * ended, never on the event loop.
 */
export const mayBacktrack = (template: string): boolean => BACKTRACKING.test(template);

/**
 * Compiles an expression of a template, in Python's syntax: as RE2, which takes linear time, or, where it has look-arounds or
 * back-references, as one of JavaScript.
 *
 * @param source without the beginning of the line
 * @throws PatternError
 */
export function compileLine(source: string): LineExpression {
  return BACKTRACKING.test(source) ? backtracking(source) : linear(source);
}

function linear(source: string): LineExpression {
  const ascii = compileExpression(source, BOUNDS.expression);
  const names = Object.entries(ascii.namedGroups()).sort(([, a], [, b]) => a - b);
  // Classes as Python has them: of all scripts. Most lines have ASCII alone, where those of RE2 are the same and faster.
  const wide = withWideClasses(source);
  let unicode: RE2JS | undefined;
  return {
    names: names.map(([name]) => name),
    steps: ascii.programSize(),
    match: (line) => {
      if (wide === source || IS_ASCII.test(line)) return matchOf(ascii, line);
      unicode ??= compiledOr(wide, ascii);
      return matchOf(unicode, line);
    },
  };
}

const IS_ASCII = /^[\0-\x7f]*$/;

/** Compiles an expression, or returns another one where it would be too large. */
function compiledOr(source: string, otherwise: RE2JS): RE2JS {
  try {
    return compileExpression(source, { longest: BOUNDS.expression.longest * 4, steps: WIDE_STEPS });
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return otherwise;
  }
}

/** Most steps of an expression with wide classes: a class of a script is one step. */
const WIDE_STEPS = BOUNDS.expression.steps * 2;

function matchOf(expression: RE2JS, line: string): Groups | null {
  // `test` alone is much faster than matching groups, and most rules do not match most lines.
  if (!expression.test(line)) return null;
  const matcher = expression.matcher(line);
  return matcher.lookingAt() ? { ...matcher.getNamedGroups() } : null;
}

const WIDE: Readonly<Record<string, string>> = {
  '\\w': '\\p{L}\\p{N}_',
  '\\d': '\\p{Nd}',
  '\\s': '\\s\\v\\x1c-\\x1f\\x85\\p{Z}',
};

/** Writes `\w`, `\d` and `\s`, and their opposites outside of brackets, as classes of all scripts. */
function withWideClasses(source: string): string {
  let inBrackets = false;
  return source.replace(/\\.|\[\^?\]?|\]/g, (piece) => {
    if (piece.startsWith('[') && !inBrackets) inBrackets = true;
    else if (piece === ']') inBrackets = false;
    const wide = WIDE[piece.toLowerCase()];
    if (wide === undefined) return piece;
    if (piece === piece.toLowerCase()) return inBrackets ? wide : `[${wide}]`;
    return inBrackets ? piece : `[^${wide}]`;
  });
}

function backtracking(source: string): LineExpression {
  const { longest } = BOUNDS.expression;
  if (source.length > longest) throw new PatternError(`longer than ${longest} characters`, longest);
  const expression = javaScriptOf(source);
  const names = [...source.matchAll(/\(\?P<(\w+)>/g)].map(([, name = '']) => name);
  return {
    names,
    steps: source.length,
    match: (line) => {
      expression.lastIndex = 0;
      const found = expression.exec(line);
      return found && Object.fromEntries(names.map((name) => [name, found.groups?.[name] ?? null]));
    },
  };
}

/** Translates an expression of Python. @throws PatternError for what JavaScript does not have */
function javaScriptOf(source: string): RegExp {
  const [lead = '', letters = ''] = /^\(\?([ims]+)\)/.exec(source) ?? [];
  let inBrackets = false;
  const translated = source.slice(lead.length).replace(PYTHON, (piece) => {
    if (piece.startsWith('[') && !inBrackets) {
      inBrackets = true;
      // a bracket at the beginning of a class belongs to it
      return piece.replace(']', '\\]');
    }
    if (piece === ']') inBrackets = false;
    return inBrackets ? piece : (JAVASCRIPT[piece] ?? piece.replace('(?P<', '(?<').replace('{,', '{0,'));
  });
  const end = withoutRepeatedLooks(translated).replace(/\(\?P=(\w+)\)/g, '\\k<$1>');
  try {
    return new RegExp(`(?:${end})`, `y${letters}`);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new PatternError(error.message.replace(/^Invalid regular expression: .*\/\w*: /s, ''), 0);
  }
}

/** Drops the `+` behind a look-behind, which says nothing, and which JavaScript rejects. */
function withoutRepeatedLooks(source: string): string {
  const opened: boolean[] = [];
  let inBrackets = false;
  return source.replace(/\\.|\[|\]|\(\?<[=!]|\(|\)\+?/g, (piece) => {
    if (piece === '[') inBrackets = true;
    else if (piece === ']') inBrackets = false;
    else if (!inBrackets && piece.startsWith('(')) opened.push(piece.length > 1);
    else if (!inBrackets && piece.startsWith(')')) return opened.pop() ? ')' : piece;
    return piece;
  });
}

/** Pieces of an expression that Python and JavaScript may write differently. */
const PYTHON = /\\.|\[\^?\]?|\]|\(\?P<|\{,(?=\d+\})/g;
const JAVASCRIPT: Readonly<Record<string, string>> = { '\\A': '^', '\\Z': '$' };
