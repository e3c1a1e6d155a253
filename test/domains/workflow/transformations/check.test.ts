import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkTransformation } from '#server/domains/workflow/transformations/check.ts';

type Doc = Parameters<typeof checkTransformation>[0];
const found = (list: { code: string; path: (string | number)[] }[]) =>
  list.map(({ code, path }) => `${code} ${path.join('.')}`);

const assign = (from: object, to: object, id = 9) => ({ id, type: 'assign', from, to });
const returned = (location: string, name: number | string) => ({ location, name, ptr: '/return' });
const slot = (location: string, name: number, at = 0) => ({ location, name, ptr: `/args/${at}/value` });
const TEMPLATE = {
  id: 1,
  type: 'template',
  library: 'String',
  method: 'templateLiteral',
  template: 'x',
  args: [],
};
const sound: Doc = {
  incoming: [{ $id: 'ports' }],
  outgoing: [{ $id: 'count' }, { $id: 'label' }],
  steps: [
    { id: 1, type: 'method', library: 'Array', method: 'length', args: [null] },
    { id: 2, type: 'function', function: 'label', args: [''] },
    assign({ location: 'incoming', name: 'ports' }, slot('method', 1), 3),
    assign(returned('method', 1), { location: 'outgoing', name: 'count' }, 4),
    assign(returned('function', '2'), { location: 'outgoing', name: 'label' }, 5),
  ],
  functions: [{ id: 'label', name: 'label of a port', functions: [], steps: [TEMPLATE] }],
};

test('a valid document has no findings', () => {
  expect(checkTransformation(sound)).toEqual({ isValid: true, errors: [], warnings: [] });
  expect(checkTransformation({})).toEqual({ isValid: true, errors: [], warnings: [] });
});

test('a fault that would make a run fail is a warning, so that a draft can be stored', () => {
  const steps = [
    { id: 1, type: 'script' },
    { id: 2, type: 'function', function: 'nobody' },
    assign({ location: 'incoming', name: 'nothing' }, { location: 'outgoing', name: 'nothing' }, 3),
    assign(returned('method', 2), slot('template', 77), 4),
    assign({ location: 'outgoing', name: 'count' }, { location: 'incoming', name: 'ports' }, 5),
    { id: 6, type: 'assign' },
  ];
  const { isValid, errors, warnings } = checkTransformation({ ...sound, steps });
  expect({ isValid, errors }).toEqual({ isValid: true, errors: [] });
  expect(found(warnings)).toEqual([
    'unknown_type steps.0.type',
    'unknown_function steps.1.function',
    'dangling steps.3.from.name',
    'dangling steps.3.to.name',
    'unknown_location steps.4.from.location',
    'unknown_location steps.4.to.location',
    'unknown_location steps.5.from.location',
    'unknown_location steps.5.to.location',
    'dangling steps.2.from.name',
    'dangling steps.2.to.name',
  ]);
});

test('functions call those of the document from any depth, and their own', () => {
  const call = (name: string) => [{ id: 1, type: 'function', function: name, args: [] }];
  const inner = { id: 'inner', name: 'inner', functions: [], steps: call('other') };
  const outer = { id: 'outer', name: 'outer', functions: [inner], steps: call('inner') };
  const other = { id: 'other', name: 'other', functions: [], steps: [] };
  expect(checkTransformation({ functions: [outer, other] }).warnings).toEqual([]);
  expect(found(checkTransformation({ functions: [outer, other], steps: call('inner') }).warnings)).toEqual([
    'unknown_function steps.0.function',
  ]);
});

test('no function can call itself, directly or indirectly, as a step or as a callback', () => {
  const map = { id: 1, type: 'method', library: 'Array', method: 'map', args: [null, 'b'] };
  const call = { id: 1, type: 'function', function: 'a', args: [] };
  const a = { id: 'a', name: 'a', functions: [], steps: [map] };
  const b = { id: 'b', name: 'b', functions: [], steps: [call] };
  const c = { id: 'c', name: 'c', functions: [], steps: [call] };
  expect(
    found(checkTransformation({ functions: [a, b, c], steps: [{ ...call, function: 'c' }] }).warnings),
  ).toEqual(['recursion functions.0', 'recursion functions.1']);
});

test('unknown methods, declarations, templates and contexts are named', () => {
  const step = (id: number, type: string, library: string, method: string) => ({
    id,
    type,
    library,
    method,
    args: [],
  });
  const steps = [
    step(1, 'method', 'Array', 'forEach'),
    step(2, 'method', 'Array', 'new Array'),
    step(3, 'declaration', 'Array', 'length'),
    step(4, 'template', 'String', 'eval'),
    step(5, 'context', 'Conditional', 'while'),
    step(6, 'method', 'Array', 'length'),
    step(7, 'declaration', 'Object', 'new Null'),
  ];
  const { isValid, warnings } = checkTransformation({ steps });
  expect(isValid).toBe(true);
  expect(found(warnings)).toEqual([0, 1, 2, 3, 4].map((at) => `unknown_method steps.${at}.method`));
  expect(warnings[0]?.message).toBe('the method Array.forEach is not known');
});

