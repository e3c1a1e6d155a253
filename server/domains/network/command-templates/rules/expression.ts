import type { RE2JS } from 're2js';
import { compileExpression, PatternError } from '#server/kernel/documents/list-filter.ts';

/** Options for applying the text or expression of a rule (contract/lifecycle#7). */
export type Flags = {
  /** True: case is ignored. */
  case?: boolean | undefined;
  /** All matches, not only the first; this does not affect whether there is a match. */
  global?: boolean | undefined;
  /** True: ^ and $ match at every line. */
  multiline?: boolean | undefined;
};

/** Maximum length in characters and program size in steps; a search costs at most steps × characters of the output. */
const BOUNDS = { longest: 2000, steps: 2000 };

/** An expression in a template: bare, or between slashes and followed by JavaScript flags. */
const SLASHED = /^\/(.+)\/([dgimsuvy]*)$/s;

/**
 * Returns the expression without its slashes, and the flags after them.
 *
 * @returns `at`: offset of the expression in the source
 */
export function bareExpression(source: string): { body: string; letters: string; at: number } {
  const [, body, letters = ''] = SLASHED.exec(source) ?? [];
  return body === undefined ? { body: source, letters: '', at: 0 } : { body, letters, at: 1 };
}

/** Returns whether a text is written as an expression between slashes. */
export const isSlashed = (source: string): boolean => SLASHED.test(source);

/**
 * Compiles the expression of a rule with RE2, which never backtracks.
 *
 * @throws PatternError with the position in `source`, for unsupported syntax, an error, or too large a program
 */
export function compileRule(source: string, flags: Flags = {}): RE2JS {
  const { body, letters, at } = bareExpression(source);
  const wanted = [
    flags.case || letters.includes('i') ? 'i' : '',
    flags.multiline || letters.includes('m') ? 'm' : '',
    letters.includes('s') ? 's' : '',
  ].join('');
  const before = wanted === '' ? '' : `(?${wanted})`;
  try {
    return compileExpression(before + body, BOUNDS);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    const reason = error.message.slice(error.message.indexOf(': ') + 2);
    throw new PatternError(reason, Math.max(error.position - before.length, 0) + at);
  }
}

/** Maximum number of steps of a search in the worst case: about two seconds, although most searches need far less. */
const MOST_WORK = 5e8;

/** @throws PatternError when a search could take too long */
function assertAffordable(expression: RE2JS, text: string): void {
  if (expression.programSize() * text.length <= MOST_WORK) return;
  throw new PatternError(`would take too long on an answer of ${text.length} characters`, 0);
}

/** Returns whether an expression matches anywhere. @throws PatternError when that could take too long */
export function isFound(expression: RE2JS, text: string): boolean {
  assertAffordable(expression, text);
  return expression.test(text);
}

/**
 * Returns the first group of a match, or the whole match without groups; null: no match.
 *
 * @throws PatternError when that could take too long
 */
export function firstValue(expression: RE2JS, text: string): string | null {
  assertAffordable(expression, text);
  return rowIn(expression, text)?.[0] ?? null;
}

/**
 * Returns the rows of a table: the groups of each matching line, or the match if there are no groups.
 *
 * @throws PatternError when that could take too long
 */
export function rowsOf(expression: RE2JS, text: string): string[][] {
  assertAffordable(expression, text);
  return text.split(/\r?\n/).flatMap((line) => {
    const row = rowIn(expression, line);
    return row === null ? [] : [row.map((cell) => cell ?? '')];
  });
}

function rowIn(expression: RE2JS, text: string): (string | null)[] | null {
  const matcher = expression.matcher(text);
  if (!matcher.find()) return null;
  const groups = matcher.groupCount();
  if (groups === 0) return [matcher.group()];
  return Array.from({ length: groups }, (_, index) => matcher.group(index + 1));
}
