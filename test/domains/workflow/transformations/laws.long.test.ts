import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runTransformation } from '#server/domains/workflow/transformations/transformation.ts';
import {
  AROUND,
  body,
  call,
  fn,
  input,
  method,
  type NewWorkflow,
  outputs,
  type Ref,
  result,
  run,
  value,
  wired,
} from '../../../helpers/documents/transformations.ts';
import { lawRuns } from '../../../helpers/long.ts';

/*
 * Laws of the language over random documents: a chain of steps, each fed by inputs, literals and steps before it.
 */

const UNARY = [
  'Array.length',
  'Array.isArray',
  'Array.reverse',
  'Array.pop',
  'Array.shift',
  'Object.keys',
  'Logical.not',
  'JSON.type of',
  'Array.new Array',
  'String.new String',
  'Number.new Number',
  'Object.new Object',
];
const BINARY = [
  'Array.push',
  'Array.concat',
  'Array.join',
  'Array.getIndex',
  'Object.optional chaining',
  'Object.getProperty',
  'Equality.equality',
  'Equality.deepEquals',
  'Logical.and',
  'Logical.or',
  'Logical.nullish',
  'Math.add',
  'Math.subtract',
  'Relational.lessThan',
  'Math.max',
];
const TERNARY = ['Conditional.ternary', 'Object.setProperty', 'Array.slice'];

type Plan = { name: string; picks: number[]; literal: unknown };
const plan: fc.Arbitrary<Plan> = fc.record({
  name: fc.constantFrom(...UNARY, ...BINARY, ...BINARY, ...TERNARY),
  picks: fc.array(fc.nat(30), { minLength: 3, maxLength: 3 }),
  literal: fc.oneof(fc.constantFrom(0, 1, 'a', '', true), fc.jsonValue({ maxDepth: 1 })),
});
const data = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.array(fc.oneof(fc.integer({ min: -9, max: 9 }), fc.constantFrom('a', 'b', null))),
  fc.dictionary(fc.constantFrom('a', 'b', '1'), fc.jsonValue({ maxDepth: 1 })),
);

/** Steps of a plan: each slot is an input, a step before, or the literal. */
function stepsOf(plans: readonly Plan[]): NewWorkflow[] {
  const steps: NewWorkflow[] = [];
  for (const [at, { name, picks, literal }] of plans.entries()) {
    const slots = UNARY.includes(name) ? 1 : TERNARY.includes(name) ? 3 : 2;
    const source = (pick: number): unknown => {
      if (pick % 5 === 0) return literal;
      const before = steps[pick % (steps.length + 1)];
      return before ? result(before) : input(pick % 2 === 0 ? 'a' : 'b');
    };
    steps.push(method(at + 1, name, picks.slice(0, slots).map(source)));
  }
  return steps;
}

const last = (steps: readonly NewWorkflow[]): Ref => {
  const step = steps.at(-1);
  return step ? result(step) : input('a');
};
const plans = fc.array(plan, { minLength: 1, maxLength: 10 });
const inputs = fc.record({ a: data, b: data });
const workflowOf = (all: readonly Plan[]) => {
  const steps = stepsOf(all);
  return body(['a', 'b'], steps, { out: last(steps), 'more/x': last(steps.slice(0, -1)), more: input('b') });
};
const reported = (doc: object, given: Record<string, unknown>) => run(doc, given);

const law = (
  name: string,
  check: (doc: ReturnType<typeof workflowOf>, given: { a: unknown; b: unknown }, seed: number) => void,
) =>
  test(name, () => {
    fc.assert(
      fc.property(plans, inputs, fc.nat(), (all, given, seed) => check(workflowOf(all), given, seed)),
      lawRuns(200),
    );
  });

function shuffled<Item>(list: readonly Item[], seed: number): Item[] {
  const keyed = list.map((one, at) => ({ one, key: (at * 7919 + seed * 104_729) % 9973 }));
  return keyed.sort((left, right) => left.key - right.key).map(({ one }) => one);
}

