import { expect, test } from 'vitest';
import { readBrackets } from '#db/list/bracket.ts';
import { readMulti } from '#db/list/multi.ts';
import { readPairs } from '#db/list/pair.ts';
import { type Issue, type ListQuery, QueryRefused } from '#db/list/query.ts';
import { defineResource, type Resource } from '#db/list/resource.ts';
import { Router, Routers } from '../helpers/routers.ts';

type Reader = (resource: Resource, query: unknown) => ListQuery;

function issuesOf(read: Reader, query: unknown): Issue[] {
  try {
    read(Routers, query);
  } catch (error) {
    if (error instanceof QueryRefused) return error.issues;
    throw error;
  }
  return [];
}

const DEFAULT = { where: [], sort: [], skip: 0, limit: 25, include: null, exclude: null };

test('no query at all asks for the first 25 in the default order', () => {
  for (const read of [readPairs, readBrackets, readMulti]) {
    for (const nothing of [undefined, null, {}, { skip: undefined, sort: null }]) {
      expect(read(Routers, nothing)).toEqual(DEFAULT);
    }
  }
  const small = defineResource({
    name: 'routers',
    schema: Router,
    source: 'given',
    unlimited: true,
    defaultSort: [{ field: 'name', order: -1 }],
  });
  expect(readPairs(small, {})).toEqual({ ...DEFAULT, limit: null, sort: [{ field: 'name', order: -1 }] });
  expect(readPairs(small, { order: -1, limit: 7 })).toEqual({
    ...DEFAULT,
    limit: 7,
    sort: [{ field: 'name', order: 1 }],
  });
});

test('each pair becomes one condition, its value read as the field is typed', () => {
  const query = {
    equals: '5',
    equalsField: 'weight',
    contains: '5',
    containsField: 'metrics.owner',
    startsWith: true,
    startsWithField: 'name',
    greaterThan: '-1.5e3',
    greaterThanField: 'height',
    greaterThanEquals: 'true',
    greaterThanEqualsField: 'active',
    lessThan: 'x',
    lessThanField: 'tags',
    lessThanEquals: 4,
    lessThanEqualsField: 'parts.made.year',
  };
  expect(
    readPairs(Routers, { ...query, skip: 50, limit: 1000, sort: 'name', order: -1, token: 'secret' }),
  ).toEqual({
    ...DEFAULT,
    skip: 50,
    limit: 1000,
    sort: [{ field: 'name', order: -1 }],
    where: [
      { field: 'weight', op: 'eq', values: [5] },
      { field: 'metrics.owner', op: 'contains', values: ['5'] },
      { field: 'name', op: 'prefix', values: ['true'] },
      { field: 'height', op: 'gt', values: [-1500] },
      { field: 'active', op: 'gte', values: [true] },
      { field: 'tags', op: 'lt', values: ['x'] },
      { field: 'parts.made.year', op: 'lte', values: [4] },
    ],
  });
});

test('brackets become conditions, one value or several', () => {
  const query = {
    equals: { name: 'a', weight: '5' },
    contains: { tags: 'x' },
    'starts-with': { 'labels.rack': '' },
    in: { name: ['a', 'b'], ports: '80' },
    'not-in': { spare: ['true', false] },
    gte: { height: 1 },
    include: 'name, metrics.owner,name',
  };
  expect(readBrackets(Routers, query)).toEqual({
    ...DEFAULT,
    include: ['name', 'metrics.owner'],
    where: [
      { field: 'name', op: 'eq', values: ['a'] },
      { field: 'weight', op: 'eq', values: [5] },
      { field: 'tags', op: 'contains', values: ['x'] },
      { field: 'labels.rack', op: 'prefix', values: [''] },
      { field: 'name', op: 'in', values: ['a', 'b'] },
      { field: 'ports', op: 'in', values: [80] },
      { field: 'spare', op: 'not-in', values: [true, false] },
      { field: 'height', op: 'gte', values: [1] },
    ],
  });
});

test('the views dialect reads each member of each object', () => {
  const query = { multiEquals: { name: '/a', site: null }, multiStartsWith: { site: '/' }, limit: 2 };
  expect(readMulti(Routers, query)).toEqual({
    ...DEFAULT,
    limit: 2,
    where: [
      { field: 'name', op: 'eq', values: ['/a'] },
      { field: 'site', op: 'prefix', values: ['/'] },
    ],
  });
});

