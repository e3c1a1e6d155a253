import { indexOfText, splitText } from '#server/kernel/text/text-search.ts';
import { compiled, finderOf, hitsOf, replaced, splitBy } from '../expressions/expressions.ts';
import { StepFailed } from '../expressions/step-failed.ts';
import { expression, isExpression, numberOf, textOf } from '../expressions/values.ts';
import { assertLength, type RunState, spend, spendText } from '../run.ts';
import { eager, library, type Method, type MethodCall, somethingAt, textAt } from './method.ts';
import { concatenated, includes, indexOf, lastIndexOf, lengthOf, wholeOf } from './text-or-list.ts';

type Args = readonly unknown[];

/** Declares a method that reads a text once. */
const through = (change: (text: string, args: Args, run: RunState) => unknown): Method =>
  eager((args, { run }) => {
    const text = textAt(args);
    spendText(run, text.length);
    return change(text, args, run);
  });

function split(text: string, args: Args, run: RunState): unknown[] {
  const [, separator, limit] = args;
  const most = limit === undefined ? 2 ** 32 - 1 : numberOf(run, limit) >>> 0;
  if (separator === undefined) return most === 0 ? [] : [text];
  if (isExpression(separator)) return splitBy(run, compiled(run, separator), text, most);
  const parts = splitText(text, textOf(run, separator), most);
  assertLength(run, parts.length);
  spend(run, parts.length);
  return parts;
}

function replace(text: string, args: Args, run: RunState): string {
  const [, pattern, fresh] = args;
  const replacement = textOf(run, fresh);
  if (isExpression(pattern)) {
    const ready = compiled(run, pattern);
    return replaced(run, text, hitsOf(run, ready, text), replacement, ready.names);
  }
  const wanted = textOf(run, pattern);
  const index = indexOfText(text, wanted);
  if (index === -1) return text;
  const hit = { index, end: index + wanted.length, groups: [wanted] };
  return replaced(run, text, [hit], replacement, [null]);
}

/** Returns the pattern of `search` and `match`: a text is compiled as an expression. */
const patternOf = (run: RunState, value: unknown) =>
  compiled(run, isExpression(value) ? value : expression(value === undefined ? '' : textOf(run, value), ''));

function match(text: string, args: Args, run: RunState): unknown {
  const pattern = patternOf(run, args[1]);
  const hits = hitsOf(run, pattern, text);
  const [first] = hits;
  if (!first) return null;
  return pattern.flags.includes('g') ? hits.map(({ groups }) => groups[0]) : first.groups;
}

/** Methods of texts (contract/engines#transformation-methods). */
const texts = library('String', {
  concat: eager(concatenated),
  split: through(split),
  substring: through((text, args, run) => {
    const place = (at: number, absent: number) => (args[at] === undefined ? absent : wholeOf(run, args[at]));
    return text.substring(place(1, 0), place(2, text.length));
  }),
  length: eager(lengthOf),
  toLowerCase: through((text) => text.toLowerCase()),
  toUpperCase: through((text) => text.toUpperCase()),
  trim: through((text) => text.trim()),
  indexOf: eager(indexOf),
  lastIndexOf: eager(lastIndexOf),
  includes: eager(includes),
  replace: through(replace),
  charAt: through((text, args, run) => text.charAt(wholeOf(run, args[1]))),
  search: through((text, args, run) => finderOf(run, patternOf(run, args[1]), text)(0)?.index ?? -1),
  match: through(match),
});

/** Tests a text with an expression or the text of one: documents have both (contract/engines#transformation-methods). */
function testedBy(args: Args, { run }: MethodCall) {
  const [pattern] = args;
  const ready = compiled(run, isExpression(pattern) ? pattern : expression(textAt(args), ''));
  const text = textOf(run, args[1]);
  return finderOf(run, ready, text)(0);
}

const expressions = library('RegExp', {
  test: eager((args, call) => testedBy(args, call) !== null),
  exec: eager((args, call) => testedBy(args, call)?.groups ?? null),
});

/** Returns a number in a given radix, or the text of any other value. */
function numberText(args: Args, { run }: MethodCall): string {
  const value = somethingAt(args);
  if (typeof value !== 'number') return textOf(run, value);
  const radix = args[1] === undefined ? 10 : wholeOf(run, args[1]);
  if (radix < 2 || radix > 36) throw new StepFailed('a radix from 2 to 36 is expected as argument 1', 1);
  return value.toString(radix);
}

const numbers = library('Number', {
  parseInt: eager((args, { run }) => {
    const radix = args[1] === undefined ? undefined : wholeOf(run, args[1]);
    const text = textOf(run, args[0]);
    spendText(run, text.length);
    return Number.parseInt(text, radix);
  }),
  parseFloat: eager((args, { run }) => {
    const text = textOf(run, args[0]);
    spendText(run, text.length);
    return Number.parseFloat(text);
  }),
  toString: eager(numberText),
  isInteger: eager(([value]) => Number.isInteger(value)),
  isNaN: eager(([value]) => Number.isNaN(value)),
});

/** Methods of texts, regular expressions and numbers (contract/engines#transformation-methods). */
export const TEXTUAL = [...texts, ...expressions, ...numbers];
