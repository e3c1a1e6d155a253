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

test('whatever is taken, the route is free, short enough, and found again by its stem', () => {
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
