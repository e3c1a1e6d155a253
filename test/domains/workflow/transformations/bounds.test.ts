import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runTransformation } from '#server/domains/workflow/transformations/transformation.ts';
import {
  body,
  call,
  fn,
  input,
  method,
  result,
  run,
  template,
  value,
  wired,
} from '../../../helpers/documents/transformations.ts';
import { isLong, lawRuns } from '../../../helpers/long.ts';

const failed = (doc: object, inputs: Record<string, unknown> = {}) => {
  const made = run(doc, inputs);
  if (!('error' in made)) throw new Error('it was done');
  return made.error;
};

/** A function that maps a list by the next one, `depth` of them: the work is the length to the power of depth. */
function tower(depth: number, first: string) {
  return Array.from({ length: depth }, (_, at) => {
    const step = method(1, 'Array.map', [input('l'), at + 1 < depth ? `f${at + 1}` : first, input('l')]);
    return fn(`f${at}`, ['x', 'i', 'all', 'l'], [step], { out: result(step) });
  });
}

describe('work is bounded, and the step that goes too far is named', () => {
  test.skipIf(!isLong)('nested callbacks exceed the limit of work', () => {
    const leaf = fn('leaf', ['x'], [], { out: input('x') });
    const start = method(1, 'Array.map', [input('l'), 'f0', input('l')]);
    const doc = body(['l'], [start], { out: result(start) }, [...tower(8, 'leaf'), leaf]);
    const { message, step } = failed(doc, { l: Array.from({ length: 20 }, (_, at) => at) });
    expect(message).toContain('the transformation takes too long');
    expect(step).toBe('1');
  });
  test('a list that doubles with every step', () => {
    const steps = [
      method(1, 'Array.concat', [
        [1, 2],
        [3, 4],
      ]),
    ];
    for (let at = 2; at <= 60; at++) {
      const before = steps.at(-1);
      if (before) steps.push(method(at, 'Array.concat', [result(before), result(before)]));
    }
    const last = steps.at(-1);
    if (!last) throw new Error('steps');
    expect(failed(body([], steps, { out: result(last) })).message).toContain('grows beyond');
  });
  test.skipIf(!isLong)('a text, or a value seen as text, that doubles with every step', () => {
    for (const name of ['Math.add', 'String.concat', 'Array.new Array']) {
      const steps = [method(1, name, ['ab', 'cd'])];
      for (let at = 2; at <= 60; at++) {
        const before = steps.at(-1);
        if (before) steps.push(method(at, name, [result(before), result(before)]));
      }
      const last = steps.at(-1);
      if (!last) throw new Error('steps');
      for (const reading of ['JSON.stringify', 'String.new String', 'Equality.deepEquals']) {
        const read = method(99, reading, [
          result(last),
          reading === 'Equality.deepEquals' ? result(last) : null,
        ]);
        failed(body([], [...steps, read], { out: result(read) }));
      }
      failed(body([], steps, { out: result(last) }));
    }
  });
  test.each([
    ['Array.new Array', [1_000_000], 1],
    ['Array.from', [{ length: 4_000_000_000 }], 0],
    ['Array.setIndex', [[], 4_000_000_000, 1], 0],
    ['Object.setProperty', [[], 'length', 4_000_000_000], 0],
    ['Object.setProperty', [[], 'length', -1], 0],
    ['Array.join', [wired(new Array(400_000).fill('')), 'x'.repeat(1000)], 0],
    ['String.replace', ['x'.repeat(2000), 'x', "$'".repeat(3000)], 0],
    ['String.split', ['x'.repeat(600_000), ''], 0],
    ['RegExp.test', ['a'.repeat(30_000), 'a'], 0],
  ])('%s fails when its result or its work is too large', (name, args, polymorph) => {
    expect(value(name, args, polymorph)).toEqual({ error: expect.stringMatching(/./) });
  });
  test('nested values exceed a limit', () => {
    const wrap = method(1, 'Array.new Array', [input('x')]);
    const f = fn('f', ['x'], [wrap], { out: result(wrap) });
    const start = method(1, 'Array.reduce', [input('l'), 'f', 0]);
    const doc = body(['l'], [start], { out: result(start) }, [f]);
    expect(failed(doc, { l: new Array(1000).fill(0) }).message).toContain('the value is nested too deeply');
  });
  test.skipIf(!isLong)('expressions that look far ahead for every hit', () => {
    const pattern = method(1, 'RegExp.new RegExp', ['a.*z|a', 'g']);
    const step = method(2, 'String.replace', [input('text'), result(pattern), '']);
    const doc = body(['text'], [pattern, step], { out: result(step) });
    const made = runTransformation(doc, { text: 'a'.repeat(400_000) });
    expect(made).toMatchObject({ error: { step: '2' } });
  });
});

test('steps may follow each other in long chains, functions too', () => {
  const steps = [method(1, 'Math.add', [input('a'), 1])];
  for (let at = 2; at <= 20_000; at++) {
    const before = steps.at(-1);
    if (before) steps.push(method(at, 'Math.add', [result(before), 1]));
  }
  const last = steps.at(-1);
  if (!last) throw new Error('steps');
  expect(run(body(['a'], steps, { out: result(last) }), { a: 0 })).toEqual({ outputs: { out: 20_000 } });
  const functions = Array.from({ length: 2000 }, (_, at) => {
    const step = call(1, `f${at + 1}`, [input('x')]);
    return fn(`f${at}`, ['x'], [step], { out: result(step, '/out') });
  });
  const start = call(1, 'f0', [input('a')]);
  const doc = body(['a'], [start], { out: result(start, '/out') }, [
    ...functions,
    fn('f2000', ['x'], [], { out: input('x') }),
  ]);
  expect(run(doc, { a: 7 })).toEqual({ outputs: { out: 7 } });
});

