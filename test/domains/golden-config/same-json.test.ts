import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sameJson } from '#server/kernel/json/same-json.ts';

test('a value is the same as its copy with the members the other way round', () => {
  const turned = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(turned);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([name, member]) => [name, turned(member)]),
    );
  };
  fc.assert(fc.property(fc.jsonValue(), (value) => sameJson(value, turned(value))));
});

test.each([
  [1, '1'],
  [null, {}],
  [[], {}],
  [
    [1, 2],
    [2, 1],
  ],
  [{ a: 1 }, { b: 1 }],
  [{ a: 1 }, { a: 1, b: undefined }],
  [{ a: { b: [1] } }, { a: { b: [1, 2] } }],
])('%j is not %j', (one, other) => {
  expect(sameJson(one, other)).toBe(false);
  expect(sameJson(other, one)).toBe(false);
});
