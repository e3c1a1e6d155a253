import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkTransformation } from '#server/engines/transformations/check.ts';

type Doc = Parameters<typeof checkTransformation>[0];
const found = (list: { code: string; path: (string | number)[] }[]) =>
  list.map(({ code, path }) => `${code} ${path.join('.')}`);

const assign = (from: object, to: object, id = 9) => ({ id, type: 'assign', from, to });
const sound: Doc = {
  incoming: [{ $id: 'ports' }],
  outgoing: [{ $id: 'count' }, { $id: 'label' }],
  steps: [
    { id: 1, type: 'method', library: 'Array', method: 'length', args: [null] },
    { id: 2, type: 'function', function: 'label', args: [''] },
    assign({ location: 'incoming', name: 'ports' }, { location: 'method', name: 1 }, 3),
    assign({ location: 'method', name: 1 }, { location: 'outgoing', name: 'count' }, 4),
    assign({ location: 'function', name: '2' }, { location: 'outgoing', name: 'label' }, 5),
  ],
  functions: [{ id: 'label', name: 'label of a port', functions: [], steps: [{ id: 1, type: 'template' }] }],
};

test('a sound document has no findings', () => {
  expect(checkTransformation(sound)).toEqual({ isValid: true, errors: [], warnings: [] });
  expect(checkTransformation({})).toEqual({ isValid: true, errors: [], warnings: [] });
});

test('what a run could not use is a warning: the draft can be stored', () => {
  const steps = [
    { id: 1, type: 'script' },
    { id: 2, type: 'function', function: 'nobody' },
    assign({ location: 'incoming', name: 'nothing' }, { location: 'outgoing', name: 'nothing' }, 3),
    assign({ location: 'method', name: 2 }, { location: 'template', name: 77 }, 4),
    assign({ location: 'outgoing', name: 'count' }, { location: 'incoming', name: 'ports' }, 5),
    { id: 6, type: 'assign' },
  ];
  const { isValid, errors, warnings } = checkTransformation({ ...sound, steps });
  expect({ isValid, errors }).toEqual({ isValid: true, errors: [] });
  expect(found(warnings)).toEqual([
    'unknown_type steps.0.type',
    'unknown_function steps.1.function',
    'dangling steps.2.from.name',
    'dangling steps.2.to.name',
    'dangling steps.3.from.name',
    'dangling steps.3.to.name',
    'unknown_location steps.4.from.location',
    'unknown_location steps.4.to.location',
    'unknown_location steps.5.from.location',
    'unknown_location steps.5.to.location',
  ]);
});

test('functions call those of the document from any depth, and their own', () => {
  const call = (name: string) => [{ id: 1, type: 'function', function: name, args: [] }];
  const inner = { id: 'inner', name: 'inner', functions: [], steps: call('outer') };
  const outer = { id: 'outer', name: 'outer', functions: [inner], steps: call('inner') };
  expect(checkTransformation({ functions: [outer] }).warnings).toEqual([]);
  expect(found(checkTransformation({ functions: [outer], steps: call('inner') }).warnings)).toEqual([
    'unknown_function steps.0.function',
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
])('%j is refused for one reason', (doc, told) => {
  const { isValid, errors } = checkTransformation(doc);
  expect(isValid).toBe(false);
  expect(found(errors)).toEqual([told]);
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
