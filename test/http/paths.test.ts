import { expect, test } from 'vitest';
import { compilePaths } from '#server/http/paths.ts';

const paths = compilePaths(
  [
    ['GET', '/version'],
    ['POST', '/areas/clone'],
    ['GET', '/areas/list.all'],
    ['GET', '/areas/:id'],
    ['PUT', '/areas/:id'],
    ['GET', '/areas/:id'],
    ['POST', '/nodes/:tree/:path{.+}/devices'],
    ['DELETE', '/nodes/:tree/:path{.+}'],
    ['GET', '/nodes/:tree/:path{.+}'],
    ['GET', '/events/:source{.+}/:topic'],
  ].map(([method = '', pattern = ''], index) => ({
    method,
    pattern,
    value: `${index} ${method} ${pattern}`,
  })),
);

test.each([
  ['GET', '/version', '0 GET /version', {}],
  ['GET', '/areas/7', '3 GET /areas/:id', { id: '7' }],
  ['PUT', '/areas/7/', '4 PUT /areas/:id', { id: '7' }],
  ['GET', '/nodes/t/base/east', '8 GET /nodes/:tree/:path{.+}', { tree: 't', path: 'base/east' }],
  [
    'POST',
    '/nodes/t/a/devices/devices',
    '6 POST /nodes/:tree/:path{.+}/devices',
    { tree: 't', path: 'a/devices' },
  ],
  ['GET', '/events/@v/om/jobDone', '9 GET /events/:source{.+}/:topic', { source: '@v/om', topic: 'jobDone' }],
])('%s %s is found with its parameters', (method, path, value, parameters) => {
  expect(paths.find(method, path)).toEqual({ value, parameters });
});

test('a fixed path wins over parameters under every method', () => {
  expect(paths.find('POST', '/areas/clone')?.parameters).toEqual({});
  expect(paths.find('GET', '/areas/clone')).toBeUndefined();
  expect(paths.methodsAt('/areas/clone')).toEqual(['POST']);
});

test('special characters of expressions in a pattern match themselves', () => {
  expect(paths.find('GET', '/areas/listXall')?.parameters).toEqual({ id: 'listXall' });
});

test('parameters are decoded once, and stay as they came where that is impossible', () => {
  const idOf = (path: string) => paths.find('GET', path)?.parameters.id;
  expect(idOf('/areas/a%2Fb')).toBe('a/b');
  expect(idOf('/areas/a%252Fb')).toBe('a%2Fb');
  expect(idOf('/areas/100%')).toBe('100%');
});

test('a parameter is never empty, and never holds a slash unless it is greedy', () => {
  for (const path of ['/areas', '/areas/', '/areas/a/b', '/nodes//a', '/nothing', '/', ''])
    expect(paths.find('GET', path), path).toBeUndefined();
});

test('the methods of a path are listed once each, in the order of their declaration', () => {
  expect(paths.methodsAt('/areas/7')).toEqual(['GET', 'PUT']);
  expect(paths.methodsAt('/nodes/t/a/devices/')).toEqual(['POST', 'DELETE', 'GET']);
  expect(paths.methodsAt('/nothing')).toEqual([]);
});
