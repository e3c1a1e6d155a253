import fc from 'fast-check';
import { expect, test } from 'vitest';
import { containsText, indexOfText, lastIndexOfText, splitText } from '#server/kernel/text/text-search.ts';
import { cpuTime } from '../helpers/cpu-time.ts';

/** Texts of few letters, so that parts occur, overlap and nearly occur; long parts are those that are not left to JavaScript. */
const texts = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b', '\u{1F600}'), maxLength });
const parts = fc
  .tuple(texts(3), fc.integer({ min: 0, max: 60 }), texts(3))
  .map(([start, times, end]) => start + 'ab'.repeat(times) + end);

test('searches find what those of JavaScript find', () => {
  fc.assert(
    fc.property(
      texts(20),
      parts,
      texts(20),
      fc.integer({ min: -5, max: 200 }),
      fc.integer({ min: 0, max: 4 }),
      (before, part, behind, place, most) => {
        const text = `${before}${part}${part}${behind}${part.slice(1)}`;
        expect(indexOfText(text, part, place)).toBe(text.indexOf(part, place));
        expect(lastIndexOfText(text, part, place)).toBe(text.lastIndexOf(part, place));
        expect(lastIndexOfText(text, part)).toBe(text.lastIndexOf(part));
        expect(containsText(text, `${part}c`)).toBe(false);
        expect(splitText(text, part)).toEqual(text.split(part));
        expect(splitText(text, part, most)).toEqual(text.split(part, most));
      },
    ),
  );
});

test('a part that nearly occurs at every place is searched in a time that grows with the text', () => {
  const text = `${'a'.repeat(400_000)}c`;
  const nearlyFirst = `${'a'.repeat(10)}b${'a'.repeat(200_000)}`;
  const nearlyLast = `${'a'.repeat(200_000)}b`;
  const begun = cpuTime();
  for (const part of [nearlyFirst, nearlyLast]) {
    expect(indexOfText(text, part)).toBe(-1);
    expect(lastIndexOfText(text, part)).toBe(-1);
    expect(splitText(text, part)).toEqual([text]);
  }
  // each of these takes JavaScript several seconds
  expect(cpuTime() - begun).toBeLessThan(2000);
});
