import type { RE2JS } from 're2js';
import { compileExpression, PatternRefused } from '#server/kernel/documents/list-filter.ts';

/** How the text or the expression of a rule is applied (contract/lifecycle#7). */
export type Flags = {
  /** True: upper and lower case count as the same. */
  case?: boolean | undefined;
  /** All matches, not only the first; whether there is one does not depend on it. */
  global?: boolean | undefined;
  /** True: ^ and $ match at every line. */
  multiline?: boolean | undefined;
};

/** Characters of an expression and steps of its program: a search costs at most steps × characters of the output. */
const BOUNDS = { longest: 2000, steps: 2000 };

/** An expression as templates write it: bare, or between slashes, with letters of JavaScript's flags behind. */
const SLASHED = /^\/(.+)\/([dgimsuvy]*)$/s;

/**
 * The expression without its slashes, and the letters behind them.
 *
 * @returns `at`: how far it stands from the start of the source
 */
export function bareExpression(source: string): { body: string; letters: string; at: number } {
  const [, body, letters = ''] = SLASHED.exec(source) ?? [];
  return body === undefined ? { body: source, letters: '', at: 0 } : { body, letters, at: 1 };
}

/** Whether a text is marked as an expression by slashes. */
export const isSlashed = (source: string): boolean => SLASHED.test(source);

/**
 * Compile the expression of a rule: RE2, never backtracking (issue 7).
 *
 * @throws PatternRefused with the position in `source`, for what RE2 does not know, a mistake, or too large a program
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
    if (!(error instanceof PatternRefused)) throw error;
    const reason = error.message.slice(error.message.indexOf(': ') + 2);
    throw new PatternRefused(reason, Math.max(error.position - before.length, 0) + at);
  }
}

/** Steps that one search may take in the worst case, which most are far from: about two seconds. */
const MOST_WORK = 5e8;

/** @throws PatternRefused when a search could take too long */
function assertAffordable(expression: RE2JS, text: string): void {
  if (expression.programSize() * text.length <= MOST_WORK) return;
  throw new PatternRefused(`would take too long on an answer of ${text.length} characters`, 0);
}

/** Whether an expression matches anywhere. @throws PatternRefused when that could take too long */
export function isFound(expression: RE2JS, text: string): boolean {
  assertAffordable(expression, text);
  return expression.test(text);
}

/**
 * What an expression is wanted to find: its first group, or the whole match when it has none; null: no match.
 *
 * @throws PatternRefused when that could take too long
 */
export function firstValue(expression: RE2JS, text: string): string | null {
  assertAffordable(expression, text);
  return rowIn(expression, text)?.[0] ?? null;
}

/**
 * The rows of a table: each line that matches, as its groups, or as the match when there are none.
 *
 * @throws PatternRefused when that could take too long
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
