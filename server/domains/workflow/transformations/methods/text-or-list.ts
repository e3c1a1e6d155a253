import { StepFailed } from '../expressions/step-failed.ts';
import { isExpression, memberOf, numberOf, textOf } from '../expressions/values.ts';
import { assertText, type RunState, spend, spendText } from '../run.ts';
import { listAt, type MethodCall, somethingAt, textAt } from './method.ts';
import { isIdentical } from './operators.ts';

/*
 * What texts and lists both can, each in its own way: the receiver decides, not the library under which the method was
 * found.
 */

type Args = readonly unknown[];

/** A whole number as the host language makes one of an argument. */
export const wholeOf = (run: RunState, value: unknown): number => Math.trunc(numberOf(run, value)) || 0;

/** Where a count from the start, or from the end when negative, lies in a list or a text of this length. */
export function placeOf(run: RunState, value: unknown, length: number, absent: number): number {
  if (value === undefined) return absent;
  const at = wholeOf(run, value);
  return at < 0 ? Math.max(at + length, 0) : Math.min(at, length);
}

/** How long a text or a list is; undefined for what has no length. @throws StepFailed for nothing */
export const lengthOf = (args: Args): unknown => memberOf(somethingAt(args), 'length');

/** Texts one behind the other; other values become texts. */
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

/** What is looked for in a text. @throws StepFailed for an expression */
function wantedIn(run: RunState, text: string, wanted: unknown): string {
  if (isExpression(wanted)) throw new StepFailed('a text is expected as argument 1, found an expression', 1);
  spendText(run, text.length);
  return textOf(run, wanted);
}

/** Whether a text holds another, or a list an element; NaN is found, objects and lists never are. */
export function includes(args: Args, { run }: MethodCall): boolean {
  const [value, wanted, from] = args;
  if (typeof value === 'string') return value.includes(wantedIn(run, value, wanted), wholeOf(run, from));
  const list = listAt(args);
  spend(run, list.length);
  for (let at = placeOf(run, from, list.length, 0); at < list.length; at++) {
    const one = list[at];
    if (isIdentical(one, wanted) || (Number.isNaN(one) && Number.isNaN(wanted))) return true;
  }
  return false;
}

/** Where a text holds another for the first time, or a list an element; -1: nowhere. */
export function indexOf(args: Args, { run }: MethodCall): number {
  const [value, wanted, from] = args;
  if (typeof value === 'string') {
    return value.indexOf(textOf(run, wanted), wholeOf(run, from));
  }
  const list = listAt(args);
  spend(run, list.length);
  for (let at = placeOf(run, from, list.length, 0); at < list.length; at++) {
    if (isIdentical(list[at], wanted) && at in list) return at;
  }
  return -1;
}

/** Where a text holds another for the last time, or a list an element; -1: nowhere. */
export function lastIndexOf(args: Args, { run }: MethodCall): number {
  const [value, wanted, from] = args;
  if (typeof value === 'string') {
    spendText(run, value.length);
    const last = numberOf(run, from);
    return value.lastIndexOf(textOf(run, wanted), Number.isNaN(last) ? value.length : last);
  }
  const list = listAt(args);
  spend(run, list.length);
  const last = args.length > 2 ? wholeOf(run, from) : list.length - 1;
  for (let at = Math.min(last < 0 ? last + list.length : last, list.length - 1); at >= 0; at--) {
    if (isIdentical(list[at], wanted) && at in list) return at;
  }
  return -1;
}
