import { expect, test } from 'vitest';
import { freeName, nodeNameFault, segmentFault, treeNameFault } from '#server/engines/configuration/names.ts';

test.each([
  { taken: [], name: 'Edge' },
  { taken: ['Edge'], name: 'Edge (1)' },
  { taken: ['Edge', 'Edge (1)', 'Edge (3)'], name: 'Edge (2)' },
  { taken: ['Edge (1)'], name: 'Edge' },
])('with $taken taken, Edge becomes $name', ({ taken, name }) => {
  expect(freeName('Edge', new Set(taken))).toBe(name);
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
