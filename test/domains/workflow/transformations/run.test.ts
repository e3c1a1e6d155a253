// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of documents, not of ours
import { describe, expect, test } from 'vitest';
import { runTransformation } from '#server/domains/workflow/transformations/transformation.ts';
import {
  body,
  branch,
  call,
  declare,
  fn,
  input,
  method,
  outputs,
  result,
  run,
  template,
  wire,
} from '../../../helpers/documents/transformations.ts';

/** The example of the design: ports that are down, with their site. */
const PORTS = {
  name: 'Ports that are down',
  incoming: [
    { $id: 'ports', type: 'array' },
    { $id: 'site', type: 'string', default: 'lab' },
  ],
  outgoing: [{ $id: 'report', type: 'object' }],
  steps: [
    wire(
      { from: { location: 'method', name: 4, ptr: '/return' } },
      { location: 'outgoing', name: 'report', ptr: '/down/count' },
    ),
    { id: 1, type: 'method', library: 'Array', method: 'filter', args: [null, 'isDown'] },
    { id: 3, type: 'method', library: 'Array', method: 'map', args: [null, 'label', null] },
    { id: 4, type: 'method', library: 'Array', method: 'length', args: [null] },
    { id: 11, type: 'method', library: 'Array', method: 'pop', args: [null] },
    wire(input('ports'), { location: 'method', name: 1, ptr: '/args/0/value' }),
    wire(
      { from: { location: 'method', name: 1, ptr: '/return' } },
      { location: 'method', name: 3, ptr: '/args/0/value' },
    ),
    wire(input('site'), { location: 'method', name: 3, ptr: '/args/2/value' }),
    wire(
      { from: { location: 'method', name: 1, ptr: '/return' } },
      { location: 'method', name: 4, ptr: '/args/0/value' },
    ),
    wire(
      { from: { location: 'method', name: 3, ptr: '/return' } },
      { location: 'outgoing', name: 'report', ptr: '/down/names' },
    ),
    wire(
      { from: { location: 'method', name: 3, ptr: '/return' } },
      { location: 'method', name: 11, ptr: '/args/0/value' },
    ),
    wire(
      { from: { location: 'method', name: 11, ptr: '/return/value' } },
      { location: 'outgoing', name: 'report', ptr: '/last' },
    ),
  ],
  functions: [
    (() => {
      const not = method(1, 'Logical.not', [input('element', '/up')]);
      return fn('isDown', ['element', 'index', 'array'], [not], { return: result(not) });
    })(),
    (() => {
      const text = template(1, '${site}/${port}', [input('constantValue1'), input('currentValue', '/name')]);
      const names = ['currentValue', 'index', 'array', 'constantValue1'];
      return { ...fn('label', names, [text], { newValue: result(text) }), name: 'siteLabel' };
    })(),
  ],
};

describe('the example of the documentation', () => {
  const ports = [{ name: 'e1', up: true }, { name: 'e2', up: false }, { name: 'e3' }];
  test('names both ports, though the last one was popped', () => {
    expect(outputs(PORTS, { ports }, { revertToDefaultValue: true })).toEqual({
      report: { down: { count: 2, names: ['lab/e2', 'lab/e3'] }, last: 'lab/e3' },
    });
  });
  test('without ports there is no last one', () => {
    const options = { revertToDefaultValue: true, extractOutput: true };
    expect(outputs(PORTS, { ports: [] }, options)).toEqual({ down: { count: 0, names: [] } });
  });
  test('names the step, the function and the argument that a failure is about', () => {
    expect(run(PORTS, { ports: 7 })).toEqual({
      error: {
        code: 'step',
        message:
          'transformation "Ports that are down": step 1 (Array.filter): a list is expected as argument 0, found a number',
        functions: [],
        step: '1',
        operation: 'Array.filter',
        argument: 0,
      },
    });
  });
});

const one = (made: Parameters<typeof result>[0], functions: object[] = [], incoming: string[] = ['a', 'b']) =>
  body(incoming, [made], { out: result(made) }, functions as Record<string, unknown>[]);
const out = (doc: object, inputs: Record<string, unknown> = {}) =>
  (outputs(doc, inputs) as { out?: unknown }).out;

