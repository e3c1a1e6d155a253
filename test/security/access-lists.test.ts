import { getTableName, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { ACCESS_LIST_TABLES } from '#db/access-lists.ts';
import { rows } from '#db/client.ts';
import { newId } from '#db/ids.ts';
import { createGroup } from '../helpers/people.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const { db } = service;

/** Stores a document with this access list straight in a table; columns that must have a value get the text `cli`. */
async function storeIn(table: string, gbac: object): Promise<string> {
  const id = newId();
  const doc = JSON.stringify({ _id: id, id, name: `of ${table} ${id}`, gbac });
  const required = await rows<{ name: string }>(
    db,
    sql`select column_name as name from information_schema.columns
        where table_name = ${table} and is_nullable = 'NO' and column_default is null and is_generated = 'NEVER'
          and column_name not in ('id', 'doc')`,
  );
  const columns = ['id', 'doc', ...required.map(({ name }) => name)].map((name) => sql.identifier(name));
  const values = [sql`${id}`, sql`${doc}::text::jsonb`, ...required.map(() => sql`'cli'`)];
  await db.execute(
    sql`insert into ${sql.identifier(table)} (${sql.join(columns, sql`, `)}) values (${sql.join(values, sql`, `)})`,
  );
  return id;
}

test('the registry names every table of the database whose documents have an access list', async () => {
  const found = await rows<{ name: string }>(
    db,
    sql`select table_name as name from information_schema.columns
        where table_schema = current_schema() and column_name = 'write_groups' order by 1`,
  );
  expect(found.length).toBeGreaterThanOrEqual(8);
  expect(ACCESS_LIST_TABLES.map((table) => getTableName(table)).sort()).toEqual(
    found.map(({ name }) => name),
  );
});

test.each(ACCESS_LIST_TABLES.map((table) => getTableName(table)))(
  'a deleted group leaves the access lists of %s, unless a document would become open to everyone',
  async (table) => {
    const [leaving, staying] = [await createGroup(service), await createGroup(service)];
    const id = await storeIn(table, { read: [leaving, staying], write: [staying, leaving] });
    const gbacOf = async () =>
      (
        await rows<{ gbac: string }>(
          db,
          sql`select (doc -> 'gbac')::text as gbac from ${sql.identifier(table)} where id = ${id}`,
        )
      ).map(({ gbac }) => JSON.parse(gbac));
    const removed = await service.send('admin', 'DELETE', `/authorization/groups/${leaving}`);
    expect(removed.status, removed.text).toBe(200);
    expect(await gbacOf()).toEqual([{ read: [staying], write: [staying] }]);
    const refused = await service.send('admin', 'DELETE', `/authorization/groups/${staying}`);
    expect(refused.status, refused.text).toBe(409);
    expect(await gbacOf()).toEqual([{ read: [staying], write: [staying] }]);
  },
);

test.each(ACCESS_LIST_TABLES.map((table) => getTableName(table)))(
  'the access list of a deleted document of %s is kept while it restricts, and forgotten once it is open',
  async (table) => {
    const group = await createGroup(service);
    const id = await storeIn(table, { read: [group], write: [group] });
    const kept = async () => {
      const found = await rows<{ list: string }>(
        db,
        sql`select read_groups::text as list from deleted_access_lists where kind = ${table} and id = ${id}`,
      );
      return found.map(({ list }) => JSON.parse(list) as unknown);
    };
    await db.execute(sql`delete from ${sql.identifier(table)} where id = ${id}`);
    expect(await kept()).toEqual([[group]]);
    const open = await storeIn(table, { read: [], write: [] });
    await db.execute(sql`update ${sql.identifier(table)} set id = ${id} where id = ${open}`);
    await db.execute(sql`delete from ${sql.identifier(table)} where id = ${id}`);
    expect(await kept()).toEqual([]);
  },
);
