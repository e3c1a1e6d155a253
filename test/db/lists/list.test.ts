import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ListOptions, list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource, type Resource } from '#db/list/resource.ts';
import {
  columns,
  createRouters,
  GivenRouters,
  insertRouters,
  Router,
  Routers,
  routers,
} from '../../helpers/devices/routers.ts';
import { openListDatabase } from '../../helpers/lists/list-database.ts';

const stored = [
  { _id: '1', name: 'Core (east)', weight: 5, tags: ['lab', 'old'], metrics: { owner: 'Zoë', score: 1 } },
  { _id: '2', name: 'core-10%', weight: 40, tags: ['lab'], parts: [{ serial: 'a', made: { year: 1 } }] },
  { _id: '3', name: 'edge_1', weight: '40', active: true, site: 'Ålesund' },
  { _id: '4', name: 'EDGE-2', active: false, height: 1e15, site: null, tags: [] },
];

let database: Awaited<ReturnType<typeof openListDatabase>>;
beforeAll(async () => {
  database = await openListDatabase();
  await createRouters(database.db);
  await insertRouters(database.db, stored);
});
afterAll(() => database.close());

const page = async (resource: Resource, query: ReturnType<typeof readList>, options?: ListOptions) => {
  const { texts, total } = await list(database.db, resource, query, options);
  return { documents: texts.map((text) => JSON.parse(text)), total };
};
const idsOf = async (resource: Resource, query: ReturnType<typeof readList>, options?: ListOptions) =>
  (await page(resource, query, options)).documents.map(({ _id }) => _id).join('');

test.each([
  { query: {}, ids: '1234' },
  { query: { equals: 'edge_1', equalsField: 'name' }, ids: '3' },
  { query: { equals: 'core (east)', equalsField: 'name' }, ids: '' },
  { query: { contains: 'E (E', containsField: 'name' }, ids: '1' },
  { query: { contains: '0%', containsField: 'name' }, ids: '2' },
  { query: { contains: 'e_', containsField: 'name' }, ids: '3' },
  { query: { startsWith: 'EDGE', startsWithField: 'name' }, ids: '34' },
  { query: { startsWith: 'dge', startsWithField: 'name' }, ids: '' },
  { query: { contains: 'ZOË', containsField: 'metrics.owner' }, ids: '1' },
  { query: { startsWith: 'ålE', startsWithField: 'site' }, ids: '3' },
  { query: { equals: '40', equalsField: 'weight' }, ids: '2' },
  { query: { greaterThan: 4, greaterThanField: 'weight' }, ids: '12' },
  { query: { greaterThanEquals: '40', greaterThanEqualsField: 'weight' }, ids: '2' },
  { query: { lessThan: 'a', lessThanField: 'name' }, ids: '14' },
  { query: { lessThanEquals: '5', lessThanEqualsField: 'weight' }, ids: '1' },
  { query: { equals: 'false', equalsField: 'active' }, ids: '4' },
  { query: { startsWith: '1000', startsWithField: 'height' }, ids: '4' },
  { query: { equals: 'old', equalsField: 'tags' }, ids: '1' },
  { query: { equals: 'a', equalsField: 'parts.serial' }, ids: '2' },
  { query: { sort: 'name' }, ids: '1423' },
  { query: { sort: 'weight' }, ids: '1234' },
  { query: { sort: 'weight', order: -1 }, ids: '2134' },
  { query: { sort: 'active', order: -1 }, ids: '3412' },
  { query: { sort: '_id', order: -1 }, ids: '4321' },
  { query: { order: -1 }, ids: '4321' },
  { query: { skip: 1, limit: 2 }, ids: '23' },
])('the pair dialect $query finds $ids, in a table and in given documents', async ({ query, ids }) => {
  expect(await idsOf(Routers, readList(Routers, query))).toBe(ids);
  expect(await idsOf(GivenRouters, readList(GivenRouters, query), { given: stored })).toBe(ids);
});

test('not-in also finds the documents that lack the field', async () => {
  expect(await idsOf(Routers, readList(Routers, { 'not-in': { site: ['Ålesund'] } }))).toBe('124');
  expect(await idsOf(Routers, readList(Routers, { 'not-in': { tags: ['old', 'new'] } }))).toBe('234');
  expect(await idsOf(Routers, readList(Routers, { in: { tags: [] } }))).toBe('');
});

test('several filters must all hold', async () => {
  const query = { equals: { tags: 'lab' }, contains: { name: 'core' }, gt: { weight: 5 } };
  expect(await idsOf(Routers, readList(Routers, query))).toBe('2');
});

test('the views dialect compares each given field', async () => {
  const query = { multiEquals: { 'metrics.owner': 'Zoë' }, multiContains: { name: 'EAST' } };
  expect(await idsOf(Routers, readList(Routers, query))).toBe('1');
  expect(await idsOf(Routers, readList(Routers, { multiStartsWith: { name: 'e', site: 'å' } }))).toBe('3');
});