test('members that an endpoint adds are equalities, or its own affair', () => {
  const extras = { plain: ['active', 'site'], ignored: ['skipActiveSync'] };
  const query = { active: 'true', site: 'x', skipActiveSync: 'maybe' };
  const where = [
    { field: 'active', op: 'eq', values: [true] },
    { field: 'site', op: 'eq', values: ['x'] },
  ];
  expect(readPairs(Routers, query, extras).where).toEqual(where);
  expect(readBrackets(Routers, query, extras).where).toEqual(where);
  expect(issuesOf(readPairs, query).map(({ path }) => path[0])).toEqual(['active', 'site', 'skipActiveSync']);
});

const refusals: [Reader, object, Partial<Issue>][] = [
  [readPairs, { equals: 'x' }, { path: ['equals'], code: 'missing_field' }],
  [readPairs, { containsField: 'name' }, { path: ['containsField'], code: 'missing_value' }],
  [readPairs, { equals: 'x', equalsField: 'nothing' }, { path: ['equalsField'], code: 'unknown_field' }],
  [readPairs, { equals: 'x', equalsField: '__proto__' }, { path: ['equalsField'], code: 'unknown_field' }],
  [readPairs, { equals: 'x', equalsField: 7 }, { path: ['equalsField'], code: 'unknown_field' }],
  [readPairs, { equals: 'x', equalsField: 'metrics' }, { path: ['equalsField'], code: 'invalid_field' }],
  [readPairs, { equals: 'x', equalsField: 'weight' }, { path: ['equals'], message: '"weight" is a number' }],
  [readPairs, { equals: '1e999', equalsField: 'weight' }, { path: ['equals'] }],
  [readPairs, { equals: '', equalsField: 'weight' }, { path: ['equals'] }],
  [readPairs, { equals: '0x1f', equalsField: 'weight' }, { path: ['equals'] }],
  [
    readPairs,
    { contains: 'yes', containsField: 'active' },
    { message: '"active" is a boolean: true or false' },
  ],
  [readPairs, { equals: ['a', 'b'], equalsField: 'name' }, { path: ['equals'], code: 'invalid_type' }],
  [readPairs, { equals: 'a\0', equalsField: 'name' }, { path: ['equals'], message: 'is not valid text' }],
  [readPairs, { equals: '\uDC00', equalsField: 'name' }, { path: ['equals'], message: 'is not valid text' }],
  [readPairs, { equals: 'x'.repeat(5000), equalsField: 'name' }, { path: ['equals'] }],
  [readPairs, { equals: { name: 'x' } }, { path: ['equals'], code: 'other_dialect' }],
  [readPairs, { in: { name: 'x' } }, { path: ['in'], code: 'other_dialect' }],
  [readPairs, { include: 'name' }, { path: ['include'], code: 'other_dialect' }],
  [readPairs, { matches: 'x' }, { path: ['matches'], code: 'unknown_parameter' }],
  [readPairs, { constructor: 'x' }, { path: ['constructor'], code: 'unknown_parameter' }],
  [readBrackets, { equals: 'x' }, { path: ['equals'], code: 'other_dialect' }],
  [readBrackets, { equalsField: 'name' }, { path: ['equalsField'], code: 'other_dialect' }],
  [readBrackets, { startsWith: { name: 'x' } }, { path: ['startsWith'], code: 'other_dialect' }],
  [readBrackets, { lessThanEqualsField: 'x' }, { path: ['lessThanEqualsField'], code: 'other_dialect' }],
  [readBrackets, { like: { name: 'x' } }, { path: ['like'], code: 'unknown_parameter' }],
  [readBrackets, { equals: { nothing: 'x' } }, { path: ['equals', 'nothing'], code: 'unknown_field' }],
  [readBrackets, { equals: { name: ['a', 'b'] } }, { path: ['equals', 'name'], code: 'invalid_type' }],
  [
    readBrackets,
    { equals: { metrics: { owner: 'x' } } },
    { path: ['equals', 'metrics'], code: 'invalid_type' },
  ],
  [readBrackets, { in: { weight: ['1', 'x'] } }, { path: ['in', 'weight'] }],
  [readBrackets, { in: { name: Array(1001).fill('x') } }, { message: 'at most 1000 values' }],
  [readBrackets, { include: 'name', exclude: 'site' }, { path: ['exclude'] }],
  [readBrackets, { include: 'name,nothing' }, { path: ['include'], code: 'unknown_field' }],
  [readBrackets, { exclude: 5 }, { path: ['exclude'], code: 'invalid_type' }],
  [
    readBrackets,
    {
      include: Array(200)
        .fill('name')
        .map((n, i) => `labels.${n}${i}`)
        .join(),
    },
    { code: 'too_big' },
  ],
  [readMulti, { multiEquals: 'x' }, { path: ['multiEquals'], code: 'invalid_type' }],
  [readMulti, { multiContains: { weight: 'x' } }, { path: ['multiContains', 'weight'] }],
  [readMulti, { equals: 'x' }, { path: ['equals'], code: 'unknown_parameter' }],
  [readPairs, { skip: -1 }, { path: ['skip'], message: 'must be a whole number of at least 0' }],
  [readPairs, { skip: 1.5 }, { path: ['skip'] }],
  [readPairs, { limit: 0 }, { path: ['limit'], message: 'must be a whole number from 1 to 1000' }],
  [readPairs, { limit: 1001 }, { path: ['limit'] }],
  [readPairs, { limit: '5' }, { path: ['limit'] }],
  [readPairs, { order: 2 }, { path: ['order'], message: 'must be 1 or -1' }],
  [readPairs, { sort: 'nothing' }, { path: ['sort'], code: 'unknown_field' }],
  [readPairs, { sort: 'tags' }, { path: ['sort'], message: '"tags" has no single value to sort by' }],
  [readPairs, { sort: 'metrics' }, { path: ['sort'], code: 'invalid_field' }],
  [readPairs, { sort: { name: 1 } }, { path: ['sort'], code: 'unknown_field' }],
];

