import { describe, expect, test } from 'vitest';
import {
  body,
  declare,
  input,
  method,
  outputs,
  type Ref,
  result,
  run,
} from '../../../helpers/documents/transformations.ts';

const out = (doc: object, inputs: Record<string, unknown> = {}) =>
  (outputs(doc, inputs) as { out?: unknown }).out;

describe('values without a JSON form', () => {
  const through = (steps: Parameters<typeof body>[1], last: Ref) => out(body(['a'], steps, { out: last }));
  test('a set returns each primitive once, and every object', () => {
    const list = [1, '1', 1, {}, {}, null, null];
    const set = method(1, 'Set.new Set', [list]);
    const from = method(2, 'Array.from', [result(set)]);
    expect(through([set, from], result(from))).toEqual([1, '1', {}, {}, null]);
  });
  test('an object twice in a list is two in a set', () => {
    const set = method(1, 'Set.new Set', [input('a')]);
    const from = method(2, 'Array.from', [result(set)]);
    const same = { x: 1 };
    expect(out(body(['a'], [set, from], { out: result(from) }), { a: [same, same] })).toEqual([same, same]);
  });
  test.each([
    ['getTime', Date.UTC(2024, 1, 29, 23, 59)],
    ['toISOString', '2024-02-29T23:59:00.000Z'],
    ['toDateString', 'Thu Feb 29 2024'],
    ['getDate', 29],
    ['getMonth', 1],
    ['getFullYear', 2024],
  ])('Date.%s of a date is %j, in UTC', (name, expected) => {
    const date = declare(1, 'Date.new Date', 3, [2024, 1, 29, 23, 59]);
    const step = method(2, `Date.${name}`, [result(date)]);
    expect(through([date, step], result(step))).toBe(expected);
  });
  test('an invalid date has no ISO form, and is null outside', () => {
    const date = declare(1, 'Date.new Date', 2, ['soon']);
    const step = method(2, 'Date.toISOString', [result(date)]);
    expect(through([date], result(date))).toBe(null);
    expect(run(body([], [date, step], { out: result(step) }))).toMatchObject({ error: { step: '2' } });
  });
  test('dates compare, subtract and print as in the host language', () => {
    const [early, late] = [1, 2].map((day) => declare(day, 'Date.new Date', 3, [2024, 0, day]));
    if (!early || !late) throw new Error('two dates');
    const made = (name: string) => {
      const step = method(3, name, [result(early), result(late)]);
      return through([early, late, step], result(step));
    };
    expect(made('Relational.lessThan')).toBe(true);
    expect(made('Math.subtract')).toBe(-86_400_000);
    expect(made('Math.add')).toMatch(/^Mon Jan 01 2024 00:00:00 GMT\+0000 .*Tue Jan 02 2024/);
  });
  test('undefined fields go, undefined elements and numbers without a JSON form are null', () => {
    const doc = body(['a'], [], { out: input('a'), none: input('b') });
    expect(
      outputs(doc, { a: { x: undefined, l: [undefined, Number.NaN, -0], n: Number.POSITIVE_INFINITY } }),
    ).toEqual({
      out: { l: [null, null, 0], n: null },
    });
  });
});

describe('options', () => {
  const doc = {
    ...body(
      {
        site: { type: 'string', default: 'lab' },
        port: {
          type: 'object',
          properties: { name: { type: 'string' }, mtu: { type: 'number', default: 1500 } },
        },
      },
      [],
      { site: input('site'), port: input('port') },
    ),
  };
  test('uses defaults for values that were not supplied, also for nested keys; null counts as supplied', () => {
    const options = { revertToDefaultValue: true };
    expect(outputs(doc, { port: {} }, options)).toEqual({ site: 'lab', port: { mtu: 1500 } });
    expect(outputs(doc, { site: null, port: { mtu: 9000 } }, options)).toEqual({
      site: null,
      port: { mtu: 9000 },
    });
    expect(outputs(doc, { port: {} })).toEqual({ port: {} });
  });
  test('an output without an assigned value has its default too', () => {
    const empty = { outgoing: [{ $id: 'out', default: [1] }] };
    expect(outputs(empty, {}, { revertToDefaultValue: true })).toEqual({ out: [1] });
    expect(outputs(empty)).toEqual({});
  });
  test('inputs are checked after the defaults, every fault reported; examples are no defaults', () => {
    const strict = body(
      { a: { type: 'string', examples: ['x'] }, b: { type: 'number' }, c: { enum: ['on'], default: 'on' } },
      [],
      { out: input('a') },
    );
    const both = { validateIncoming: true, revertToDefaultValue: true };
    const failed = run(strict, { a: 5, b: '5' }, both);
    expect(failed).toMatchObject({
      error: {
        code: 'incoming',
        issues: [
          { path: ['a'], code: 'type' },
          { path: ['b'], code: 'type' },
        ],
      },
    });
    expect(outputs(strict, { b: 5 }, both)).toEqual({});
    expect(outputs(strict, { a: 5, b: '5' })).toEqual({ out: 5 });
  });
  test('extractOutput returns the only value unwrapped, and changes nothing for several', () => {
    expect(outputs(body(['a'], [], { out: input('a') }), { a: 1 }, { extractOutput: true })).toBe(1);
    expect(outputs(doc, { site: 'x' }, { extractOutput: true })).toEqual({ site: 'x' });
  });
});
