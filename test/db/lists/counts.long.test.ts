import type { SQL } from 'drizzle-orm';
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { mayRead, mayReadAsset, mayReadProject, scopeOf } from '#db/access.ts';
import { type Database, rows } from '#db/client.ts';
import { COUNTED, countedTotal } from '#db/counting/counts.ts';
import { sql } from '#db/statement.ts';
import { automations, projects, workflows } from '#db/tables/assets/assets.ts';
import { audit } from '#db/tables/operations/platform.ts';
import { accessOf } from '#server/kernel/documents/documents.service.ts';
import { admin, anna, clear, insertOf, step, take, undoing } from '../../helpers/jobs/counted.ts';
import { lawRuns } from '../../helpers/long.ts';
import { openTestDatabase } from '../../helpers/postgres.ts';

const database = await openTestDatabase();
beforeEach(() => clear(database.db));

/** Each counted table with what somebody sees of it. */
const seen = (who: typeof anna): [PgTable, SQL | undefined][] => [
  [workflows, mayReadAsset(workflows, projects, who)],
  [automations, mayRead(automations, who)],
  [projects, mayReadProject(projects, who)],
  [audit, undefined],
];

/** Compares the counts updated on write with the stored rows, in one statement each. */
async function expectCounted(db: Database): Promise<void> {
  for (const who of [admin, anna]) {
    for (const [from, access] of seen(who)) {
      const total = countedTotal(from, access);
      if (!total) throw new Error(`${getTableConfig(from).name} is not counted`);
      const [row] = await rows<{ total: string; there: string }>(
        db,
        sql`select ${total} as total, (select count(*)::text from ${from} ${access ? sql`where ${access}` : sql``}) as there`,
      );
      expect({ from: getTableConfig(from).name, who: who.id, total: row?.total }).toEqual({
        from: getTableConfig(from).name,
        who: who.id,
        total: row?.there,
      });
    }
  }
  await expectKindsCounted(db);
}

/** Totals of workflows of one type, or of none, likewise. */
async function expectKindsCounted(db: Database): Promise<void> {
  for (const who of [admin, anna]) {
    const access = mayReadAsset(workflows, projects, who);
    for (const kind of [
      sql`${workflows.type} = 'mop'`,
      sql`${workflows.type} = any('{automation,mop}')`,
      sql`${workflows.type} is null`,
    ]) {
      const where = access ? sql`where ${access} and ${kind}` : sql`where ${kind}`;
      const total = countedTotal(workflows, access, { where, columns: [workflows.type] });
      const [row] = await rows<{ total: string; there: string }>(
        db,
        sql`select ${total} as total, (select count(*)::text from ${workflows} ${where}) as there`,
      );
      expect(row?.total).toBe(row?.there);
    }
  }
}

test('counts updated on write equal the stored rows, within each transaction and after it, whether it commits or rolls back', async () => {
  const transaction = fc.record({
    steps: fc.array(step, { minLength: 1, maxLength: 6 }),
    inner: fc.array(step, { maxLength: 3 }),
    innerEnds: fc.boolean(),
    ends: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(transaction, { minLength: 1, maxLength: 6 }), async (all) => {
      for (const { steps, inner, innerEnds, ends } of all) {
        await undoing(database.db, ends, async (tx) => {
          for (const one of steps) await take(tx, one);
          await expectCounted(tx);
          await undoing(tx, innerEnds, async (savepoint) => {
            for (const one of inner) await take(savepoint, one);
          });
          await expectCounted(tx);
        });
        await expectCounted(database.db);
      }
    }),
    lawRuns(40),
  );
}, 600_000);