describe('slots', () => {
  test('null is a parameter without a connection: left out at the end, undefined before', () => {
    expect(out(one(method(1, 'String.split', ['a,b', ',', null])))).toEqual(['a', 'b']);
    expect(out(one(declare(1, 'Array.new Array', 0, [null, 1, null])))).toEqual([null, 1]);
  });
  test('passes connected values, null and undefined included', () => {
    expect(out(one(method(1, 'String.split', ['a,b', ',', input('a')])), { a: null })).toEqual([]);
    expect(out(one(method(1, 'Array.push', [[], input('a')])), {})).toEqual([null]);
  });
  test('a wire replaces a literal, and reaches slots that the step does not list', () => {
    const doc = one({
      step: { id: 1, type: 'method', library: 'Math', method: 'add', args: [1] },
      wires: [0, 1].map((at) => wire(input('a'), { location: 'method', name: 1, ptr: `/args/${at}/value` })),
    });
    expect(out(doc, { a: 5 })).toBe(10);
  });
  test('an empty text is no value where a function is called', () => {
    const doc = one(call(1, 'f', ['']), [fn('f', ['x'], [], { out: input('x') })]);
    expect(out(doc)).toEqual({});
  });
  test('null results from JSON, from new Null, and from optional chaining', () => {
    expect(out(one(method(1, 'JSON.parse', ['null', null])))).toBe(null);
    expect(out(one(method(1, 'Null.new Null', [])))).toBe(null);
    expect(out(one(method(1, 'Object.optional chaining', [{ null: null }, 'null'])))).toBe(null);
  });
  test('a literal is the same for every call of a function', () => {
    const set = method(1, 'Object.setProperty', [{}, input('x'), true]);
    const doc = one(method(1, 'Array.map', [input('a'), 'f']), [fn('f', ['x'], [set], { out: result(set) })]);
    expect(out(doc, { a: ['p', 'q'] })).toEqual([{ p: true }, { q: true }]);
  });
});

describe('pointers', () => {
  test('read names, escaped names, elements and lengths; nothing below nothing', () => {
    const read = (ptr: string) =>
      out(body(['a'], [], { out: input('a', ptr) }), { a: { 'x/y~z': [{ n: 1 }], n: null } });
    expect(read('/x~1y~0z/0/n')).toBe(1);
    expect(read('/x~1y~0z/length')).toBe(1);
    expect(read('/n/more')).toBeUndefined();
    expect(read('/nothing/more')).toBeUndefined();
    expect(read('/toString')).toBeUndefined();
  });
  test('create missing objects along the path, also for numbers, and existing elements of lists', () => {
    const made = body(['a'], [], {
      'o/x/0': input('a'),
      'o/y': input('a'),
      l: input('a', '/list'),
      'l/1': input('a', '/n'),
    });
    expect(outputs(made, { a: { list: [1, 2, 3], n: 9 } })).toEqual({
      o: { x: { 0: { list: [1, 2, 3], n: 9 } }, y: { list: [1, 2, 3], n: 9 } },
      l: [1, 9, 3],
    });
  });
  test('the whole is written before its parts, whatever the order of steps', () => {
    const doc = body(['a', 'b'], [], { 'o/x': input('b'), o: input('a') });
    const inputs = { a: { x: 1, y: 1 }, b: 2 };
    expect(outputs(doc, inputs)).toEqual({ o: { x: 2, y: 1 } });
    expect(inputs.a).toEqual({ x: 1, y: 1 });
  });
  test('an input that is declared nowhere is undefined, an output that is declared nowhere gets nothing', () => {
    const doc = body([], [], { out: input('thisArg') });
    doc.steps.push(wire(input('thisArg'), { location: 'outgoing', name: 'nowhere', ptr: '' }));
    expect(outputs(doc, { thisArg: 1 })).toEqual({});
  });
});