test('callbacks are written down as the id of a function', () => {
  const step = (id: number, args: unknown[], method = 'map') => ({
    id,
    type: 'method',
    library: 'Array',
    method,
    args,
  });
  const steps = [step(1, [null, null]), step(2, [null]), step(3, [null, 7]), step(4, [null, null], 'sort')];
  expect(found(checkTransformation({ steps }).warnings)).toEqual(
    [0, 1, 2].map((at) => `unknown_function steps.${at}.args.1`),
  );
});

test('steps that wait for each other are a cycle, one that waits for its own branch too', () => {
  const not = (id: number, context = '#') => ({
    id,
    type: 'method',
    library: 'Logical',
    method: 'not',
    args: [null],
    context,
  });
  const steps = [
    not(1),
    not(2),
    not(3),
    assign(returned('method', 1), slot('method', 2), 11),
    assign(returned('method', 2), slot('method', 1), 12),
    assign(returned('method', 2), slot('method', 3), 13),
  ];
  expect(found(checkTransformation({ steps }).warnings)).toEqual(['cycle steps', 'cycle steps']);
  const inside = [
    { id: 1, type: 'context', library: 'Conditional', method: 'if...else', args: [null] },
    not(2, '#/1[0]'),
    assign(returned('method', 2), slot('context', 1), 11),
  ];
  expect(found(checkTransformation({ steps: inside }).warnings)).toEqual(['cycle steps', 'cycle steps']);
});

test.each([
  ['/a~2', ''],
  ['a', ''],
  ['/__proto__/x', ''],
  ['/a/constructor', ''],
  ['', '/args/0'],
  ['', '/args/x/value'],
  ['', '/args/9999/value'],
  ['', '/return'],
])('a value cannot move from %j to %j', (from, to) => {
  const steps = [
    { id: 1, type: 'method', library: 'Array', method: 'length', args: [null] },
    assign(
      { location: 'incoming', name: 'in', ptr: from },
      { location: 'method', name: 1, ptr: to || '/args/0/value' },
    ),
  ];
  const [first, ...more] = found(checkTransformation({ incoming: [{ $id: 'in' }], steps }).warnings);
  expect(first).toMatch(/^bad_pointer steps\.1\.(from|to)\.ptr$/);
  expect(more).toEqual([]);
});

test('a missing branch, and an assignment that leaves the branch, are reported', () => {
  const steps = [
    { id: 1, type: 'declaration', library: 'Set', method: 'new Set', args: [null], context: '#' },
    assign(returned('declaration', 1), { location: 'outgoing', name: 'out' }, 2),
    { id: 3, type: 'method', library: 'Logical', method: 'not', args: [null], context: '#/1[0]' },
    { id: 4, type: 'method', library: 'Logical', method: 'not', args: [null], context: 'somewhere' },
  ];
  expect(found(checkTransformation({ outgoing: [{ $id: 'out' }], steps }).warnings)).toEqual([
    'dangling steps.2.context',
    'dangling steps.3.context',
    'lost steps.1.from',
  ]);
});

test('functions nest ten deep at most, and are counted once', () => {
  const nested = (depth: number): Record<string, unknown> => ({
    id: 'f',
    name: 'f',
    functions: depth > 1 ? [nested(depth - 1)] : [],
  });
  expect(checkTransformation({ functions: [nested(10)] }).isValid).toBe(true);
  const { errors } = checkTransformation({ functions: [nested(60)] });
  expect(errors.map(({ code }) => code)).toEqual(['too_deep']);
});

test.each<[Doc, string]>([
  [{ incoming: [{}] }, 'missing incoming.0.$id'],
  [{ outgoing: [{ $id: 'a' }, { $id: 'a' }] }, 'duplicate outgoing.1.$id'],
  [{ steps: [{ type: 'method' }] }, 'missing steps.0.id'],
  [
    {
      steps: [
        { id: 1, type: 'method' },
        { id: 1, type: 'method' },
      ],
    },
    'duplicate steps.1.id',
  ],
  [{ functions: [{ id: 'f', functions: [] }] }, 'missing functions.0.name'],
  [{ functions: [{ id: 'f', name: 'f' }] }, 'missing_functions functions.0.functions'],
])('%j is rejected for one reason', (doc, reported) => {
  const { isValid, errors } = checkTransformation(doc);
  expect(isValid).toBe(false);
  expect(found(errors)).toEqual([reported]);
});

test('two defects give the findings of both, and no document makes the check fail', () => {
  const part = fc.array(
    fc.dictionary(fc.constantFrom('$id', 'id', 'name', 'type', 'functions', 'from'), fc.jsonValue()),
  );
  fc.assert(
    fc.property(part, part, (one, two) => {
      const alone = checkTransformation({ incoming: one }).errors.length;
      const other = checkTransformation({ steps: two }).errors.length;
      const both = checkTransformation({ incoming: one, steps: two }).errors.length;
      expect(both).toBe(Math.min(100, alone + other));
    }),
  );
});
