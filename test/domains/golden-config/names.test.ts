import { expect, test } from 'vitest';
import {
  createNameAllocator,
  freeName,
  nodeNameFault,
  segmentFault,
  treeNameFault,
} from '#server/kernel/documents/names.ts';

test.each([
  { taken: [], name: 'Edge' },
  { taken: ['Edge'], name: 'Edge (1)' },
  { taken: ['Edge', 'Edge (1)', 'Edge (3)'], name: 'Edge (2)' },
  { taken: ['Edge (1)'], name: 'Edge' },
])('with $taken taken, Edge becomes $name', ({ taken, name }) => {
  expect(freeName('Edge', new Set(taken))).toBe(name);
});

test('an allocator returns the names that freeName finds, with about one look-up for each', () => {
  const taken = new Set(['Edge', 'Edge (2)']);
  let lookUps = 0;
  const counted = Object.assign(new Set(taken), {
    has: (name: string) => {
      lookUps += 1;
      return Set.prototype.has.call(counted, name);
    },
  });
  const allocateName = createNameAllocator(counted);
  for (let at = 0; at < 1000; at++) {
    const name = allocateName('Edge');
    expect(name).toBe(freeName('Edge', taken));
    taken.add(name);
  }
  expect(allocateName('Core')).toBe('Core');
  expect(allocateName('Core')).toBe('Core (1)');
  expect(lookUps).toBeLessThan(2100);
});

test.each(['base', 'a b', '@x', 'a:b', '50%', 'Devices', 'devices ', '...', 'ä', ' '])(
  'a node may be called %j',
  (name) => {
    expect(nodeNameFault(name)).toBeNull();
  },
);

test.each(['', '.', '..', 'devices', 'a/b', '/', 'x'.repeat(256)])('a node may not be called %j', (name) => {
  expect(nodeNameFault(name)).toMatch(/^must /);
});

test('a version may be called devices, and hold a slash, which its URL encodes', () => {
  expect(segmentFault('devices')).toBeNull();
  expect(segmentFault('release/1')).toBeNull();
  expect(segmentFault('..')).toMatch(/URL/);
});

test.each([
  ['', false],
  ['..', true],
  ['x'.repeat(255), true],
  ['x'.repeat(256), false],
])('a tree may be called %j: %s', (name, allowed) => {
  expect(treeNameFault(name) === null).toBe(allowed);
});
