import { type Bounds, compileExpression, PatternError } from '#server/kernel/documents/list-filter.ts';
import { containsText } from '#server/kernel/text/text-search.ts';
import { isEqual, isSame, orderOf, ownField } from '../../query/values.ts';
import { COMPARISONS } from '../../tasks/flow.ts';
import { TaskInputError } from '../task-input.ts';

/** A comparison of two values, from a closed set (contract/engines#task-details). */
export type Comparison = (typeof COMPARISONS)[number];

/** Returns whether a value is the name of a comparison. */
export const isComparison = (word: unknown): word is Comparison =>
  typeof word === 'string' && (COMPARISONS as readonly string[]).includes(word);

/** Returns whether a comparison holds; values without an order are neither less nor greater. */
export function comparisonHolds(left: unknown, comparison: Comparison, right: unknown): boolean {
  if (comparison === '==') return isEqual(left, right);
  if (comparison === '!=') return !isEqual(left, right);
  if (comparison === 'contains') return contains(left, right);
  if (comparison === '!contains') return !contains(left, right);
  const order = orderOf(left, right);
  if (order === null) return false;
  if (comparison === '<') return order < 0;
  if (comparison === '<=') return order <= 0;
  return comparison === '>' ? order > 0 : order >= 0;
}

/**
 * Returns whether a value contains another: a text contains a substring or a match of an RE2 expression; a list contains
 * an item; an object contains a property of this name or, if it is an error, a text in its message.
 */
function contains(whole: unknown, part: unknown): boolean {
  if (Array.isArray(whole)) {
    // A text is parsed again for each item that it may be equal to.
    if (typeof part === 'string' && part.length * whole.length > MOST_READ) {
      throw new TaskInputError(
        'operand_2',
        `is too long to be searched for in a list of ${whole.length} items`,
      );
    }
    return whole.some((one) => isSame(one, part) || isEqual(one, part));
  }
  if (typeof part === 'object' || part === undefined) return false;
  const wanted = String(part);
  if (typeof whole === 'object' && whole !== null) {
    const { message } = whole as { message?: unknown };
    return (
      ownField(whole, wanted) !== undefined || (typeof message === 'string' && textContains(message, wanted))
    );
  }
  return whole !== undefined && whole !== null && textContains(String(whole), wanted);
}

/** Maximum number of characters parsed while a text is searched in a list. */
const MOST_READ = 50_000_000;

/** Texts that are plain, or that match only themselves as an expression. */
const PLAIN = /^[\w\s,:;/-]*$/;
const BOUNDS: Bounds = { longest: 1000, steps: 2000 };
/** Maximum number of steps of an expression in the worst case: about a second. */
const MOST_WORK = 2e8;

function textContains(whole: string, part: string): boolean {
  if (containsText(whole, part)) return true;
  if (PLAIN.test(part)) return false;
  const expression = expressionOf(part);
  if (!expression) return false;
  if (expression.programSize() * whole.length > MOST_WORK) {
    throw new TaskInputError('operand_2', `would take too long on a string of ${whole.length} characters`);
  }
  return expression.test(whole);
}

/** Compiles an expression; null for a text that is not one. */
function expressionOf(text: string) {
  try {
    return compileExpression(text, BOUNDS);
  } catch (error) {
    if (error instanceof PatternError) return null;
    throw error;
  }
}
