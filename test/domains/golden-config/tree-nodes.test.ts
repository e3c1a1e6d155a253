import { expect, test } from 'vitest';
import type { Node } from '#db/schemas/golden-config/golden-tree.ts';
import {
  changeNode,
  findNode,
  mapNodes,
  specIdsOf,
  walk,
} from '#server/domains/golden-config/trees/tree-nodes.ts';

const node = (name: string, ...children: Node[]): Node => ({
  name,
  attributes: { configId: `spec of ${name}` },
  children,
});
const root = node('base', node('access', node('left'), node('right')), node('core', node('left')));

test('walking meets each node once, with its path, parents first', () => {
  expect([...walk(root)].map(({ path }) => path)).toEqual([
    'base',
    'base/access',
    'base/access/left',
    'base/access/right',
    'base/core',
    'base/core/left',
  ]);
});

test.each([
  { path: 'base', line: ['base'] },
  { path: '/base/access/', line: ['base', 'access'] },
  { path: 'base/core/left', line: ['base', 'core', 'left'] },
])('finds the node at $path and the nodes above it: $line', ({ path, line }) => {
  const found = findNode(root, path);
  expect(found?.line.map(({ name }) => name)).toEqual(line);
  expect(found?.path).toBe(line.join('/'));
  expect(found?.node.name).toBe(line.at(-1));
});

test.each(['', '/', 'access', 'base/left', 'base//access', 'base/access/left/right'])(
  'finds no node at %j',
  (path) => {
    expect(findNode(root, path)).toBeUndefined();
  },
);

test('a change affects the path to its node and nothing beside it', () => {
  const before = structuredClone(root);
  const changed = changeNode(root, 'base/access/left', (one) => ({ ...one, name: 'north' }));
  expect([...walk(changed)].map(({ path }) => path)).toContain('base/access/north');
  expect(changed.children?.[1]).toBe(root.children?.[1]);
  expect(root).toEqual(before);
});

test('null removes a node with everything below it', () => {
  const changed = changeNode(root, 'base/access', () => null);
  expect([...walk(changed)].map(({ path }) => path)).toEqual(['base', 'base/core', 'base/core/left']);
});

test('the root cannot be removed, and a node that does not exist cannot be changed', () => {
  expect(() => changeNode(root, 'base', () => null)).toThrow(RangeError);
  expect(() => changeNode(root, 'base/nowhere', (one) => one)).toThrow(RangeError);
});

test('mapping sees each node with its path, and keeps the shape', () => {
  const paths: string[] = [];
  const mapped = mapNodes(root, (one, path) => {
    paths.push(path);
    return { ...one, seen: true };
  });
  expect(paths).toEqual([...walk(root)].map(({ path }) => path));
  expect([...walk(mapped)].every(({ node: { seen } }) => seen === true)).toBe(true);
  expect([...walk(mapped)].map(({ path }) => path)).toEqual(paths);
});

test('mapping returns every node with its list of children', () => {
  expect(mapNodes({ name: 'base' }, (one) => one)).toEqual({ name: 'base', children: [] });
});

test('the specs of a subtree are those of all its nodes', () => {
  const access = findNode(root, 'base/access')?.node ?? root;
  expect(specIdsOf(access)).toEqual(['spec of access', 'spec of left', 'spec of right']);
});
