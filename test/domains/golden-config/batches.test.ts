import fc from 'fast-check';
import { expect, test } from 'vitest';
import { batches } from '#server/kernel/documents/batches.ts';
import { lawRuns } from '../../helpers/long.ts';

const same = (text: string) => text;

test('batches hold everything, in order, and none is empty or larger than a statement carries', () => {
  const sizes = fc.array(fc.oneof(fc.integer({ min: 0, max: 2000 }), fc.constant(1_500_000)), {
    maxLength: 900,
  });
  fc.assert(
    fc.property(sizes, (lengths) => {
      const texts = lengths.map((length) => 'x'.repeat(length));
      const made = [...batches(texts, same)];
      expect(made.flat().map(({ length }) => length)).toEqual(lengths);
      for (const batch of made) {
        expect(batch.length).toBeGreaterThan(0);
        expect(batch.length).toBeLessThanOrEqual(250);
        expect(batch.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(4_000_000);
      }
    }),
    lawRuns(30),
  );
});

test('a text that is larger than a batch travels alone', () => {
  const large = 'x'.repeat(5_000_000);
  expect([...batches(['a', large, 'b'], same)]).toEqual([['a'], [large], ['b']]);
});
