import { containsText } from '../text/text-search.ts';
import { printf } from './built-ins/formatting.ts';
import { jinjaError } from './jinja-error.ts';
import {
  numberOf,
  present,
  type RenderState,
  required,
  show,
  spend,
  spendReading,
  spendText,
  tollOf,
} from './run.ts';
import { isDict, isList, isMissing, isSame, isTuple, kindOf, memberOf, order } from './values.ts';

/**
 * Applies an operator to two values.
 *
 * @param operator as templates write it, such as `+`
 * @param left value before the operator
 * @param right value after the operator
 * @param at offset of the operator in the template
 * @returns the result
 * @throws JinjaError when the operator does not accept them
 */
export function operate(
  run: RenderState,
  operator: string,
  left: unknown,
  right: unknown,
  at: number,
): unknown {
  if (operator === '~') return join(run, show(run, left, at), show(run, right, at), at);
  required(run, left, at);
  required(run, right, at);
  const toll = tollOf(run, at);
  if (operator === '==') return isSame(left, right, toll);
  if (operator === '!=') return !isSame(left, right, toll);
  if (operator === 'in') return isIn(run, left, right, at);
  const compared = COMPARED[operator];
  if (compared) return compared(ordered(run, left, right, at));
  return calculate(run, operator, left, right, at);
}

const COMPARED: Readonly<Record<string, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/**
 * Returns whether a list contains a value, a dict a key, or a string a substring.
 *
 * @param item that is looked for
 * @param whole a list, a dict or a string
 * @param at offset of the operator in the template
 * @throws JinjaError when `whole` is none of them
 */
export function isIn(run: RenderState, item: unknown, whole: unknown, at: number): boolean {
  if (isMissing(required(run, whole, at))) return false;
  if (typeof whole === 'string') {
    const part = show(run, item, at);
    spendReading(run, [whole, part], at);
    return containsText(whole, part);
  }
  if (isDict(whole)) return memberOf(whole, item) !== undefined;
  if (!isList(whole))
    throw jinjaError(run.text, at, `in needs a list, a dict or a string, found ${kindOf(whole)}`);
  return whole.some((one) => isSame(one, item, tollOf(run, at)));
}

/**
 * Returns the order of two values: negative, 0 or positive.
 *
 * @param left value, which a negative order puts first
 * @param right value, which a positive order puts first
 * @param at offset in the template
 * @throws JinjaError when they cannot be ordered
 */
export function ordered(run: RenderState, left: unknown, right: unknown, at: number): number {
  const found = order(left, right, tollOf(run, at));
  if (found !== null) return found;
  throw jinjaError(run.text, at, `${kindOf(left)} and ${kindOf(right)} cannot be ordered`);
}

function calculate(run: RenderState, operator: string, left: unknown, right: unknown, at: number): unknown {
  present(run, left, at);
  present(run, right, at);
  if (operator === '+' && typeof left === 'string' && typeof right === 'string')
    return join(run, left, right, at);
  if (operator === '+' && isList(left) && isList(right)) {
    spend(run, left.length + right.length, at);
    return [...left, ...right];
  }
  if (operator === '*' && typeof right === 'number' && (typeof left === 'string' || isList(left)))
    return repeated(run, left, Math.max(0, Math.trunc(right)), at);
  if (operator === '*' && typeof left === 'number' && typeof right !== 'number')
    return calculate(run, operator, right, left, at);
  if (operator === '%' && typeof left === 'string') {
    spendReading(run, [left], at);
    if (isTuple(right)) return printf(left, right, null, run, at);
    return printf(left, [right], isList(right) || isDict(right) ? right : null, run, at);
  }
  if (typeof left === 'string' || typeof right === 'string') {
    throw jinjaError(
      run.text,
      at,
      `${kindOf(left)} ${operator} ${kindOf(right)} is not possible: ~ concatenates as strings`,
    );
  }
  const result = arithmetic(operator, numberOf(run, left, at), numberOf(run, right, at));
  if (!Number.isFinite(result)) throw jinjaError(run.text, at, `the result of ${operator} is not a number`);
  return result;
}

function repeated(run: RenderState, value: string | unknown[], times: number, at: number): unknown {
  if (typeof value === 'string') {
    spendText(run, value.length * times, at);
    return value.repeat(times);
  }
  spend(run, value.length * times, at);
  return Array.from({ length: times }, () => value).flat();
}

function arithmetic(operator: string, left: number, right: number): number {
  if (operator === '+') return left + right;
  if (operator === '-') return left - right;
  if (operator === '*') return left * right;
  if (operator === '/') return left / right;
  if (operator === '//') return Math.floor(left / right);
  // As in Python, the remainder has the sign of the divisor.
  if (operator === '%') return left - right * Math.floor(left / right);
  return left ** right;
}

function join(run: RenderState, left: string, right: string, at: number): string {
  spendText(run, left.length + right.length, at);
  return left + right;
}
