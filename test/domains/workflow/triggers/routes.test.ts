import fc from 'fast-check';
import { expect, test } from 'vitest';
import { freeRoute, stemOf } from '#server/domains/workflow/triggers/routes.ts';

test.each([
  { taken: [], route: 'upgrade' },
  { taken: ['upgrade'], route: 'upgrade-1' },
  { taken: ['upgrade', 'upgrade-1', 'upgrade-3'], route: 'upgrade-2' },
])('with $taken taken, upgrade becomes $route', ({ taken, route }) => {
  expect(freeRoute('upgrade', new Set(taken))).toBe(route);
});

test('whichever routes are in use, the new one is free, short enough, and begins with the stem of the wanted one', () => {
  const route = fc.string({ unit: fc.constantFrom('a', '-', '1', '~', '.'), minLength: 1, maxLength: 128 });
  fc.assert(
    fc.property(route, fc.nat({ max: 30 }), (wanted, others) => {
      const taken = new Set<string>();
      for (let count = 0; count <= others; count++) {
        const free = freeRoute(wanted, taken);
        expect(taken.has(free)).toBe(false);
        expect(free).toMatch(/^[A-Za-z0-9_.~-]{1,128}$/);
        expect(free.startsWith(stemOf(wanted))).toBe(true);
        taken.add(free);
      }
    }),
  );
});
