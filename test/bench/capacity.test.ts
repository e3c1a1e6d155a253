import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PARAMETERS, usesOf } from '../../bench/capacity.ts';

test('the first bottleneck of ten million devices is the disk of the primary', () => {
  const [first, second] = usesOf(10_000_000);
  expect(first?.resource).toBe('disk of the primary');
  expect(first?.share).toBeGreaterThan(1);
  expect(second?.share).toBeLessThan(first?.share ?? 0);
});

test('ten thousand devices use less than a tenth of every resource', () => {
  for (const { share } of usesOf(10_000)) expect(share).toBeLessThan(0.1);
});

test('saturatedAt is the number of devices that uses up a resource, whatever the size of the fleet', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1000, max: 10_000_000 }), (devices) => {
      for (const { resource, saturatedAt } of usesOf(devices)) {
        const there = usesOf(saturatedAt).find((use) => use.resource === resource);
        expect(there?.share).toBeCloseTo(1, 3);
      }
    }),
  );
});

test('backups that are kept for a tenth of the time need less disk; other resources do not change', () => {
  const kept = { ...PARAMETERS.kept, backups: 9 };
  const before = new Map(usesOf(1_000_000).map((use) => [use.resource, use.share]));
  for (const { resource, share } of usesOf(1_000_000, { ...PARAMETERS, kept })) {
    if (resource === 'disk of the primary') expect(share).toBeLessThan(before.get(resource) ?? 0);
    else expect(share).toBeCloseTo(before.get(resource) ?? 0, 9);
  }
});