/** Values that cannot be changed, however deep. */
function frozen<Value>(of: Value): Value {
  if (typeof of === 'object' && of !== null) {
    for (const member of Object.values(of)) frozen(member);
    Object.freeze(of);
  }
  return of;
}

describe('laws of documents', () => {
  law('the order of steps means nothing', (doc, given, seed) => {
    expect(reported({ ...doc, steps: shuffled(doc.steps, seed) }, given)).toEqual(reported(doc, given));
  });

  law('ids mean nothing but who is who', (doc, given) => {
    const renamed = (id: unknown) => (typeof id === 'number' ? 1000 - id : id);
    const end = (one: unknown) => ({ ...(one as object), name: renamed((one as { name: unknown }).name) });
    const steps = doc.steps.map((step) => ({
      ...step,
      id: renamed(step.id),
      ...(step.type === 'assign' && { from: end(step.from), to: end(step.to) }),
    }));
    const strip = (made: ReturnType<typeof reported>) => ('error' in made ? 'error' : made);
    expect(strip(reported({ ...doc, steps }, given))).toEqual(strip(reported(doc, given)));
  });

  law('nothing that is given is changed, and the same comes out twice', (doc, given) => {
    const first = reported(frozen(doc), frozen(given));
    expect(reported(doc, given)).toEqual(first);
  });

  law('a run is its own round trip through JSON', (doc, given) => {
    const made = reported(doc, given);
    expect(JSON.parse(JSON.stringify(made))).toEqual(made);
  });

  law('a step that nobody reads, even a failing one, changes nothing', (doc, given) => {
    const idle = method(77, 'JSON.parse', ['{', null]).step;
    expect(reported({ ...doc, steps: [...doc.steps, idle] }, given)).toEqual(reported(doc, given));
  });

  law('a second reader changes nothing for the first', (doc, given) => {
    const readers = doc.steps
      .filter(({ type }) => type !== 'assign')
      .flatMap((step, at) =>
        ['Array.pop', 'Array.sort', 'Array.push'].flatMap((name, nth) => {
          const ref = { from: { location: step.type, name: step.id, ptr: '/return' } };
          const reader = method(500 + at * 3 + nth, name, [ref, null]);
          return [reader.step, ...reader.wires];
        }),
      );
    expect(reported({ ...doc, steps: [...doc.steps, ...readers] }, given)).toEqual(reported(doc, given));
  });

  law('a call of a function is its body in place', (doc, given) => {
    const step = call(1, 'f', [input('a'), input('b')]);
    const outer = body(['a', 'b'], [step], { out: result(step, '/out'), more: result(step, '/more') }, [
      { ...doc, id: 'f', name: 'f' },
    ]);
    const strip = (made: ReturnType<typeof reported>) => ('error' in made ? made.error.step : made);
    expect(strip(reported(outer, given))).toEqual(strip(reported(doc, given)));
  });

  law('extractOutput gives the value of the only output', (doc, given) => {
    const one = { ...doc, outgoing: [{ $id: 'out' }] };
    const whole = run(one, given);
    const bare = run(one, given, { extractOutput: true });
    if ('error' in whole || 'error' in bare) expect(bare).toEqual(whole);
    else expect(bare.outputs).toEqual((whole.outputs as { out?: unknown }).out);
  });

  law('a default that is taken is the same as one that is supplied', (doc, given) => {
    const incoming = [{ $id: 'a', default: given.a }, { $id: 'b' }];
    const taken = run({ ...doc, incoming }, { b: given.b }, { revertToDefaultValue: true });
    expect(taken).toEqual(run(doc, given));
  });

  law('a constant of a callback is the same as a literal inside it', (_, { a, b }) => {
    const inside = method(1, 'Array.push', [[], b ?? 0]);
    const outside = method(1, 'Array.push', [[], input('c')]);
    const list = Array.isArray(a) ? a : [a];
    const made = (f: NewWorkflow, names: string[], ...more: unknown[]) => {
      const step = method(2, 'Array.map', [input('l'), 'f', ...more]);
      return outputs(body(['l'], [step], { out: result(step) }, [fn('f', names, [f], { out: result(f) })]), {
        l: list,
      });
    };
    expect(made(outside, ['x', 'i', 'all', 'c'], b ?? 0)).toEqual(made(inside, ['x']));
  });
});

