import fc from 'fast-check';
import { expect, test } from 'vitest';
import { elementsOf, ListFinder } from '#server/http/input/list-finder.ts';
import { lawRuns } from '../helpers/long.ts';

/** Texts with what a scanner may misread: quotes, backslashes, brackets, and the name of the list itself. */
const text = fc.string({
  unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', ':', 'items', ' ', 'é', 'a', '\n'),
  maxLength: 12,
});
const value = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 3 }, text, fc.integer(), fc.constant(null), tie('list'), tie('object')),
  list: fc.array(tie('any'), { maxLength: 4 }),
  object: fc.dictionary(text, tie('any'), { maxKeys: 3 }),
}));
const body = fc.record({
  before: fc.dictionary(text, value.any, { maxKeys: 3 }),
  items: value.list,
  after: fc.dictionary(text, value.any, { maxKeys: 3 }),
});

function* cut(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Finds and splits the list of a text that arrives in pieces of so many bytes. */
async function found(written: string, size: number) {
  const bytes = Buffer.from(written);
  const finder = new ListFinder('items');
  for (const piece of cut(bytes, size)) finder.take(piece);
  const { range, isRepeated, values } = finder;
  const list: string[] = [];
  async function* pieces() {
    // One memory for all pieces, as they are read from a file.
    const memory = Buffer.alloc(size);
    for (const piece of cut(bytes.subarray(range?.from, range?.to), size)) {
      piece.copy(memory);
      yield memory.subarray(0, piece.length);
    }
  }
  if (range) for await (const elements of elementsOf(pieces())) list.push(...elements.map(String));
  return { rest: finder.rest().toString(), list, isRepeated, values, range };
}

test('a list is found and split wherever its text is cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      body,
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom(undefined, 1),
      async ({ before, items, after }, size, indent) => {
        const { items: _, ...first } = before;
        const { items: __, ...last } = after;
        const object = { ...first, items, ...last };
        const seen = await found(JSON.stringify(object, null, indent), size);
        expect(JSON.parse(seen.rest)).toEqual({ ...object, items: [] });
        expect(seen.isRepeated).toBe(false);
        const list = seen.list.length === 1 && seen.list[0]?.trim() === '' ? [] : seen.list;
        expect(list.map((one) => JSON.parse(one))).toEqual(items);
      },
    ),
    lawRuns(400),
  );
});

test.each([
  ['{"it\\u0065ms":[1]}', '{"it\\u0065ms":[]}', ['1']],
  ['{"a":{"items":[1]},"items" : [ 2 , 3 ]}', '{"a":{"items":[1]},"items" : []}', [' 2 ', ' 3 ']],
  ['{"a":"items","items":{"items":[1]}}', '{"a":"items","items":{"items":[1]}}', []],
  ['{"items":[1,,2,]}', '{"items":[]}', ['1', '', '2', '']],
  ['{"items":[1}', '{"items":[}', ['1']],
  ['[{"items":[1]}]', '[{"items":[1]}]', []],
  [`{"${'x'.repeat(3000)}":1,"items":[7]}`, `{"${'x'.repeat(3000)}":1,"items":[]}`, ['7']],
])('of %.40s the list and the rest are separated', async (written, rest, list) => {
  for (const size of [1, 3, 5000]) expect(await found(written, size)).toMatchObject({ rest, list });
});

test('a second list of the same name is reported, and values are counted', async () => {
  expect(await found('{"items":[1,2],"items":[3]}', 4)).toMatchObject({ isRepeated: true });
  expect((await found('{"items":[{},[1,2]],"b":","}', 4)).values).toBe(8);
});
