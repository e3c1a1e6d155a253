import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ran, refusalOf } from '../../../helpers/jobs/task-runs.ts';

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ['arrayPush', { arr: ['a'], elementN: ['b'] }, { pushedArray: ['a', ['b']] }],
  ['arrayPush', { arr: [], elementN: 'edge-1' }, { pushedArray: ['edge-1'] }],
  ['arrayLength', { arr: [1, [2, 3]] }, { length: 2 }],
  ['arrayIncludes', { arr: ['a', { b: 1 }], searchElement: { b: 1 } }, { found: true, result: true }],
  ['arrayIncludes', { arr: ['a', 'b'], searchElement: 'a', fromIndex: 1 }, { found: false, result: false }],
  ['arrayIncludes', { arr: ['a', 'b'], searchElement: 'b', fromIndex: '-1' }, { found: true, result: true }],
  ['arrayIncludes', { arr: [1], searchElement: '1' }, { found: false, result: false }],
  ['arrayIndexOf', { arr: ['a', 'b', 'a'], searchElement: 'a', fromIndex: '' }, { index: 0 }],
  ['arrayIndexOf', { arr: ['a', 'b', 'a'], searchElement: 'a', fromIndex: 1 }, { index: 2 }],
  ['arrayIndexOf', { arr: ['a'], searchElement: 'c' }, { index: -1 }],
  ['arrayConcat', { arr: ['a'], arrayN: ['b', ['c']] }, { concatenatedArray: ['a', 'b', ['c']] }],
  ['arrayConcat', { arr: ['a'] }, { concatenatedArray: ['a'] }],
  ['join', { arr: ['a', 1, null, { b: 2 }], separator: '<br>' }, { joinedElements: 'a<br>1<br><br>{"b":2}' }],
  ['join', { arr: ['a', 'b'] }, { joinedElements: 'a,b' }],
  ['join', { arr: ['a', 'b'], separator: '' }, { joinedElements: 'ab' }],
  ['stringConcat', { str: '# ', stringN: 'title' }, { combinedStrings: '# title' }],
  ['stringConcat', { str: 'a', stringN: ['b', 3] }, { combinedStrings: 'ab3' }],
  ['stringConcat', { str: 'a' }, { combinedStrings: 'a' }],
  ['stringLength', { str: '' }, { length: 0 }],
  ['split', { str: 'a-b-c', separator: '-' }, { splitArray: ['a', 'b', 'c'] }],
  ['split', { str: 'a-b-c', separator: '-', limit: 2 }, { splitArray: ['a', 'b'] }],
  ['split', { str: 'a😀b', separator: '' }, { splitArray: ['a', '😀', 'b'] }],
  ['split', { str: '😀😀😀', separator: '', limit: 2 }, { splitArray: ['😀', '😀'] }],
  ['replace', { str: 'a.b.b', substr: '.b', newSubstr: '$&' }, { replacedString: 'a$&.b' }],
  ['replace', { str: 'ab', substr: 'c', newSubstr: 'd' }, { replacedString: 'ab' }],
  ['replace', { str: 'ab', substr: 'b' }, { replacedString: 'a' }],
  ['parse', { text: ' {"a":[1,null]} ' }, { textObject: { a: [1, null] } }],
  [
    'substring',
    { str: 'network/ZG5z:10.0.0.0', indexStart: 8, indexEnd: '' },
    { substring: 'ZG5z:10.0.0.0' },
  ],
  ['substring', { str: 'edge-1', indexEnd: 4 }, { substring: 'edge' }],
  ['substring', { str: 'edge-1', indexStart: 99 }, { substring: '' }],
  ['numberToString', { num: 255, radix: 16 }, { numToString: 'ff' }],
  ['numberToString', { num: '10', radix: '' }, { numToString: '10' }],
  ['stringify', { obj: { a: [1, null] } }, { stringifiedObject: '{"a":[1,null]}' }],
  ['setObjectKey', { obj: { a: 1 }, path: ['b', 'c'], value: 2 }, { object: { a: 1, b: { c: 2 } } }],
  [
    'setObjectKey',
    { obj: { a: [1, { b: 2 }] }, path: ['a', 1, 'b'], value: 3 },
    { object: { a: [1, { b: 3 }] } },
  ],
  ['setObjectKey', { obj: { a: [1] }, path: ['a', '1'], value: 2 }, { object: { a: [1, 2] } }],
  ['setObjectKey', { obj: {}, path: 'a', value: null }, { object: { a: null } }],
  [
    'setObjectKey',
    { obj: {}, path: ['constructor', 'name'], value: 1 },
    { object: { constructor: { name: 1 } } },
  ],
  [
    'makeData',
    { input: '<!a!>/<!b!>', outputType: 'string', variables: { a: 'x', b: 5 } },
    { output: 'x/5' },
  ],
  ['makeData', { input: '<! a.b !>', outputType: 'string', variables: { a: { b: [1] } } }, { output: '[1]' }],
  ['makeData', { input: '<!gone!>', outputType: 'string', variables: {} }, { output: '<!gone!>' }],
  ['makeData', { input: ['<!x!>'], outputType: 'json', variables: { x: 'y' } }, { output: ['y'] }],
  ['makeData', { input: '["a=<!x!>"\n]', outputType: 'json', variables: { x: 'y' } }, { output: ['a=y'] }],
  ['makeData', { input: '0', outputType: 'number', variables: '' }, { output: 0 }],
  ['makeData', { input: 7, outputType: 'number', variables: '' }, { output: 7 }],
  ['makeData', { input: '<!x!>', outputType: 'boolean', variables: { x: true } }, { output: true }],
  ['makeData', { input: '<!x!>', outputType: 'string', variables: { x: '<!x!>' } }, { output: '<!x!>' }],
  ['validateJsonSchema', { schema: { type: 'object' }, data: {} }, { valid: true, errors: [] }],
])('%s returns the expected values for %j', (name, incoming, outgoing) => {
  const before = JSON.stringify(incoming);
  expect(ran(name, incoming)).toEqual({ finish: 'success', outgoing });
  expect(JSON.stringify(incoming)).toBe(before);
});