test.each(refusals)('%o refuses %j with %j', (read, query, issue) => {
  expect(issuesOf(read, query)).toEqual([expect.objectContaining(issue)]);
});

test.each([['text'], [5], [true], [[]], [() => 1]])('a query that is %j is refused', (query) => {
  for (const read of [readPairs, readBrackets, readMulti]) {
    expect(issuesOf(read, query)).toEqual([{ path: [], message: 'must be an object', code: 'invalid_type' }]);
  }
});

test('everything that is wrong is told at once', () => {
  const query = { equals: 'x', containsField: 'nothing', like: 1, limit: 0, order: 0, sort: 'nothing' };
  expect(issuesOf(readPairs, query).map(({ path }) => path.join('.'))).toEqual([
    'like',
    'equals',
    'containsField',
    'limit',
    'order',
    'sort',
  ]);
});

test('an unknown field is named, and the known ones when they are few', () => {
  const [issue] = issuesOf(readPairs, { sort: 'naem' });
  expect(issue?.message).toMatch(/^routers have no field "naem"; there are _id, name, started, site, /);
  const [long] = issuesOf(readPairs, { sort: 'x'.repeat(5000) });
  expect(long?.message.length).toBeLessThan(600);
});

test('neither filters nor issues grow without bound', () => {
  const labels = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`labels.${n}`, 'x']));
  expect(readBrackets(Routers, { equals: labels(50) }).where).toHaveLength(50);
  expect(issuesOf(readBrackets, { equals: labels(51) })).toMatchObject([
    { message: 'at most 50 filters at once' },
  ]);
  const unknown = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`x${n}`, 'x']));
  const issues = issuesOf(readPairs, unknown(400));
  expect(issues).toHaveLength(101);
  expect(issues.at(-1)?.message).toBe('and 300 more issues');
  expect(issuesOf(readPairs, unknown(501))).toMatchObject([{ path: [], message: 'at most 500 members' }]);
  expect(issuesOf(readBrackets, { equals: unknown(501) })).toMatchObject([{ path: ['equals'] }]);
});

test('members that a query inherits are not its own', () => {
  const inherited: unknown = Object.create({ equals: 'x', limit: 0 });
  expect(readPairs(Routers, inherited)).toEqual(DEFAULT);
  const own: unknown = JSON.parse('{"__proto__": {"limit": 3}}');
  expect(issuesOf(readPairs, own)).toMatchObject([{ path: ['__proto__'], code: 'unknown_parameter' }]);
});
