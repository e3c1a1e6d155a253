import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openDatabase, rows } from '#db/client.ts';
import { indexNames } from '#db/counting/names.ts';
import type { Connection } from '#db/embedded.ts';
import { migrate } from '#db/migrate.ts';
import { sql } from '#db/statement.ts';
import { createDatabase, databaseOn, dropDatabase } from '../helpers/lists/databases.ts';

const { server, template } = inject('postgres');
let name: string;
let connection: Connection;
let database: ReturnType<typeof openDatabase>;

beforeAll(async () => {
  name = await createDatabase(server, template);
  connection = databaseOn(server, name);
  database = openDatabase({ connection, max: 1 });
});
afterAll(async () => {
  await database.close();
  await dropDatabase(server, name);
});

const indexes = async () => {
  const found = await rows<{ name: string }>(
    database.db,
    sql`select indexname as name from pg_indexes where indexname like '%\_name\_parts' order by 1`,
  );
  return found.map((row) => row.name);
};

test('a database that rejects the extension is used without it; the indexes are made once it exists', async () => {
  const { db } = database;
  const all = await indexes();
  expect(all).toContain('workflows_name_parts');
  await rows(db, sql`drop extension pg_trgm cascade`);
  expect(await indexes()).toEqual([]);

  // Whoever owns a database may take from itself what creating an extension needs.
  await rows(db, sql`revoke create on database ${sql.identifier(name)} from current_user`);
  const rejected = await indexNames(db);
  await rows(db, sql`grant create on database ${sql.identifier(name)} to current_user`);
  expect(rejected).toContain('Names have no trigram index');
  expect(rejected).toContain('pg_trgm');
  expect(await indexes()).toEqual([]);

  await rows(db, sql`create schema elsewhere`);
  await rows(db, sql`create extension pg_trgm schema elsewhere`);
  const warnings: string[] = [];
  await migrate(connection, { warn: (line) => warnings.push(line) });
  expect(warnings).toEqual([]);
  expect(await indexes()).toEqual(all);
});
