import { expect, test } from 'vitest';
import { z } from 'zod';
import { ApplicationsQuery } from '#db/schemas/application.ts';
import { ParserQuery } from '#db/schemas/config-parser.ts';
import { bracketQuery, pairQuery, QueryOptions } from '#db/schemas/query-options.ts';

const pair = pairQuery({ inactive: z.boolean().optional() });
const bracket = bracketQuery({ token: z.string().optional() });
const pathsOf = (schema: z.ZodType, query: unknown) =>
  (schema.safeParse(query).error?.issues ?? []).map((issue) => issue.path.join('.')).sort();

test('an empty query is a query, and nothing is filled in', () => {
  for (const schema of [QueryOptions, pair, bracket, ApplicationsQuery, ParserQuery]) {
    expect(schema.parse({})).toEqual({});
  }
});

test.each([
  { skip: 0, limit: 1, order: 1 },
  { skip: 1e6, limit: 1000, order: -1, sort: 'metrics.start_time' },
])('page %j is taken', (page) => {
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
])('page %j is refused', (page) => {
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
])('%s needs its field', (filter) => {
  expect(pathsOf(pair, { [filter]: 'x' })).toEqual([`${filter}Field`]);
  expect(pathsOf(pair, { [filter]: 'x', [`${filter}Field`]: 'name' })).toEqual([]);
});

test('every issue of a query is told at once', () => {
  expect(pathsOf(ApplicationsQuery, { equals: 'x', contains: 'y', limit: 0, order: 3 })).toEqual([
    'containsField',
    'equalsField',
    'limit',
    'order',
  ]);
  expect(pathsOf(pair, { equals: 'x', unknown: 1 })).toEqual(['', 'equalsField']);
});

test('a query takes its own parameters, and those of the other dialect it refuses', () => {
  expect(pair.parse({ inactive: true })).toEqual({ inactive: true });
  expect(bracket.parse({ token: 't' })).toEqual({ token: 't' });
  expect(pair.safeParse({ include: 'name' }).success).toBe(false);
  expect(bracket.safeParse({ equalsField: 'name' }).success).toBe(false);
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
  expect(bracket.parse(query)).toEqual(query);
  expect(pathsOf(bracket, { equals: 'core' })).toEqual(['equals']);
  expect(pathsOf(bracket, { in: { status: 'running' } })).toEqual(['in.status']);
  expect(pathsOf(bracket, { lt: { created: null } })).toEqual(['lt.created']);
});

test('include and exclude together are refused', () => {
  expect(pathsOf(bracket, { include: 'a', exclude: 'b' })).toEqual(['exclude']);
});