test('concurrent writers neither wait for each other nor lose a document while counts are added up', async () => {
  let writing = true;
  const watching = (async () => {
    while (writing) {
      await expectCounted(database.db);
      await rows(database.db, sql`select compact_document_counts('workflows') from generate_series(1, 20)`);
    }
  })();
  await Promise.all(
    [0, 1, 2].map(async (n) => {
      for (let round = 0; round < 60; round++) {
        await undoing(database.db, round % 4 !== 0, async (tx) => {
          await insertOf(tx, 'workflows', 5, (n + round) % 4);
          await rows(tx, sql`select compact_document_counts('workflows') from generate_series(1, 64)`);
          await rows(
            tx,
            sql`delete from workflows where id in (select id from workflows limit 2 for update skip locked)`,
          );
        });
      }
    }),
  ).finally(() => {
    writing = false;
  });
  await watching;
  await expectCounted(database.db);
  const [left] = await rows<{ n: string }>(database.db, sql`select count(*) as n from workflows`);
  expect(Number(left?.n)).toBe(3 * 45 * 3);
});

test('rows do not pile up: the counts of a table that is written to stay few', async () => {
  for (let n = 0; n < 1500; n++) await insertOf(database.db, 'automations', 1, n % 4);
  const [kept] = await rows<{ n: string }>(
    database.db,
    sql`select count(*) as n from document_counts where table_name = 'automations'`,
  );
  // one row in 64 is added up, on average; 1,000 in sequence without it would be a chance of 1 in seven million
  expect(Number(kept?.n)).toBeLessThan(1000);
  await expectCounted(database.db);
});

test('deletions that cascade are counted', async () => {
  const { db } = database;
  await rows(db, sql`create table racks (id text primary key)`);
  await rows(
    db,
    sql`create table shelves (id text primary key, rack text references racks on delete cascade)`,
  );
  await rows(db, sql`insert into racks values ('a'), ('b')`);
  await rows(
    db,
    sql`insert into shelves select n::text, case when n % 3 = 0 then 'a' else 'b' end from generate_series(1, 9) n`,
  );
  await rows(db, sql`select count_documents('shelves', 'rack')`);
  await rows(db, sql`delete from racks where id = 'b'`);
  const counted = await rows(
    db,
    sql`select scope, sum(n)::int as n from document_counts where table_name = 'shelves' group by 1 having sum(n) <> 0`,
  );
  expect([...counted]).toEqual([{ scope: 'a', n: 3 }]);
});

// Jobs have counts of their own (job_counts).
test('every table that is declared as counted has a trigger that counts by the declared column', async () => {
  const found = await rows<{ name: string; triggers: string }>(
    database.db,
    sql`select relname as name, string_agg(pg_get_triggerdef(t.oid), ';') as triggers from pg_trigger t
        join pg_class c on c.oid = tgrelid where tgname like '%\_counted\_%' and relname not in ('shelves', 'jobs') group by 1`,
  );
  const reported = new Map(
    found.map(({ name, triggers }) => [
      name,
      [...triggers.matchAll(/OLD\.(\w+)/gi)].map(([, column]) => column),
    ]),
  );
  const said = new Map(
    [...COUNTED].map(([one, { scope, kind }]) => [
      getTableConfig(one).name,
      [scope, kind].flatMap((column) => column?.name ?? []),
    ]),
  );
  expect(reported).toEqual(said);
});

test('only a condition on access rights or on the kind, and no other, is answered from the counts', () => {
  const access = mayRead(automations, anna);
  if (!access) throw new Error('anna is no admin');
  expect(scopeOf(access)).toBe(automations.readGroups);
  expect(scopeOf(accessOf(access).access ?? sql``)).toBe(automations.readGroups);
  expect(scopeOf(accessOf(access, sql`${automations.name} = 'x'`).access ?? sql``)).toBeUndefined();
  expect(scopeOf(sql`not ${access}`)).toBeUndefined();
  expect(scopeOf(sql`${automations.name} = 'x'`)).toBeUndefined();
  expect(countedTotal(workflows, access)).toBeUndefined();
  const where = sql`where ${workflows.name} = 'x'`;
  expect(countedTotal(workflows, undefined, { where, columns: [workflows.name] })).toBeUndefined();
  expect(countedTotal(workflows, undefined, { where, columns: [undefined] })).toBeUndefined();
});
