import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readBody } from '#server/domains/integrations/calls/answers/read-body.service.ts';
import { joinPieces, piecesOf, piecesOfText } from '#server/kernel/json/pieces.ts';
import { isLong, lawRuns } from '../../../helpers/long.ts';

const JSON_TYPE = 'application/json';

test('a value that is taken apart and put together again is the same, whatever the size of its pieces', async () => {
  await fc.assert(
    fc.asyncProperty(fc.json({ maxDepth: 6 }), fc.integer({ min: 1, max: 200 }), async (text, most) => {
      const joined = await joinPieces(piecesOf(JSON.parse(text), most));
      expect(JSON.stringify(joined)).toBe(JSON.stringify(JSON.parse(text)));
    }),
    lawRuns(400),
  );
});

test('a field named __proto__ stays a field', async () => {
  const text = `{"a":1,"__proto__":{"b":[${'2,'.repeat(50)}2]},"constructor":{}}`;
  const joined = await joinPieces(piecesOf(JSON.parse(text), 20));
  expect(Object.keys(joined as object)).toEqual(['a', '__proto__', 'constructor']);
  expect(Object.getPrototypeOf(joined)).toBe(Object.prototype);
});

test('text that is no JSON has no pieces', () => {
  expect(piecesOfText({ text: '{"a":', bounds: {} }).pieces).toBeNull();
});

test.skipIf(!isLong)('a large answer is parsed in a thread, while other work has its turn', async () => {
  const value = {
    results: Array.from({ length: 60_000 }, (_, id) => ({ id, name: `edge-${id}`, tags: ['a', 'b'] })),
  };
  const bytes = Buffer.from(JSON.stringify(value));
  expect(bytes.length).toBeGreaterThan(2 * 1024 * 1024);
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  turn();
  const read = await readBody(bytes, 200, JSON_TYPE, 1_000_000);
  isOver = true;
  expect(read.isBroken).toBe(false);
  expect(JSON.stringify(read.body)).toBe(bytes.toString('utf8'));
  expect(turns).toBeGreaterThan(8);
});

test.each([
  ['small', 10],
  ['large', 1_200_000],
])(
  'a %s answer that is JSON by its type and ends too early is broken, and kept as text',
  async (_, length) => {
    const text = `["${'x'.repeat(length)}"`;
    expect(await readBody(Buffer.from(text), 200, JSON_TYPE, 10)).toMatchObject({
      body: text,
      isBroken: true,
    });
  },
);

test('a text as JSON is that text, and not broken', async () => {
  expect(await readBody(Buffer.from('"done"'), 200, JSON_TYPE, 10)).toMatchObject({
    body: 'done',
    isBroken: false,
  });
  expect(await readBody(Buffer.from(''), 200, JSON_TYPE, 10)).toMatchObject({ body: null, isBroken: false });
  expect(await readBody(Buffer.from('done'), 200, 'text/plain', 10)).toMatchObject({
    body: 'done',
    isBroken: false,
  });
});
