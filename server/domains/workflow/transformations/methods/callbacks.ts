import { StepFailed } from '../expressions/step-failed.ts';
import { isAbsent, isList, numberOf, textOf } from '../expressions/values.ts';
import { assertLength, spend, spendList } from '../run.ts';
import { library, listAt, type Method, type MethodCall } from './method.ts';

type Args = readonly unknown[];

const calling = (constants: number, run: (args: Args, call: MethodCall) => unknown): Method => ({
  callback: 'needed',
  constants,
  run,
});

/** Yields each element in order; holes are skipped. */
function* elementsOf(args: Args, { run }: MethodCall): Generator<[unknown, number, unknown[]]> {
  const list = listAt(args);
  for (let at = 0; at < list.length; at++) {
    spend(run, 1);
    if (at in list) yield [list[at], at, list];
  }
}

function mapped(args: Args, call: MethodCall): unknown[] {
  const made: unknown[] = new Array(listAt(args).length);
  for (const [one, at, list] of elementsOf(args, call)) made[at] = call.invoke(one, at, list);
  return made;
}

function flatMapped(args: Args, call: MethodCall): unknown[] {
  const made: unknown[] = [];
  for (const [one, at, list] of elementsOf(args, call)) {
    const result = call.invoke(one, at, list);
    const more = isList(result) ? result : [result];
    assertLength(call.run, made.length + more.length);
    spendList(call.run, more.length);
    for (const each of more) made.push(each);
  }
  return made;
}

/** Finds the first element, holes included, for which the callback returns a true value. */
function found(args: Args, call: MethodCall): { at: number; value: unknown } {
  const list = listAt(args);
  for (let at = 0; at < list.length; at++) {
    spend(call.run, 1);
    if (call.invoke(list[at], at, list)) return { at, value: list[at] };
  }
  return { at: -1, value: undefined };
}

/**
 * Reduces a list. The accumulator is the callback's first parameter; without an initial value it starts with the first
 * element (contract/engines#transformation-functions).
 */
function reduced(args: Args, call: MethodCall, isBackwards: boolean): unknown {
  const list = listAt(args);
  const steps = [...elementsOf(args, call)];
  if (isBackwards) steps.reverse();
  let accumulator = args[2];
  if (!call.given(2)) {
    const first = steps.shift();
    if (!first) throw new StepFailed('an empty list cannot be reduced without an initial value');
    accumulator = first[0];
  }
  for (const [one, at] of steps) accumulator = call.invoke(accumulator, one, at, list);
  return accumulator;
}

/** Sorts by the sign of the callback's result, or by text; undefined comes last, equal elements keep their order. */
function sorted(args: Args, call: MethodCall): unknown[] {
  const { run } = call;
  const list = listAt(args);
  spendList(run, list.length);
  const isThere = (one: unknown) => one !== undefined;
  const there = list.filter(isThere);
  const absent = Array.from({ length: list.length - there.length });
  if (!isAbsent(args[1]) && args[1] !== '') {
    const order = (left: unknown, right: unknown) => {
      spend(run, 1);
      return numberOf(run, call.invoke(left, right)) || 0;
    };
    return [...there.sort(order), ...absent];
  }
  const texts = there.map((one) => ({ one, text: textOf(run, one) }));
  texts.sort((left, right) => {
    spend(run, 1);
    return left.text < right.text ? -1 : Number(left.text > right.text);
  });
  return [...texts.map(({ one }) => one), ...absent];
}

/** List methods that call a function of the document for each element (contract/engines#transformation-functions). */
export const CALLBACKS = library('Array', {
  map: calling(2, mapped),
  flatMap: calling(2, flatMapped),
  filter: calling(2, (args, call) =>
    [...elementsOf(args, call)].filter(([one, at, list]) => call.invoke(one, at, list)).map(([one]) => one),
  ),
  find: calling(2, (args, call) => found(args, call).value),
  findIndex: calling(2, (args, call) => found(args, call).at),
  some: calling(2, (args, call) => {
    for (const [one, at, list] of elementsOf(args, call)) if (call.invoke(one, at, list)) return true;
    return false;
  }),
  every: calling(2, (args, call) => {
    for (const [one, at, list] of elementsOf(args, call)) if (!call.invoke(one, at, list)) return false;
    return true;
  }),
  reduce: calling(3, (args, call) => reduced(args, call, false)),
  reduceRight: calling(3, (args, call) => reduced(args, call, true)),
  sort: { callback: 'optional', constants: 2, run: sorted },
});
