import { expect, test } from 'vitest';
import { InvalidListQuery, type Issue } from '#db/list/query.ts';
import { type ListOptions, readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { Router, Routers } from '../../helpers/devices/routers.ts';

function issuesOf(query: unknown, how?: ListOptions): Issue[] {
  try {
    readList(Routers, query, how);
  } catch (error) {
    if (error instanceof InvalidListQuery) return error.issues;
    throw error;
  }
  return [];
}

const DEFAULT = { where: [], sort: [], skip: 0, limit: 25, include: null, exclude: null };

test('an empty query means the first 25 in the default order', () => {
  for (const nothing of [undefined, null, {}, { skip: undefined, sort: null }]) {
    expect(readList(Routers, nothing)).toEqual(DEFAULT);
  }
  const small = defineResource({
    name: 'routers',
    schema: Router,
    source: 'given',
    unlimited: true,
    defaultSort: [{ field: 'name', order: -1 }],
  });
  expect(readList(small, {})).toEqual({ ...DEFAULT, limit: null, sort: [{ field: 'name', order: -1 }] });
  expect(readList(small, { order: -1, limit: 7 })).toEqual({
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
    readList(Routers, { ...query, skip: 50, limit: 1000, sort: 'name', order: -1, token: 'secret' }),
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
  expect(readList(Routers, query)).toEqual({
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
  expect(readList(Routers, query)).toEqual({
    ...DEFAULT,
    limit: 2,
    where: [
      { field: 'name', op: 'eq', values: ['/a'] },
      { field: 'site', op: 'prefix', values: ['/'] },
    ],
  });
});

const ONE = { where: [{ field: 'name', op: 'contains', values: ['a'] }], skip: 2 };
const TURNED = { sort: [{ field: 'name', order: -1 }] };

test.each<[object, object]>([
  [{ contains: 'a', containsField: 'name', skip: 2 }, ONE],
  [{ contains: { name: 'a' }, start: 2 }, ONE],
  [{ contains: '{"name":"a"}', skip: '2' }, ONE],
  [{ filter: { name: 'a', site: '' }, start: 2, skip: 2 }, ONE],
  [{ multiContains: { name: 'a' }, filter: { name: 'a' }, start: 2, skip: '2' }, ONE],
  [{ sort: 'name', order: -1 }, TURNED],
  [{ sort: 'name', order: 'descending' }, TURNED],
  [{ sort: { name: -1 } }, TURNED],
  [{ sort: '{"name":-1}' }, TURNED],
  [{ sort: { name: -1 }, order: -1 }, TURNED],
  [{ sort: [{ name: 1 }], order: 'descending' }, TURNED],
  [{ order: 'descending' }, { sort: [{ field: '_id', order: -1 }] }],
])('%j means the same as its other forms', (query, meant) => {
  expect(readList(Routers, query)).toEqual({ ...DEFAULT, ...meant });
});

test('no filter, order or projection looks at a field that is hidden', () => {
  const how = { hidden: (field: string) => field === 'name', plain: ['name'] };
  for (const query of [
    { equals: 'a', equalsField: 'name' },
    { 'starts-with': { name: 'a' } },
    { filter: { name: 'a' } },
    { in: { name: ['a'] } },
    { name: 'a' },
    { sort: 'name' },
    { sort: { name: 1 } },
    { include: 'name' },
  ]) {
    expect(issuesOf(query, how)).toEqual([
      expect.objectContaining({ message: expect.stringContaining('is a secret') }),
    ]);
  }
});

test('fields that an endpoint adds are equalities', () => {
  const query = { active: 'true', site: 'x' };
  const where = [
    { field: 'active', op: 'eq', values: [true] },
    { field: 'site', op: 'eq', values: ['x'] },
  ];
  expect(readList(Routers, query, { plain: ['active', 'site'] }).where).toEqual(where);
  expect(issuesOf(query).map(({ path }) => path[0])).toEqual(['active', 'site']);
});

const rejections: [object, Partial<Issue>][] = [
  [{ equals: 'x' }, { path: ['equals'], code: 'missing_field' }],
  [{ containsField: 'name' }, { path: ['containsField'], code: 'missing_value' }],
  [
    { equals: 'x', equalsField: 'nothing' },
    { path: ['equalsField'], code: 'unknown_field' },
  ],
  [
    { equals: 'x', equalsField: '__proto__' },
    { path: ['equalsField'], code: 'unknown_field' },
  ],
  [
    { equals: 'x', equalsField: 7 },
    { path: ['equalsField'], code: 'unknown_field' },
  ],
  [
    { equals: 'x', equalsField: 'metrics' },
    { path: ['equalsField'], code: 'invalid_field' },
  ],
  [
    { equals: 'x', equalsField: 'weight' },
    { path: ['equals'], message: '"weight" is a number' },
  ],
  [{ equals: '1e999', equalsField: 'weight' }, { path: ['equals'] }],
  [{ equals: '', equalsField: 'weight' }, { path: ['equals'] }],
  [{ equals: '0x1f', equalsField: 'weight' }, { path: ['equals'] }],
  [{ contains: 'yes', containsField: 'active' }, { message: '"active" must be true or false' }],
  [
    { equals: ['a', 'b'], equalsField: 'name' },
    { path: ['equals'], code: 'invalid_type' },
  ],
  [
    { equals: 'a\0', equalsField: 'name' },
    { path: ['equals'], message: 'is not valid text' },
  ],
  [
    { equals: '\uDC00', equalsField: 'name' },
    { path: ['equals'], message: 'is not valid text' },
  ],
  [{ equals: 'x'.repeat(5000), equalsField: 'name' }, { path: ['equals'] }],
  [{ matches: 'x' }, { path: ['matches'], code: 'unknown_parameter' }],
  [{ constructor: 'x' }, { path: ['constructor'], code: 'unknown_parameter' }],
  [{ equalsField: 'name' }, { path: ['equalsField'], code: 'missing_value' }],
  [{ inField: 'name' }, { path: ['inField'], code: 'unknown_parameter' }],
  [{ in: 'x' }, { path: ['in'], message: 'must name its field: in[field]=value' }],
  [{ lessThanEqualsField: 'x' }, { path: ['lessThanEqualsField'], code: 'missing_value' }],
  [
    { equals: { name: 'x' }, equalsField: 'name' },
    { path: ['equalsField'], code: 'ambiguous' },
  ],
  [
    { skip: 1, start: 2 },
    { path: ['start'], message: 'contradicts skip: send one of them' },
  ],
  [
    { startsWith: 'a', startsWithField: 'name', 'starts-with': { name: 'b' } },
    { path: ['starts-with', 'name'], message: 'contradicts startsWith: send one of them' },
  ],
  [
    { sort: { name: 1 }, order: -1 },
    { path: ['order'], message: 'contradicts sort.name: send one of them' },
  ],
  [{ sort: [{ name: 1 }, 5] }, { path: ['sort', 1], code: 'invalid_type' }],
  [{ like: { name: 'x' } }, { path: ['like'], code: 'unknown_parameter' }],
  [{ equals: { nothing: 'x' } }, { path: ['equals', 'nothing'], code: 'unknown_field' }],
  [{ equals: { name: ['a', 'b'] } }, { path: ['equals', 'name'], code: 'invalid_type' }],
  [{ equals: { metrics: { owner: 'x' } } }, { path: ['equals', 'metrics'], code: 'invalid_type' }],
  [{ in: { weight: ['1', 'x'] } }, { path: ['in', 'weight'] }],
  [{ in: { name: Array(1001).fill('x') } }, { message: 'at most 1000 values' }],
  [{ include: 'name', exclude: 'site' }, { path: ['exclude'] }],
  [{ include: 'name,nothing' }, { path: ['include'], code: 'unknown_field' }],
  [{ exclude: 5 }, { path: ['exclude'], code: 'invalid_type' }],
  [
    {
      include: Array(200)
        .fill('name')
        .map((n, i) => `labels.${n}${i}`)
        .join(),
    },
    { code: 'too_big' },
  ],
  [{ multiEquals: 'x' }, { path: ['multiEquals'], code: 'invalid_type' }],
  [{ multiContains: { weight: 'x' } }, { path: ['multiContains', 'weight'] }],
  [{ skip: -1 }, { path: ['skip'], message: 'must be an integer of at least 0' }],
  [{ skip: 1.5 }, { path: ['skip'] }],
  [{ limit: 0 }, { path: ['limit'], message: 'must be an integer from 1 to 1000' }],
  [{ limit: 1001 }, { path: ['limit'] }],
  [{ order: 2 }, { path: ['order'], message: 'must be 1 or -1, ascending or descending' }],
  [{ sort: 'nothing' }, { path: ['sort'], code: 'unknown_field' }],
  [{ sort: 'tags' }, { path: ['sort'], message: '"tags" has no single value to sort by' }],
  [{ sort: 'metrics' }, { path: ['sort'], code: 'invalid_field' }],
];

test.each(rejections)('%j is rejected with %j', (query, issue) => {
  expect(issuesOf(query)).toEqual([expect.objectContaining(issue)]);
});

test.each([['text'], [5], [true], [[]], [() => 1]])('a query that is %j is rejected', (query) => {
  expect(issuesOf(query)).toEqual([{ path: [], message: 'must be an object', code: 'invalid_type' }]);
});

test('all mistakes are reported together', () => {
  const query = { equals: 'x', containsField: 'nothing', like: 1, limit: 0, order: 0, sort: 'nothing' };
  expect(issuesOf(query).map(({ path }) => path.join('.'))).toEqual([
    'equals',
    'containsField',
    'order',
    'like',
    'limit',
    'sort',
  ]);
});

test('an unknown field is named, and the known ones when they are few', () => {
  const [issue] = issuesOf({ sort: 'naem' });
  expect(issue?.message).toMatch(/^routers have no field "naem"; there are _id, name, started, site, /);
  const [long] = issuesOf({ sort: 'x'.repeat(5000) });
  expect(long?.message.length).toBeLessThan(600);
});

test('neither filters nor issues grow without bound', () => {
  const labels = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`labels.${n}`, 'x']));
  expect(readList(Routers, { equals: labels(50) }).where).toHaveLength(50);
  expect(issuesOf({ equals: labels(51) })).toMatchObject([{ message: 'at most 50 filters at once' }]);
  const unknown = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`x${n}`, 'x']));
  const issues = issuesOf(unknown(400));
  expect(issues).toHaveLength(101);
  expect(issues.at(-1)?.message).toBe('and 300 more issues');
  expect(issuesOf(unknown(501))).toMatchObject([{ path: [], message: 'at most 500 members' }]);
  expect(issuesOf({ equals: unknown(501) })).toMatchObject([{ path: ['equals'] }]);
});

test('fields that a query inherits are not its own', () => {
  const inherited: unknown = Object.create({ equals: 'x', limit: 0 });
  expect(readList(Routers, inherited)).toEqual(DEFAULT);
  const own: unknown = JSON.parse('{"__proto__": {"limit": 3}}');
  expect(issuesOf(own)).toMatchObject([{ path: ['__proto__'], code: 'unknown_parameter' }]);
});