const GRID = [
  null,
  undefined,
  Number.NaN,
  -0,
  0,
  1,
  -1.5,
  1e21,
  '',
  '0',
  '1',
  ' 12 ',
  'abc',
  'false',
  true,
  false,
  [],
  [1],
  ['a', [2, null]],
  {},
  { a: 1, length: 2 },
  'é😀',
];
const json = (one: unknown): unknown =>
  one === undefined ? undefined : JSON.parse(JSON.stringify(one) ?? 'null');

/** Methods beside the host's own. */
// biome-ignore-start lint/suspicious/noDoubleEquals: the language has a loose equality
// biome-ignore-start lint/suspicious/noExplicitAny: the host is called with anything
const HOST: Record<string, (...args: any[]) => unknown> = {
  'Equality.equality': (a, b) => (typeof a === 'object' && a && typeof b === 'object' && b ? false : a == b),
  'Equality.identity': (a, b) => (typeof a === 'object' && a ? false : a === b),
  'Logical.and': (a, b) => a && b,
  'Logical.or': (a, b) => a || b,
  'Logical.nullish': (a, b) => a ?? b,
  'Logical.not': (a) => !a,
  'Math.add': (a, b) => a + b,
  'Math.subtract': (a, b) => a - b,
  'Math.multiply': (a, b) => a * b,
  'Math.divide': (a, b) => a / b,
  'Math.exponentiation': (a, b) => a ** b,
  'Math.max': (a, b) => Math.max(a, b),
  'Math.min': (a, b) => Math.min(a, b),
  'Math.floor': (a) => Math.floor(a),
  'Math.round': (a) => Math.round(a),
  'Relational.lessThan': (a, b) => a < b,
  'Relational.greaterThanOrEqual': (a, b) => a >= b,
  'Number.parseInt': (a, b) => Number.parseInt(a, b),
  'Number.parseFloat': (a) => Number.parseFloat(a),
  'Number.isInteger': (a) => Number.isInteger(a),
  'Number.isNaN': (a) => Number.isNaN(a),
  'String.new String': (a) => String(a),
  'Number.new Number': (a) => Number(a),
  'Boolean.new Boolean': (a) => Boolean(a),
  'Array.isArray': (a) => Array.isArray(a),
  'Array.push': (a, b) => [...(Array.isArray(a) ? a : a.push()), b],
  'Array.join': (a, b) => a.join(b),
  'Array.reverse': (a) => a.toReversed(),
  'Array.slice': (a, b, c) => a.slice(b, c),
  'Array.includes': (a, b) =>
    typeof b === 'object' && b && typeof a !== 'string' ? a.includes(Symbol.iterator) : a.includes(b),
  'Array.fill': (a, b) => a.slice().fill(b) && (Array.isArray(a) ? a.slice().fill(b) : a.fill()),
  'Object.keys': (a) => Object.keys(a),
  'Object.entries': (a) => Object.entries(a),
  'JSON.parse': (a) => JSON.parse(a),
  'JSON.stringify': (a) => JSON.stringify(a),
  'JSON.type of': (a) => typeof a,
  'String.split': (a, b, c) => (typeof a === 'string' ? a : a.text()).split(b, c),
  'String.substring': (a, b, c) => a.substring(b, c),
  'String.indexOf': (a, b) => (typeof b === 'object' && b && Array.isArray(a) ? -1 : a.indexOf(b)),
  'String.charAt': (a, b) => a.charAt(b),
  'String.trim': (a) => a.trim(),
  'String.toUpperCase': (a) => a.toUpperCase(),
};
// biome-ignore-end lint/suspicious/noExplicitAny: the host is called with anything
// biome-ignore-end lint/suspicious/noDoubleEquals: the language has a loose equality