describe('steps whose results are not needed', () => {
  const broken = method(1, 'JSON.parse', ['{', null]);
  test('a failing step whose result is not read changes nothing', () => {
    expect(outputs(body(['a'], [broken], { out: input('a') }), { a: 1 })).toEqual({ out: 1 });
  });
  test.each([
    ['Conditional.ternary', [true, 'fine', 'x']],
    ['Conditional.ternary', [false, 'x', 'fine']],
    ['Logical.or', ['fine', 'x']],
    ['Logical.nullish', ['fine', 'x']],
  ])('%s %j does not calculate the argument that it does not need', (name, args) => {
    const step = method(
      2,
      name,
      args.map((arg) => (arg === 'x' ? result(broken) : arg)),
    );
    expect(outputs(body([], [broken, step], { out: result(step) }))).toEqual({ out: 'fine' });
  });
  test('Logical.and stops at the first false value', () => {
    const step = method(2, 'Logical.and', [0, result(broken)]);
    expect(outputs(body([], [broken, step], { out: result(step) }))).toEqual({ out: 0 });
  });
  test('an output of a function that is not read is not calculated', () => {
    const parse = method(1, 'JSON.parse', ['{', null]);
    const f = fn('f', ['x'], [parse], { good: input('x'), bad: result(parse) });
    const step = call(1, 'f', [input('a')]);
    expect(outputs(body(['a'], [step], { out: result(step, '/good') }, [f]), { a: 1 })).toEqual({ out: 1 });
    const whole = run(body(['a'], [step], { out: result(step, '/bad') }, [f]), { a: 1 });
    expect(whole).toMatchObject({ error: { functions: ['f'], step: '1', operation: 'JSON.parse' } });
  });
});

describe('functions', () => {
  const pair = fn('pair it', ['x', 'y'], [], { sum: input('x'), rest: input('y', '/0') });
  test('bind by place, and give their outputs by name', () => {
    const step = call(1, 'pair it', [input('a'), input('b')]);
    const doc = body(
      ['a', 'b'],
      [step],
      { s: result(step, '/sum'), r: result(step, '/rest'), all: result(step) },
      [pair],
    );
    expect(outputs(doc, { a: 1, b: [2] })).toEqual({ s: 1, r: 2, all: { sum: 1, rest: 2 } });
  });
  test('are looked up by id, in the own list first, then outwards', () => {
    const g = (value: number) => {
      const step = method(1, 'Math.add', [input('x'), value]);
      return fn('g', ['x'], [step], { out: result(step) });
    };
    const inner = call(1, 'g', [input('x')]);
    const own = { ...fn('f', ['x'], [inner], { out: result(inner, '/out') }), functions: [g(10)] };
    const step = call(1, 'f', [input('a')]);
    const doc = (functions: Record<string, unknown>[]) =>
      body(['a'], [step], { out: result(step, '/out') }, functions);
    expect(outputs(doc([own, g(100)]), { a: 1 })).toEqual({ out: 11 });
    expect(outputs(doc([{ ...own, functions: [] }, g(100)]), { a: 1 })).toEqual({ out: 101 });
  });
  test('a callback sees its parameters only, and returns its only output under any name', () => {
    const f = fn('f', ['x'], [], { returnn: input('x') });
    expect(out(one(method(1, 'Array.map', [[1], 'f']), [f]))).toEqual([1]);
    const blind = fn('f', ['x'], [], { out: input('a') });
    expect(out(one(method(1, 'Array.map', [[1], 'f']), [blind]), { a: 5 })).toEqual([null]);
  });
  test('constants are calculated once, outside the loop', () => {
    const dice = method(2, 'Math.random', []);
    const step = method(1, 'Array.map', [[1, 2], 'f', result(dice)]);
    const f = fn('f', ['x', 'i', 'l', 'c'], [], { out: input('c') });
    const doc = body([], [step, dice], { out: result(step) }, [f]);
    const falls = [0.1, 0.2];
    const around = { now: () => 0, random: () => falls.shift() ?? 1 };
    expect(runTransformation(doc, {}, {}, around)).toEqual({ outputs: { out: [0.1, 0.1] } });
  });
});

