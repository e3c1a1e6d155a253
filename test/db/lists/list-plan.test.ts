import { type SQL, sql } from 'drizzle-orm';
import { jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction, rows } from '#db/client.ts';
import { pageOf, totalOf, whereOf } from '#db/list/compile.ts';
import { list } from '#db/list/list.ts';
import type { ListQuery } from '#db/list/query.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { columns, createRouters, Router, Routers, routers } from '../../helpers/devices/routers.ts';
import { openListDatabase } from '../../helpers/lists/list-database.ts';

const ROWS = 20_000;
const NewestFirst = defineResource({
  name: 'routers',
  schema: Router,
  source: routers,
  columns,
  defaultSort: [{ field: 'started', order: -1 }],
});

/** The same rows, of which the table says that each has a name. */
const named = pgTable('list_routers', {
  id: text().primaryKey(),
  doc: jsonb().notNull(),
  name: text().notNull(),
});
const NamedRouters = defineResource({
  name: 'routers',
  schema: Router,
  source: named,
  columns: { name: named.name },
});

let database: Awaited<ReturnType<typeof openListDatabase>>;
beforeAll(async () => {
  database = await openListDatabase();
  const { db } = database;
  await createRouters(db);
  // 4 kB of noise each: the documents lie outside of the rows, so that reading one is seen among the blocks.
  await rows(
    db,
    sql`insert into list_routers (id, doc) select id, jsonb_build_object('_id', id, 'name', 'core-' || n,
        'started', '2026-01-01T00:00:' || n, 'height', n, 'site', 'site-' || n % 100,
        'notes', (select string_agg(md5(n::text || i::text), '') from generate_series(1, 128) i))
      from (select n, '65a' || lpad(n::text, 21, '0') as id from generate_series(1, ${ROWS}::int) n) as made`,
  );
  // Vacuum marks no page as visible to all while its commit might still be lost: a commit that waits brings it to disk.
  await inTransaction(db, async (tx) => {
    await rows(tx, sql`set local synchronous_commit = on`);
    await rows(tx, sql`update list_routers set rev = rev where id = (select min(id) from list_routers)`);
  });
  await rows(db, sql`vacuum analyze list_routers`);
});
afterAll(() => database.close());

type Node = {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  'Subplan Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: Node[];
};

/** What PostgreSQL really did for a query, node by node, the top one first. */
async function planOf(query: SQL): Promise<Node[]> {
  const [row] = await rows<{ 'QUERY PLAN': unknown }>(
    database.db,
    sql`explain (analyze, buffers, format json) ${query}`,
  );
  const reported = row?.['QUERY PLAN'];
  const [{ Plan }] = (typeof reported === 'string' ? JSON.parse(reported) : reported) as [{ Plan: Node }];
  const nodes: Node[] = [Plan];
  for (const node of nodes) nodes.push(...(node.Plans ?? []));
  return nodes;
}

const pagePlan = (resource: typeof Routers, query: ListQuery) =>
  planOf(
    pageOf(resource, query, whereOf(resource, query.where), (doc) => doc, {
      count: totalOf(resource, query.where),
    }),
  );
const indexes = (nodes: Node[]) => nodes.flatMap((node) => node['Index Name'] ?? []);
const scansAll = (nodes: Node[]) => nodes.some((node) => node['Node Type'] === 'Seq Scan');
const blocks = ([top]: Node[]) => (top ? top['Shared Hit Blocks'] + top['Shared Read Blocks'] : 0);

test.each([
  { what: 'equality', query: { equals: { name: 'core-77' } }, index: 'list_routers_name_id_idx' },
  { what: 'a set', query: { in: { name: ['core-77', 'core-78'] } }, index: 'list_routers_name_id_idx' },
  { what: 'a prefix', query: { 'starts-with': { name: 'CORE-777' } }, index: 'list_routers_lower_idx' },
  { what: 'a range of numbers', query: { gt: { height: 19_990 } }, index: 'list_routers_height_idx' },
  { what: 'a range of text', query: { gte: { name: 'core-9998' } }, index: 'list_routers_name_id_idx' },
  { what: 'an id', query: { equals: { _id: '65a000000000000000000077' } }, index: 'list_routers_pkey' },
])('$what on a declared column is found by its index', async ({ query, index }) => {
  const nodes = await pagePlan(Routers, readList(Routers, query));
  expect(indexes(nodes)).toContain(index);
  expect(scansAll(nodes)).toBe(false);
  expect(blocks(nodes)).toBeLessThan(400);
});

test.each([
  { what: 'the default order by id', resource: Routers, query: {}, index: 'list_routers_pkey' },
  { what: 'ids backwards', resource: Routers, query: { order: -1 }, index: 'list_routers_pkey' },
  {
    what: 'a default sort, newest first',
    resource: NewestFirst,
    query: {},
    index: 'list_routers_started_id_idx',
  },
  { what: 'a column', resource: Routers, query: { sort: 'name' }, index: 'list_routers_name_id_idx' },
  {
    what: 'a column that is never null, backwards',
    resource: NamedRouters,
    query: { sort: 'name', order: -1 },
    index: 'list_routers_name_id_idx',
  },
])('$what reads its page from an index, without sorting all', async ({ resource, query, index }) => {
  const read = readList(resource, query);
  const nodes = await planOf(pageOf(resource, read, whereOf(resource, read.where), (doc) => doc, {}));
  expect(indexes(nodes)).toContain(index);
  expect(scansAll(nodes)).toBe(false);
  expect(blocks(nodes)).toBeLessThan(400);
});

test('a page far down reads only the documents that it answers', async () => {
  const query = readList(NewestFirst, { skip: 15_000, limit: 25 });
  const where = whereOf(NewestFirst, query.where);
  const deep = await planOf(pageOf(NewestFirst, query, where, (doc) => doc, {}));
  const skipped = deep.find(
    (node) => node['Node Type'] === 'Index Only Scan' && node['Actual Rows'] > 15_000,
  );
  expect(skipped?.['Index Name']).toBe('list_routers_started_id_idx');
  const read = deep.filter((node) => node['Relation Name'] === 'list_routers' && node !== skipped);
  expect(read.map((node) => node['Actual Rows'] * node['Actual Loops'])).toEqual([25]);
  // The same page taken straight from the table reads each document that it skips.
  const straight = await planOf(
    sql`select doc::text from list_routers order by started desc nulls last, id offset 15000 limit 25`,
  );
  expect(blocks(deep)).toBeLessThan(blocks(straight) / 20);
});

test('the total is counted without a document, and only when a full page leaves it open', async () => {
  const full = await pagePlan(Routers, readList(Routers, { limit: 10 }));
  expect(full.some(countsAll)).toBe(true);
  expect(blocks(full)).toBeLessThan(1000);
  const end = readList(Routers, { skip: ROWS - 5, limit: 10 });
  const last = await planOf(pageOf(Routers, end, sql``, (doc) => doc, { count: totalOf(Routers, []) }));
  expect(last.filter((node) => node['Actual Loops'] === 0).map((node) => node['Relation Name'])).toContain(
    'list_routers',
  );
  expect((await list(database.db, Routers, end)).total).toBe(ROWS);
});

const countsAll = (node: Node) => node['Relation Name'] === 'list_routers' && node['Actual Rows'] === ROWS;
