import { containsText, indexOfText, lastIndexOfText } from '#server/kernel/text/text-search.ts';
import { StepFailed } from '../expressions/step-failed.ts';
import { fieldOf, isExpression, numberOf, textOf } from '../expressions/values.ts';
import { assertText, type RunState, spend, spendText } from '../run.ts';
import { listAt, type MethodCall, somethingAt, textAt } from './method.ts';
import { isIdentical } from './operators.ts';

/* Methods that both texts and lists have: the type of the receiver decides, not the library that the step names. */

type Args = readonly unknown[];

/** Converts an argument to an integer as JavaScript does. */
export const wholeOf = (run: RunState, value: unknown): number => Math.trunc(numberOf(run, value)) || 0;

/** Returns the index for an offset from the start, or from the end when negative, limited to the length. */
export function placeOf(run: RunState, value: unknown, length: number, absent: number): number {
  if (value === undefined) return absent;
  const at = wholeOf(run, value);
  return at < 0 ? Math.max(at + length, 0) : Math.min(at, length);
}

/** Returns the length of a text or list; undefined for values without one. @throws StepFailed for null and undefined */
export const lengthOf = (args: Args): unknown => fieldOf(somethingAt(args), 'length');

/** Concatenates texts; other values are converted. */
export function concatenated(args: Args, { run }: MethodCall): string {
  let all = textAt(args);
  for (const one of args.slice(1)) {
    const text = textOf(run, one);
    assertText(run, all.length + text.length);
    spendText(run, text.length);
    all += text;
  }
  return all;
}

/** Returns the text to search for. @throws StepFailed for a regular expression */
function wantedIn(run: RunState, text: string, wanted: unknown): string {
  if (isExpression(wanted))
    throw new StepFailed('a string is expected as argument 1, found an expression', 1);
  spendText(run, text.length);
  return textOf(run, wanted);
}

/** Returns whether a text contains another, or a list an element; NaN is found, objects and lists never are. */
export function includes(args: Args, { run }: MethodCall): boolean {
  const [value, wanted, from] = args;
  if (typeof value === 'string') return containsText(value, wantedIn(run, value, wanted), wholeOf(run, from));
  const list = listAt(args);
  spend(run, list.length);
  for (let at = placeOf(run, from, list.length, 0); at < list.length; at++) {
    const one = list[at];
    if (isIdentical(one, wanted) || (Number.isNaN(one) && Number.isNaN(wanted))) return true;
  }
  return false;
}

/** Returns the first index of a text in another, or of an element in a list; -1 when it is missing. */
export function indexOf(args: Args, { run }: MethodCall): number {
  const [value, wanted, from] = args;
  if (typeof value === 'string') {
    spendText(run, value.length);
    return indexOfText(value, textOf(run, wanted), wholeOf(run, from));
  }
  const list = listAt(args);
  spend(run, list.length);
  for (let at = placeOf(run, from, list.length, 0); at < list.length; at++) {
    if (isIdentical(list[at], wanted) && at in list) return at;
  }
  return -1;
}

/** Returns the last index of a text in another, or of an element in a list; -1 when it is missing. */
export function lastIndexOf(args: Args, { run }: MethodCall): number {
  const [value, wanted, from] = args;
  if (typeof value === 'string') {
    spendText(run, value.length);
    const last = numberOf(run, from);
    return lastIndexOfText(value, textOf(run, wanted), Number.isNaN(last) ? value.length : last);
  }
  const list = listAt(args);
  spend(run, list.length);
  const last = args.length > 2 ? wholeOf(run, from) : list.length - 1;
  for (let at = Math.min(last < 0 ? last + list.length : last, list.length - 1); at >= 0; at--) {
    if (isIdentical(list[at], wanted) && at in list) return at;
  }
  return -1;
}