test('functions that call each other more than a hundred levels deep end the run with an error', () => {
  const functions = Array.from({ length: 300 }, (_, at) => {
    const step = method(1, 'Array.map', [[1], `f${at + 1}`]);
    return fn(`f${at}`, ['x'], [step], { out: result(step) });
  });
  const start = method(1, 'Array.map', [[1], 'f0']);
  const doc = body([], [start], { out: result(start) }, [
    ...functions,
    fn('f300', ['x'], [], { out: input('x') }),
  ]);
  expect(failed(doc).message).toContain('functions call each other too deeply');
});

describe('nothing reaches behind an object', () => {
  const parsed = JSON.parse(
    '{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}',
  );
  test.each([
    ['Object.getProperty', [{}, '__proto__']],
    ['Object.getProperty', [{}, 'constructor']],
    ['Object.setProperty', [{}, '__proto__', { polluted: true }]],
    ['Object.setProperty', [{}, ['__proto__'], { polluted: true }]],
    ['Object.setProperty', [[], 'constructor', 1]],
    ['Object.deleteProperty', [{}, 'prototype']],
    ['Object.optional chaining', [{}, 'constructor', 'prototype']],
    ['Object.fromEntries', [[['__proto__', { polluted: true }]]]],
    ['Array.getIndex', [[], '__proto__']],
    ['Array.setIndex', [[], '__proto__', {}]],
    ['WorkFlowEngine.query', [true, '__proto__.polluted', {}]],
    ['WorkFlowEngine.query', [true, '["constructor"]', {}]],
  ])('%s %j is rejected', (name, args) => {
    expect(value(name, args)).toEqual({
      error: expect.stringMatching(/^the key (__proto__|constructor|prototype) is not allowed$/),
    });
  });
  test('data with such names passes as data', () => {
    const set = method(1, 'Object.setProperty', [input('a'), 'more', 1]);
    const read = method(2, 'Object.getProperty', [result(set), 'polluted']);
    const made = run(body(['a'], [set, read], { out: result(set), read: result(read) }), { a: parsed });
    expect(JSON.stringify(made)).toBe(
      '{"outputs":{"out":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"more":1}}}',
    );
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
  test('names of inputs, outputs and functions are names only', () => {
    const step = template(1, 'x', []);
    const doc = body(['__proto__', 'constructor'], [step], {
      toString: result(step),
      hasOwnProperty: input('constructor'),
    });
    expect(run(doc, {})).toEqual({ outputs: { toString: 'x' } });
    expect(run(body([], [call(1, 'constructor', [])], {}))).toMatchObject({ error: { code: 'document' } });
    expect(run(body([], [method(1, 'Object.constructor', [])], {}))).toMatchObject({
      error: { code: 'document' },
    });
  });
  test('methods that data brings are never called', () => {
    const odd = { toString: 1, valueOf: 2, toJSON: 3, length: 'x' };
    for (const name of [
      'String.new String',
      'Number.new Number',
      'JSON.stringify',
      'Object.keys',
      'Math.floor',
    ]) {
      expect(value(name, [wired(odd)])).not.toEqual({ error: expect.anything() });
    }
    expect(value('String.new String', [wired(odd)])).toBe('[object Object]');
  });
});

test('no document and no input makes a run throw, and none is changed', () => {
  const name = fc.constantFrom('a', 'b', '__proto__', '1', '');
  const end = fc.record(
    {
      location: fc.constantFrom(
        'incoming',
        'outgoing',
        'method',
        'declaration',
        'template',
        'function',
        'context',
        'x',
      ),
      name: fc.oneof(name, fc.integer({ min: 0, max: 4 })),
      ptr: fc.constantFrom(
        '',
        '/a',
        '/return',
        '/return/value',
        '/args/0/value',
        '/args/1/value/x',
        '/context',
        'x',
      ),
    },
    { requiredKeys: [] },
  );
  const step = fc.record(
    {
      id: fc.integer({ min: 0, max: 4 }),
      type: fc.constantFrom('assign', 'method', 'declaration', 'template', 'function', 'context', 'x'),
      library: fc.constantFrom('Array', 'Object', 'String', 'Conditional'),
      method: fc.constantFrom(
        'map',
        'new Array',
        'length',
        'push',
        'keys',
        'switch',
        'templateLiteral',
        'sort',
      ),
      args: fc.oneof(fc.array(fc.jsonValue({ maxDepth: 1 })), fc.jsonValue()),
      from: end,
      to: end,
      function: name,
      template: fc.string(),
      context: fc.constantFrom('#', '#/1[0]', '#/2[1]/3[0]', '', 7),
      return: fc.jsonValue({ maxDepth: 1 }),
    },
    { requiredKeys: [] },
  );
  const ports = fc.array(fc.record({ $id: name }), { maxLength: 3 });
  const part = { incoming: ports, outgoing: ports, steps: fc.array(step, { maxLength: 8 }) };
  const functions = fc.array(fc.record({ id: name, name, ...part }), { maxLength: 2 });
  fc.assert(
    fc.property(fc.record({ ...part, functions }), fc.dictionary(name, fc.jsonValue()), (doc, inputs) => {
      const before = JSON.stringify([doc, inputs]);
      // What a stored document may hold is wider than its type.
      const made = runTransformation(doc as object, inputs, {
        validateIncoming: true,
        revertToDefaultValue: true,
      });
      expect('outputs' in made || made.error.message.length > 0).toBe(true);
      expect(JSON.stringify([doc, inputs])).toBe(before);
    }),
    lawRuns(600),
  );
});
