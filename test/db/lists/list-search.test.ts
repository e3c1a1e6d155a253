import { expect, test } from 'vitest';
import { InvalidListQuery, type Issue } from '#db/list/query.ts';
import { type ListOptions, readList } from '#db/list/read-list.ts';
import { Routers } from '../../helpers/devices/routers.ts';

const pattern = (source: string) => new RegExp(source);

function issuesOf(options: unknown, how?: ListOptions): Issue[] {
  try {
    readList(Routers, options, how);
  } catch (error) {
    if (error instanceof InvalidListQuery) return error.issues;
    throw error;
  }
  return [];
}

test('a filter is a literal substring, and an empty text does not filter', () => {
  const query = readList(Routers, {
    filter: { name: '.*', site: '', weight: '5' },
    start: 50,
    limit: '10',
  });
  expect(query).toEqual({
    where: [
      { field: 'name', op: 'contains', values: ['.*'] },
      { field: 'weight', op: 'contains', values: [5] },
    ],
    sort: [],
    skip: 50,
    limit: 10,
    include: null,
    exclude: null,
  });
});

test('exactMatch compares whole texts', () => {
  expect(readList(Routers, { filter: { name: 'a' }, exactMatch: true }).where).toEqual([
    { field: 'name', op: 'eq', values: ['a'] },
  ]);
});

test('with regex a filter is an expression, compiled once', () => {
  const [condition] = readList(Routers, { filter: { name: '^a.c$' }, regex: true }, { pattern }).where;
  expect(condition).toMatchObject({ field: 'name', op: 'matches', values: ['^a.c$'] });
  expect(condition?.test?.('abc')).toBe(true);
  expect(condition?.test?.('xabc')).toBe(false);
});

test.each([
  { sort: { name: 1, date: -1 }, order: undefined },
  { sort: [{ name: 1 }, { date: -1 }], order: undefined },
])('sort is an object or an array of objects, with names that are mapped to fields', ({ sort }) => {
  const query = readList(Routers, { sort }, { fields: { date: 'started' } });
  expect(query.sort).toEqual([
    { field: 'name', order: 1 },
    { field: 'started', order: -1 },
  ]);
});

test('the order descending reverses the sort, and ascending leaves it', () => {
  expect(readList(Routers, { sort: [{ name: 1 }], order: 'descending' }).sort).toEqual([
    { field: 'name', order: -1 },
  ]);
  expect(readList(Routers, { sort: [{ name: 1 }], order: 'ascending' }).sort).toEqual([
    { field: 'name', order: 1 },
  ]);
});

test.each<[object, ListOptions, Partial<Issue>]>([
  [{ filter: { nothing: 'x' } }, {}, { path: ['filter', 'nothing'], code: 'unknown_field' }],
  [{ filter: 'x' }, {}, { path: ['filter'], code: 'invalid_type' }],
  [{ filter: { name: { a: 1 } } }, {}, { path: ['filter', 'name'], code: 'invalid_type' }],
  [{ start: '-1' }, {}, { path: ['start'] }],
  [{ limit: 101 }, { most: 100 }, { path: ['limit'], message: 'must be an integer from 1 to 100' }],
  [{ regex: 'true' }, { pattern }, { path: ['regex'], code: 'invalid_type' }],
  [{ regex: true }, {}, { path: ['regex'], message: 'is not supported by this search' }],
  [{ regex: true, exactMatch: true }, { pattern }, { path: ['exactMatch'] }],
  [
    { regex: true, filter: { name: '(' } },
    { pattern },
    { path: ['filter', 'name'], code: 'invalid_pattern' },
  ],
  [
    { regex: true, filter: { weight: '1' } },
    { pattern },
    { path: ['filter', 'weight'], code: 'invalid_type' },
  ],
  [
    { regex: true, filter: { nothing: '1' } },
    { pattern },
    { path: ['filter', 'nothing'], code: 'unknown_field' },
  ],
  [{ sort: { name: 'asc' } }, {}, { path: ['sort', 'name'], message: 'must be 1 or -1' }],
  [{ sort: ['name'] }, {}, { path: ['sort', 0], code: 'invalid_type' }],
  [{ sort: [{ tags: 1 }] }, {}, { path: ['sort', 0, 'tags'], code: 'invalid_field' }],
  [{ sort: Array(11).fill({ name: 1 }) }, {}, { path: ['sort'], code: 'too_big' }],
  [{ order: 'up' }, {}, { path: ['order'] }],
])('%j is rejected (%j): %j', (options, how, issue) => {
  expect(issuesOf(options, how)).toEqual([expect.objectContaining(issue)]);
});

test('the issue of an expression that cannot be compiled has the message of the compiler', () => {
  const refusing = () => {
    throw new Error('refused at position 3');
  };
  expect(issuesOf({ regex: true, filter: { name: 'x' } }, { pattern: refusing })).toEqual([
    { path: ['filter', 'name'], message: 'refused at position 3', code: 'invalid_pattern' },
  ]);
});
