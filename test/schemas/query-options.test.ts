import { expect, test } from 'vitest';
import { z } from 'zod';
import { ParserQuery } from '#db/schemas/golden-config/config-parser.ts';
import { listQuery, projectedQuery, QueryOptions } from '#db/schemas/query-options.ts';

const plain = listQuery({ inactive: z.boolean().optional() });
const projected = projectedQuery();
const pathsOf = (schema: z.ZodType, query: unknown) =>
  (schema.safeParse(query).error?.issues ?? []).map((issue) => issue.path.join('.')).sort();

test('an empty query is a query, and nothing is filled in', () => {
  for (const schema of [QueryOptions, plain, projected, ParserQuery]) {
    expect(schema.parse({})).toEqual({});
  }
});

test.each([
  { skip: 0, limit: 1, order: 1 },
  { skip: 1e6, limit: 1000, order: -1, sort: 'metrics.start_time' },
])('page %j is accepted', (page) => {
  expect(QueryOptions.parse(page)).toEqual(page);
});

test.each([
  { skip: -1 },
  { skip: 0.5 },
  { limit: 0 },
  { limit: 1001 },
  { limit: '5' },
  { order: 2 },
  { order: 0 },
  { sort: 1 },
  { start: -1 },
])('page %j is rejected', (page) => {
  expect(pathsOf(QueryOptions, page)).toEqual(Object.keys(page));
});

test.each([
  'equals',
  'contains',
  'startsWith',
  'greaterThan',
  'greaterThanEquals',
  'lessThan',
  'lessThanEquals',
])('%s without the name of its field is rejected', (filter) => {
  expect(pathsOf(plain, { [filter]: 'x' })).toEqual([`${filter}Field`]);
  expect(pathsOf(plain, { [filter]: 'x', [`${filter}Field`]: 'name' })).toEqual([]);
});

test('every issue of a query is reported together', () => {
  expect(pathsOf(plain, { equals: 'x', contains: 'y', limit: 0, order: 3 })).toEqual([
    'containsField',
    'equalsField',
    'limit',
    'order',
  ]);
  expect(pathsOf(plain, { equals: 'x', unknown: 1 })).toEqual(['', 'equalsField']);
});

test('a query accepts its own parameters, and a projection only where answers may be cut', () => {
  expect(plain.parse({ inactive: true })).toEqual({ inactive: true });
  expect(projected.parse({ include: 'name' })).toEqual({ include: 'name' });
  expect(plain.safeParse({ include: 'name' }).success).toBe(false);
});

test('the bracket dialect filters by field', () => {
  const query = {
    equals: { name: 'core', missing: false, 'metrics.owner': 'x' },
    'starts-with': { name: 'c' },
    in: { status: ['running', 'paused'] },
    'not-in': { iid: [1, 2] },
    gte: { created: '2026-01-01T00:00:00Z' },
    include: 'name,status',
  };
  expect(projected.parse(query)).toEqual(query);
  expect(pathsOf(projected, { equals: 'core' })).toEqual(['equalsField']);
  expect(projected.safeParse({ in: { status: 'running' } }).success).toBe(true);
  expect(pathsOf(projected, { in: { status: [null] } })).toEqual(['in.status']);
  expect(pathsOf(projected, { lt: { created: null } })).toEqual(['lt.created']);
});

test('include and exclude together are rejected', () => {
  expect(pathsOf(projected, { include: 'a', exclude: 'b' })).toEqual(['exclude']);
});