test('data that violates its schema is a failure that lists the issues', () => {
  const schema = { type: 'object', required: ['name'], properties: { port: { type: 'integer' } } };
  const { finish, outgoing } = ran('validateJsonSchema', { schema, data: { port: 'x' } });
  expect(finish).toBe('failure');
  expect(outgoing).toMatchObject({
    valid: false,
    errors: [
      { path: ['name'], message: 'is missing' },
      { path: ['port'], message: 'must be integer' },
    ],
  });
  expect(refusalOf('validateJsonSchema', { schema: { pattern: '(a' }, data: 'a' })).toContain(
    'missing closing )',
  );
});

test.each<[string, Record<string, unknown>, string]>([
  ['arrayLength', {}, 'arr is missing'],
  ['arrayLength', { arr: null }, 'arr is missing'],
  ['arrayLength', { arr: 'abc' }, 'arr must be a list, but is a string'],
  ['arrayIncludes', { arr: [], searchElement: 'a', fromIndex: 1.5 }, 'fromIndex must be an integer'],
  ['arrayConcat', { arr: [], arrayN: 'b' }, 'arrayN must be a list, but is a string'],
  ['stringLength', { str: 5 }, 'str must be a string, but is a number'],
  ['split', { str: 'a', separator: '-', limit: 'x' }, 'limit must be a number, but is a string'],
  ['split', { str: 'a', separator: '-', limit: -1 }, 'limit must not be negative'],
  ['substring', { str: 5 }, 'str must be a string, but is a number'],
  ['numberToString', { num: 1, radix: 37 }, 'radix must be 2 to 36'],
  ['parse', { text: '{' }, 'text is not JSON'],
  ['parse', { text: {} }, 'text must be a string, but is an object'],
  ['parse', { text: '"\\u0000"' }, 'NUL character'],
  ['parse', { text: '1e999' }, 'number out of range'],
  ['parse', { text: '{"__proto__":{"polluted":true}}' }, 'is not allowed as the name of a field'],
  ['stringify', {}, 'obj is missing'],
  ['setObjectKey', { obj: [], path: ['a'], value: 1 }, 'obj must be an object, but is a list'],
  ['setObjectKey', { obj: {}, path: [], value: 1 }, 'path is empty'],
  ['setObjectKey', { obj: {}, path: [{}], value: 1 }, 'path must be a list of names'],
  [
    'setObjectKey',
    { obj: {}, path: ['__proto__', 'polluted'], value: 1 },
    'which cannot be the name of a field',
  ],
  ['setObjectKey', { obj: { a: [] }, path: ['a', 1e9], value: 1 }, 'is not a position in a list of 0'],
  [
    'setObjectKey',
    { obj: { a: 'text' }, path: ['a', 'b'], value: 1 },
    'of a value that is not an object or list',
  ],
  ['makeData', { outputType: 'string' }, 'input is missing'],
  ['makeData', { input: 'x', outputType: 'text' }, 'outputType must be one of string, json, number, boolean'],
  [
    'makeData',
    { input: 'x', outputType: 'number' },
    'input is not a number after its variables are replaced: x',
  ],
  ['makeData', { input: '', outputType: 'number' }, 'input is not a number'],
  ['makeData', { input: '{"a":"<!a!>"}', outputType: 'json', variables: { a: '"' } }, 'input is not JSON'],
])('%s with invalid values ends in error: %#', (name, incoming, message) => {
  expect(refusalOf(name, incoming)).toContain(message);
  expect({}).not.toHaveProperty('polluted');
});