test('an expression is tested on each text, and the rest of the search is cut and counted as ever', async () => {
  const tested: string[] = [];
  const pattern = (source: string) => ({
    test: (text: string) => tested.push(text) > 0 && new RegExp(source).test(text),
  });
  const query = readList(
    Routers,
    { filter: { name: '^[ce]' }, regex: true, sort: { name: -1 }, limit: 1 },
    { pattern },
  );
  expect(await page(Routers, query)).toMatchObject({ documents: [{ _id: '3' }], total: 2 });
  expect(tested.toSorted()).toEqual(stored.map(({ name }) => name).toSorted());
});

test('an expression on a field with many values finds a document by any of them', async () => {
  const query = readList(Routers, { filter: { tags: 'o' }, regex: true }, { pattern: (s) => new RegExp(s) });
  expect(await idsOf(Routers, query)).toBe('1');
  expect(await idsOf(GivenRouters, query, { given: stored })).toBe('1');
});

test('without a limit, a list returns 25 documents, or all of a small collection', async () => {
  const many = Array.from({ length: 30 }, (_, n) => ({ _id: `${n}` }));
  const small = defineResource({ name: 'routers', schema: Router, source: 'given', unlimited: true });
  const first = await page(GivenRouters, readList(GivenRouters, {}), { given: many });
  expect([first.documents.length, first.total]).toEqual([25, 30]);
  const all = await page(small, readList(small, {}), { given: many });
  expect([all.documents.length, all.total]).toEqual([30, 30]);
});

test('what a caller may not see is neither listed nor counted', async () => {
  const access = sql`${routers.active} is not true`;
  const query = readList(Routers, { limit: 1, skip: 1 });
  expect(await page(Routers, query, { access })).toMatchObject({ documents: [{ _id: '2' }], total: 3 });
  const expression = { pattern: (source: string) => new RegExp(source) };
  const edges = readList(Routers, { filter: { name: 'edge' }, regex: true }, expression);
  expect(await page(Routers, edges, { access })).toEqual({ documents: [], total: 0 });
});

test('a resource that shares its table lists only its own rows, in its own order', async () => {
  const heavy = defineResource({
    name: 'routers',
    schema: Router,
    source: routers,
    columns,
    always: sql`${routers.doc} ? 'weight'`,
    defaultSort: [{ field: 'name', order: -1 }],
  });
  expect(await idsOf(heavy, readList(heavy, {}))).toBe('321');
  expect(await idsOf(heavy, readList(heavy, { order: -1 }))).toBe('123');
  expect((await page(heavy, readList(heavy, { limit: 1 }))).total).toBe(3);
});

test('the total is right beyond the last page, and is not counted when the caller does not ask for it', async () => {
  expect(await page(Routers, readList(Routers, { skip: 9 }))).toEqual({ documents: [], total: 4 });
  expect((await page(Routers, readList(Routers, { limit: 2 }), { total: false })).total).toBe(2);
  expect((await page(Routers, readList(Routers, { skip: Number.MAX_SAFE_INTEGER }))).total).toBe(4);
});

test.each([
  { query: { include: 'weight' }, first: { _id: '1', weight: 5 } },
  {
    query: { include: 'name,metrics.owner' },
    first: { _id: '1', name: 'Core (east)', metrics: { owner: 'Zoë' } },
  },
  {
    query: { include: ['metrics', 'metrics.owner'] },
    first: { _id: '1', metrics: { owner: 'Zoë', score: 1 } },
  },
  {
    query: { include: 'parts.made', equals: { _id: '2' } },
    first: { _id: '2', parts: [{ made: { year: 1 } }] },
  },
  { query: { include: '_id' }, first: { _id: '1' } },
  {
    query: { exclude: '_id,tags,metrics.score' },
    first: { _id: '1', name: 'Core (east)', weight: 5, metrics: { owner: 'Zoë' } },
  },
  {
    query: { exclude: 'parts.made.year,tags', equals: { _id: '2' } },
    first: { _id: '2', name: 'core-10%', weight: 40, parts: [{ serial: 'a', made: {} }] },
  },
])('the projection $query answers just that of each document', async ({ query, first }) => {
  const read = readList(Routers, query);
  expect((await page(Routers, read)).documents[0]).toEqual(first);
  expect((await page(GivenRouters, read, { given: stored })).documents[0]).toEqual(first);
});

test('a column that does not fit its field is reported at start', () => {
  const define = (wrong: Parameters<typeof defineResource>[0]['columns'] & object) => () =>
    defineResource({ name: 'routers', schema: Router, source: routers, columns: wrong });
  expect(define({ weight: routers.name })).toThrow('column name does not fit the field weight');
  expect(define({ tags: routers.name })).toThrow(TypeError);
  expect(define({ nothing: routers.name })).toThrow(TypeError);
  expect(() =>
    defineResource({
      name: 'routers',
      schema: Router,
      source: routers,
      defaultSort: [{ field: 'tags', order: 1 }],
    }),
  ).toThrow('cannot be sorted by tags');
});
