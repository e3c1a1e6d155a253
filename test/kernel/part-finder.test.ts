import fc from 'fast-check';
import { expect, test } from 'vitest';
import { partFinder } from '#server/kernel/text/part-finder.ts';
import { cpuTime } from '../helpers/cpu-time.ts';

const letters = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b', '\u{1F600}'), minLength, maxLength });

/** The characters of a text that belong to some part, looked for one part after the other. */
function covered(text: string, parts: readonly string[]): boolean[] {
  const marks = Array<boolean>(text.length).fill(false);
  for (const part of parts) {
    for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1))
      marks.fill(true, at, at + part.length);
  }
  return marks;
}

test.each([
  ['few parts', 1],
  ['more parts than are looked for one after the other', 100],
])('the spans of %s are the characters of all occurrences, in order and apart', (_, least) => {
  fc.assert(
    fc.property(letters(0, 80), fc.array(letters(1, 6), { minLength: 1, maxLength: 8 }), (text, few) => {
      // Parts that never occur change nothing.
      const parts = [...few, ...Array.from({ length: least - 1 }, (_, at) => `c${at}`)];
      const spans = partFinder(parts)(text);
      const marks = Array<boolean>(text.length).fill(false);
      let end = 0;
      for (const [from, to] of spans) {
        expect(from).toBeGreaterThanOrEqual(end);
        expect(to).toBeGreaterThan(from);
        marks.fill(true, from, to);
        end = to;
      }
      expect(marks).toEqual(covered(text, parts));
    }),
  );
});

test('parts that overlap in a text are one span, and parts beside each other are two', () => {
  const find = partFinder(['abcdef', 'defghi', 'xyz']);
  expect(find('-abcdefghi-xyzxyz')).toEqual([
    [1, 10],
    [11, 14],
    [14, 17],
  ]);
});

test('many parts with one beginning are looked for in a time that grows with their lengths', () => {
  const parts = Array.from({ length: 1000 }, (_, at) => `${'a'.repeat(at + 1)}b`);
  const begun = cpuTime();
  expect(partFinder(parts)('a'.repeat(1_000_000))).toEqual([]);
  // One after the other they take many seconds.
  expect(cpuTime() - begun).toBeLessThan(2000);
});