test('a value beyond the limit is rejected before it is made', () => {
  const long = 'x'.repeat(1024 * 1024);
  const places = '<!x!>'.repeat(1000);
  expect(refusalOf('makeData', { input: places, outputType: 'string', variables: { x: long } })).toContain(
    'more than 16777216 characters',
  );
  expect(refusalOf('join', { arr: Array.from({ length: 20 }, () => long) })).toContain(
    'arr would become a string',
  );
  expect(refusalOf('split', { str: 'ab'.repeat(1_000_000), separator: 'b' })).toContain(
    'more than 1000000 items',
  );
  const many = Array.from({ length: 600_000 }, () => 0);
  expect(refusalOf('arrayConcat', { arr: many, arrayN: many })).toContain('arrayN would become a list');
  expect(
    ran('makeData', { input: '<!'.repeat(1_000_000), outputType: 'string', variables: { x: 1 } }).finish,
  ).toBe('success');
});

test('an expression that would take too long on a long text is rejected, and a plain word never is', () => {
  const text = 'a'.repeat(4 * 1024 * 1024);
  const holds = (part: string) => ran('decision', { operand_1: text, operator: 'contains', operand_2: part });
  expect(holds('edge-1 is up').finish).toBe('failure');
  expect(holds('(a?){300}b$').error?.message).toContain(
    'would take too long on a string of 4194304 characters',
  );
  const query = { obj: [{ text }], query: '[text~/(a?){300}b$/]' };
  expect(refusalOf('query', query)).toContain('would take too long');
});

test('JSON written is read back as the same, also as filled text', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (obj) => {
      fc.pre(
        obj !== null &&
          !JSON.stringify(obj).includes('__proto__') &&
          !/\\u0000|\\ud[89a-f]/i.test(JSON.stringify(obj)),
      );
      const text = ran('stringify', { obj }).outgoing.stringifiedObject;
      expect(ran('parse', { text }).outgoing.textObject).toEqual(JSON.parse(JSON.stringify(obj)));
      const made = ran('makeData', { input: '<!obj!>', outputType: 'json', variables: { obj: text } });
      expect(made.outgoing.output).toEqual(JSON.parse(JSON.stringify(obj)));
    }),
  );
});

test('joining the parts of a split text returns the text', () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 1 }), (str, separator) => {
      const { splitArray } = ran('split', { str, separator }).outgoing;
      expect(ran('join', { arr: splitArray, separator }).outgoing.joinedElements).toBe(str);
    }),
  );
});

test('the difference of two times is the same in each unit, however they are written', () => {
  const apart = (firstTime: unknown, secondTime: unknown) =>
    ran('calculateTimeDiff', { firstTime, secondTime }).outgoing.timeDiff;
  expect(apart('2026-02-03T05:05:06Z', '2026-02-03T04:05:06.000+00:00')).toEqual({
    weeks: 1 / 168,
    days: 1 / 24,
    hours: 1,
    minutes: 60,
    seconds: 3600,
    milliseconds: 3_600_000,
  });
  const written = (time: string, formatString: string) => ({ time, formatString });
  expect(
    apart(
      written('2023-06-21T15:02:07.254000-1100', 'YYYY-MM-DDTHH:mm:ss.SSSSSSZZ'),
      '2023-06-22T02:02:07.254Z',
    ),
  ).toMatchObject({ milliseconds: 0 });
  expect(apart(written('7 Feb 2026', 'D MMM YYYY'), '2026-02-06 00:00')).toMatchObject({ days: 1 });
  expect(apart(written('1769900706', 'X'), '2026-01-31T23:05:06Z')).toMatchObject({ seconds: 0 });
});

test.each<[unknown, string]>([
  [undefined, 'firstTime is missing'],
  [5, 'firstTime must be a time, or {time, formatString}'],
  ['yesterday', 'firstTime is not an ISO 8601 time: yesterday'],
  ['2026-13-01', 'firstTime is not an ISO 8601 time'],
  ['2026-02-30T00:00:00Z', 'firstTime is not an ISO 8601 time'],
  [{ time: '03/02', formatString: 'DD.MM' }, 'firstTime does not match the format DD.MM'],
  [{ time: '1 1', formatString: 'D D' }, 'firstTime has a format with the same part twice'],
  [{ time: 'Monday', formatString: 'dddd' }, 'firstTime cannot be parsed by dddd in its format'],
  [{ time: '31.02.26', formatString: 'DD.MM.YY' }, 'firstTime cannot be parsed by YY'],
  [{ time: '99.99.2026', formatString: 'DD.MM.YYYY' }, 'firstTime is not a date of the calendar'],
  [{ time: '29.02.2027', formatString: 'DD.MM.YYYY' }, 'firstTime is not a date of the calendar'],
])('%j is rejected as a time', (firstTime, message) => {
  expect(refusalOf('calculateTimeDiff', { firstTime, secondTime: '2026-02-03' })).toContain(message);
});

test('a message that quotes a text can be stored, wherever it was cut', () => {
  for (const pad of ['', 'x']) {
    const input = pad + '😀'.repeat(100);
    const message = refusalOf('makeData', { input, outputType: 'number' }) ?? '';
    expect(message).toContain('input is not a number');
    expect(message.isWellFormed()).toBe(true);
  }
});
