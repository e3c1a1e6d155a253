import { getTableConfig } from 'drizzle-orm/pg-core';
import { beforeEach, expect, test } from 'vitest';
import { openDatabase, rows } from '#db/client.ts';
import { LOGGED } from '#db/counting/change-log.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { sql } from '#db/statement.ts';
import { clear, Workflows } from '../../helpers/jobs/counted.ts';
import { databaseUrlOf, openTestDatabase } from '../../helpers/postgres.ts';
import { unique } from '../../helpers/procedures.ts';

const database = await openTestDatabase();
beforeEach(() => clear(database.db));

test('an edit records every column of the table but the document', async () => {
  for (const table of LOGGED) {
    const { name, columns } = getTableConfig(table);
    const [row] = await rows<{ source: string }>(
      database.db,
      sql`select prosrc as source from pg_proc where proname = ${`log_${name}`}`,
    );
    const reported = new Set([...(row?.source ?? '').matchAll(/'(\w+)', \1/g)].map(([, column]) => column));
    const there = new Set(columns.map((column) => column.name).filter((column) => column !== 'doc'));
    expect({ name, reported }).toEqual({ name, reported: there });
  }
});

test('discards edits beyond the maximum and counts again from the start', async () => {
  const { db } = database;
  await rows(
    db,
    sql`insert into workflows (id, doc) select 'w' || n, jsonb_build_object('_id', 'w' || n, 'name', 'part ' || n) from generate_series(1, 6000) n`,
  );
  const requested = readList(Workflows, { contains: { name: 'part' }, limit: 1 });
  expect((await list(db, Workflows, requested)).total).toBe(6000);
  await rows(db, sql`delete from workflows where id = 'w1'`);
  await rows(
    db,
    sql`insert into document_edits (table_name) select 'shelves' from generate_series(1, 21000)`,
  );
  await rows(db, sql`select forget_document_edits() from generate_series(1, 5000)`);
  const [{ n } = { n: '' }] = await rows<{ n: string }>(
    db,
    sql`select count(*) as n from document_edits where table_name = 'workflows'`,
  );
  expect(n).toBe('0');
  expect((await list(db, Workflows, requested)).total).toBe(5999);
});

test('a transaction with an older snapshot receives the totals of that snapshot', async () => {
  const { db } = database;
  await rows(
    db,
    sql`insert into workflows (id, doc) select 'w' || n, jsonb_build_object('_id', 'w' || n, 'name', 'old ' || n) from generate_series(1, 6000) n`,
  );
  const requested = readList(Workflows, { contains: { name: 'old' }, limit: 1 });
  await db.transaction(
    async (tx) => {
      expect((await list(tx, Workflows, requested)).total).toBe(6000);
      await rows(db, sql`delete from workflows where id = any('{w1,w2,w3}')`);
      expect((await list(db, Workflows, requested)).total).toBe(5997);
      expect((await list(tx, Workflows, requested)).total).toBe(6000);
      expect((await list(db, Workflows, requested)).total).toBe(5997);
    },
    { isolationLevel: 'repeatable read' },
  );
});

test('a new process starts from the total that another one has counted, and corrects it by the edits since', async () => {
  const { db, connection } = database;
  const many = unique('many');
  await rows(db, sql`delete from list_totals`);
  await rows(
    db,
    sql`insert into workflows (id, doc) select 'w' || n, jsonb_build_object('_id', 'w' || n, 'name', ${many}::text || ' ' || n) from generate_series(1, 21000) n`,
  );
  // While a transaction is open that began before the last edits were forgotten, in any database of the server, totals are counted again.
  const isForgetting = sql`select upto >= pg_snapshot_xmin(pg_current_snapshot()) as now from forgotten_edits`;
  await expect.poll(() => rows(db, isForgetting)).toEqual([{ now: false }]);
  const requested = readList(Workflows, { contains: { name: many }, limit: 1 });
  expect((await list(db, Workflows, requested)).total).toBe(21_000);
  await expect.poll(() => rows(db, sql`select total from list_totals`)).toEqual([{ total: '21000' }]);
  // A total that nobody would count shows that it is not counted again.
  await rows(db, sql`update list_totals set total = '70000'`);
  await rows(db, sql`delete from workflows where id = any('{w1,w2,w3}')`);
  // A pool whose address is written otherwise shares nothing in memory with the first one, as another process.
  const other = openDatabase({ connection: `${await databaseUrlOf(connection)}?application_name=other` });
  try {
    expect((await list(other.db, Workflows, requested)).total).toBe(69_997);
    expect((await list(db, Workflows, requested)).total).toBe(20_997);
    const rare = readList(Workflows, { contains: { name: `${many} 2099` }, limit: 1 });
    expect((await list(other.db, Workflows, rare)).total).toBe(11);
  } finally {
    await other.close();
  }
});