describe('on a grid of values', () => {
  test.each(Object.entries(HOST))('%s returns what JavaScript returns', (name, host) => {
    for (const a of GRID) {
      for (const b of host.length > 1 ? GRID : [undefined]) {
        for (const c of host.length > 2 ? GRID.slice(0, 8) : [undefined]) {
          const args = [a, b, c].slice(0, host.length);
          const ours = value(name, args.map(wired));
          let theirs: unknown;
          try {
            theirs = json(host(...args));
          } catch {
            theirs = { error: expect.any(String) };
          }
          expect(ours, `${name} of ${JSON.stringify(args)}`).toEqual(
            theirs === undefined ? undefined : theirs,
          );
        }
      }
    }
  });
});

describe('algebra', () => {
  const lists = fc.array(fc.oneof(fc.integer(), fc.string(), fc.constant(null)), { maxLength: 20 });
  const of = (name: string, ...args: unknown[]) => value(name, args.map(wired)) as never;
  const holds = (name: string, check: (list: unknown[], n: number) => void) =>
    test(name, () =>
      fc.assert(
        fc.property(lists, fc.integer({ min: -25, max: 25 }), (list, n) => {
          check(list, n);
        }),
        lawRuns(100),
      ),
    );

  holds('reverse twice is the list', (list) =>
    expect(of('Array.reverse', of('Array.reverse', list))).toEqual(list),
  );
  holds('sorting twice is sorting once, and loses nothing', (list) => {
    const sorted: unknown[] = of('Array.sort', list);
    expect(of('Array.sort', sorted)).toEqual(sorted);
    expect([...sorted].map(String).sort()).toEqual(list.map(String).sort());
  });
  holds('splice cuts what it gives', (list, n) => {
    const { spliced, array } = of('Array.splice', list, n, 3) as { spliced: unknown[]; array: unknown[] };
    const copy = [...list];
    expect([spliced, array]).toEqual([copy.splice(n, 3), copy]);
  });
  holds('push and pop, shift and concat, give the list back', (list, n) => {
    expect(of('Array.pop', of('Array.push', list, n))).toEqual({ value: n, array: list });
    expect(of('Array.shift', of('Array.concat', [n], list))).toEqual({ value: n, array: list });
  });
  holds('parse of stringify is the value', (list) =>
    expect(of('JSON.parse', of('JSON.stringify', list))).toEqual(list),
  );
  holds('entries make the object again', (list) => {
    const object = Object.fromEntries(list.map((one, at) => [`k${at}`, one]));
    expect(of('Object.fromEntries', of('Object.entries', object))).toEqual(object);
  });
  holds('what is set can be got', (list, n) => {
    expect(of('Object.getProperty', of('Object.setProperty', { list }, `k${n}`, n), `k${n}`)).toBe(n);
  });
  holds('equal is equal both ways', (list, n) => {
    expect(of('Equality.deepEquals', list, [...list])).toBe(true);
    expect(of('Equality.deepEquals', list, n)).toBe(of('Equality.deepEquals', n, list));
  });
});

test('the clock and the random numbers are those of the caller', () => {
  const now = method(1, 'Date.now', []);
  const dice = method(2, 'Math.random', []);
  const doc = body([], [now, dice], { now: result(now), dice: result(dice) });
  expect(runTransformation(doc, {}, {}, { ...AROUND, now: () => 5 })).toEqual({
    outputs: { now: 5, dice: 0.25 },
  });
  const { outputs: real } = runTransformation(doc, {}) as { outputs: { now: number; dice: number } };
  expect(Math.abs(real.now - Date.now())).toBeLessThan(60_000);
  expect(real.dice).toBeLessThan(1);
});