describe('branches', () => {
  const cased = (value: string) => {
    const choice = branch(24, ['x', 'y'], input('a'));
    const first = template(1, 'first', [], '#/24[1]');
    const second = template(2, 'second', [], '#/24[2]');
    const otherwise = template(3, 'other', [], '#/24[0]');
    const doc = body(['a'], [choice, first, second, otherwise], {});
    doc.outgoing = [{ $id: 'out' }, { $id: 'outside' }];
    for (const one of [first, second, otherwise]) {
      doc.steps.push(
        wire(result(one), { location: 'outgoing', name: 'out', ptr: '' }, one.step.context as string),
      );
    }
    doc.steps.push(wire(result(first), { location: 'outgoing', name: 'outside', ptr: '' }));
    doc.steps.push(
      wire(
        { from: { location: 'context', name: 24, ptr: '/return/case_1' } },
        { location: 'template', name: 1, ptr: '/context' },
      ),
    );
    return outputs(doc, { a: value });
  };
  test('the case that is strictly equal runs alone, the branch 0 when there is none', () => {
    expect(cased('x')).toEqual({ out: 'first', outside: 'first' });
    expect(cased('y')).toEqual({ out: 'second' });
    expect(cased('z')).toEqual({ out: 'other' });
  });
  test('if and else are the branches 0 and 1; they nest, and an inner one runs in its outer one only', () => {
    const outer = branch(1, null, input('a'));
    const inner = branch(2, null, input('b'), '#/1[1]');
    const yes = template(3, 'if', [], '#/1[0]');
    const no = template(4, 'else if', [], '#/1[1]/2[0]');
    const never = template(5, 'else', [], '#/1[1]/2[1]');
    const doc = body(['a', 'b'], [outer, inner, yes, no, never], {});
    doc.outgoing = [{ $id: 'out' }];
    for (const one of [yes, no, never])
      doc.steps.push(wire(result(one), { location: 'outgoing', name: 'out', ptr: '' }));
    const chosen = (a: unknown, b: unknown) => out(doc, { a, b });
    expect([chosen(1, 1), chosen(1, 0), chosen(0, 1), chosen(0, 0)]).toEqual(['if', 'if', 'else if', 'else']);
  });
  test('a step at the root receives the inputs that the chosen branch wires into it', () => {
    const choice = branch(9, null, input('a'));
    const yes = template(1, 'yes', [], '#/9[0]');
    const no = template(2, 'no', [], '#/9[1]');
    const upper = method(3, 'String.toUpperCase', [null]);
    const doc = body(['a'], [choice, yes, no, upper], { out: result(upper) });
    for (const one of [yes, no])
      doc.steps.push(wire(result(one), { location: 'method', name: 3, ptr: '/args/0/value' }));
    expect([out(doc, { a: true }), out(doc, { a: false })]).toEqual(['YES', 'NO']);
  });
});

describe('templates', () => {
  const text = (shape: string, args: unknown[], inputs = {}) => out(one(template(1, shape, args)), inputs);
  test('slots go by distinct names, in order of their first appearance', () => {
    expect(text('${b}-${ a }-${b}', ['first', 'second'])).toBe('first-second-first');
  });
  test('values are texts as the host language makes them', () => {
    expect(text('${a}|${b}|${c}|${d}|${e}', [[1, [2]], { x: 1 }, input('a'), true, null], { a: null })).toBe(
      '1,2|[object Object]|null|true|undefined',
    );
  });
  test('a value is not a template, and a template is not code', () => {
    expect(text('${a} ${process.exit(1)}', [input('a'), 'x'], { a: '${b}' })).toBe('${b} x');
    expect(text('$ {a} ${', [])).toBe('$ {a} ${');
  });
});

test('a document that cannot run is rejected with every reason', () => {
  const doc = body([], [method(1, 'Array.shuffle', []), call(2, 'nobody', [])], {});
  expect(run(doc)).toEqual({
    error: {
      code: 'document',
      message:
        'transformation "Drawn": steps.0.method: the method Array.shuffle is not known; ' +
        'steps.1.function: calls the function "nobody", which does not exist',
      issues: [
        expect.objectContaining({ code: 'unknown_method', path: ['steps', 0, 'method'] }),
        expect.objectContaining({ code: 'unknown_function', path: ['steps', 1, 'function'] }),
      ],
    },
  });
});
