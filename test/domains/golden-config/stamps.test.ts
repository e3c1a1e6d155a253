import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import { grownStamp, importedStamp } from '#server/kernel/documents/stamps.ts';

const now = new Date('2026-02-03T04:05:06.789Z');

test.each([
  { stored: undefined, grown: '2026-02-03T04:05:06.789Z' },
  { stored: '2026-02-03T04:05:06.788Z', grown: '2026-02-03T04:05:06.789Z' },
  { stored: '2026-02-03T04:05:06.789Z', grown: '2026-02-03T04:05:06.790Z' },
  { stored: '2030-01-01T00:00:00Z', grown: '2030-01-01T00:00:00.001Z' },
  { stored: 'long ago', grown: '2026-02-03T04:05:06.789Z' },
])('what was written at $stored is written now at $grown', ({ stored, grown }) => {
  expect(grownStamp(now, stored)).toBe(grown);
});

test('a stamp grows with each write, whatever the clock does', () => {
  const clock = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(fc.array(clock), (clocks) => {
      let last = '2026-01-01T00:00:00.000Z';
      for (const at of clocks) {
        const next = grownStamp(at, last);
        expect(next > last).toBe(true);
        last = next;
      }
    }),
  );
});

test.each([
  { given: '2024-08-30T22:53:23.377Z', kept: true, why: 'it shows a time in the past' },
  { given: '2024-08-30T22:53:23Z', kept: true, why: 'its precision is its own' },
  { given: '2026-02-03T04:05:06.790Z', kept: false, why: 'it has not come yet' },
  { given: `2024-08-30T22:53:23.${'0'.repeat(100)}Z`, kept: false, why: 'it is noise' },
  { given: undefined, kept: false, why: 'it is not there' },
  { given: 7, kept: false, why: 'it is no text' },
])('a given stamp $given is kept: $kept, because $why', ({ given, kept }) => {
  expect(importedStamp(given, now)).toBe(kept ? given : now.toISOString());
});

test.each(['"a"', 'a', '*', 'W/"a"', '"x", "a"', 'x, a', null])(
  'If-Match %s lets a write of "a" pass',
  (header) => {
    expect(() => assertUnchanged(header, 'a', 'Tree Edge')).not.toThrow();
  },
);

test.each(['"b"', 'b', '""', '"a b"', ' '])('If-Match %s rejects a write of "a"', (header) => {
  expect(() => assertUnchanged(header, 'a', 'Tree Edge')).toThrow(
    /Tree Edge was changed by another request.*a/,
  );
});
