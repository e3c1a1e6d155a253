import { randomUUID } from 'node:crypto';
import { sql as drizzle, type SQL } from 'drizzle-orm';
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { mayRead, mayReadAsset, mayReadProject, scopeOf } from '#db/access.ts';
import { automations, projects, workflows } from '#db/asset-tables.ts';
import { type Database, rows } from '#db/client.ts';
import { insertMany } from '#db/collection.ts';
import { COUNTED, countedTotal } from '#db/counts.ts';
import { LOGGED } from '#db/edits.ts';
import { readBrackets } from '#db/list/bracket.ts';
import { list } from '#db/list/list.ts';
import { defineResource } from '#db/list/resource.ts';
import { Workflow } from '#db/schemas/workflow.ts';
import { sql } from '#db/statement.ts';
import { audit } from '#db/tables.ts';
import { accessOf } from '#server/engines/configuration/documents.service.ts';
import { openTestDatabase } from '../helpers/postgres.ts';

let database: Awaited<ReturnType<typeof openTestDatabase>>;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const PROJECTS = ['p0', 'p1', 'p2'];
const anna = { id: 'anna', roles: ['apiread'], groups: ['g0', 'g1'] };
const admin = { id: 'root', roles: ['admin'], groups: [] };

beforeEach(async () => {
  await rows(database.db, sql`truncate workflows, automations, projects, audit cascade`);
  await insertMany(
    database.db,
    projects,
    PROJECTS.map((id, iid) => ({
      id,
      doc: { _id: id, iid, name: id, accessControl: { read: [] } } as never,
    })),
  );
});

/** What can happen to tables of documents. */
type Step =
  | { do: 'insert'; table: Table; count: number; scope: number }
  | { do: 'select'; table: Table; count: number; scope: number }
  | { do: 'move'; table: Table; modulo: number; scope: number }
  | { do: 'touch'; table: Table; modulo: number }
  | { do: 'retype'; modulo: number; type: string | null }
  | { do: 'delete'; table: Table; modulo: number }
  | { do: 'share'; project: number; readers: number }
  | { do: 'truncate'; table: Table }
  | { do: 'compact' };
type Table = 'workflows' | 'automations' | 'audit';

const table = fc.constantFrom<Table>('workflows', 'automations', 'audit');
const scope = fc.nat(3);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('insert', 'select'), table, count: fc.nat(20), scope }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('move'), table, modulo: fc.integer({ min: 1, max: 5 }), scope }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('touch', 'delete'),
      table,
      modulo: fc.integer({ min: 1, max: 5 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('retype'),
      modulo: fc.integer({ min: 1, max: 5 }),
      type: fc.constantFrom('automation', 'mop', null),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('share'), project: fc.nat(2), readers: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('truncate'), table }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('compact') }) },
) as fc.Arbitrary<Step>;

const READERS = [[], ['account:anna'], ['group:g1', 'account:ben']];
/** Read groups of an automation; the first lets everyone in. */
const SHARED = [[], ['g0'], ['g2'], ['g1', 'g2']];

async function take(db: Database, one: Step): Promise<void> {
  if (one.do === 'compact') {
    for (const name of ['workflows', 'automations', 'audit', 'projects']) {
      await rows(db, sql`select compact_document_counts(${name}) from generate_series(1, 100)`);
    }
  } else if (one.do === 'share') {
    await rows(
      db,
      sql`update projects set doc = jsonb_set(doc, '{accessControl,read}', ${JSON.stringify(READERS[one.readers])}::text::jsonb)
          where id = ${PROJECTS[one.project]}`,
    );
  } else if (one.do === 'truncate') {
    await rows(db, drizzle.raw(`truncate ${one.table} cascade`));
  } else if (one.do === 'touch') {
    await rows(
      db,
      drizzle.raw(
        `update ${one.table} set doc = doc || '{"touched":true}' where hashtext(id) % ${one.modulo} = 0`,
      ),
    );
  } else if (one.do === 'retype') {
    await rows(
      db,
      sql`update workflows set doc = doc - 'type' || jsonb_strip_nulls(jsonb_build_object('type', ${one.type}::text))
          where hashtext(id) % ${one.modulo}::int = 0`,
    );
  } else if (one.do === 'delete') {
    await rows(db, drizzle.raw(`delete from ${one.table} where hashtext(id) % ${one.modulo} = 0`));
  } else if (one.do === 'move') {
    await move(db, one.table, one.modulo, one.scope);
  } else if (one.do === 'insert') {
    await insertOf(db, one.table, one.count, one.scope);
  } else {
    const gbac = JSON.stringify({ gbac: { read: SHARED[one.scope] } });
    await rows(
      db,
      sql`insert into ${drizzle.raw(one.table)} (id, doc)
          select id, jsonb_build_object('_id', id, 'name', id) || ${gbac}::text::jsonb
          from (select gen_random_uuid()::text as id from generate_series(1, ${one.count}::int)) as made
          on conflict (id) do update set doc = excluded.doc`,
    );
  }
}

async function insertOf(db: Database, into: Table, count: number, at: number): Promise<void> {
  const documents = Array.from({ length: count }, () => {
    const id = randomUUID();
    return {
      id,
      doc: {
        _id: id,
        name: id,
        ...(into === 'workflows' && at > 0 && { type: at === 1 ? 'automation' : 'mop' }),
        ...(into === 'automations' && { gbac: { read: SHARED[at], write: [] } }),
      } as never,
      ...(into === 'workflows' && { extra: { projectId: PROJECTS[at] ?? null } }),
    };
  });
  const tables = { workflows, automations, audit };
  await insertMany(db, tables[into] as typeof workflows, documents);
}

async function move(db: Database, which: Table, modulo: number, at: number): Promise<void> {
  if (which === 'workflows') {
    await rows(
      db,
      sql`update workflows set project_id = ${PROJECTS[at] ?? null} where hashtext(id) % ${modulo} = 0`,
    );
  } else if (which === 'automations') {
    await rows(
      db,
      sql`update automations set doc = jsonb_set(doc, '{gbac}', ${JSON.stringify({ read: SHARED[at] })}::text::jsonb)
          where hashtext(id) % ${modulo} = 0`,
    );
  }
}

/** Each counted table with what somebody sees of it. */
const seen = (who: typeof anna): [PgTable, SQL | undefined][] => [
  [workflows, mayReadAsset(workflows, projects, who)],
  [automations, mayRead(automations, who)],
  [projects, mayReadProject(projects, who)],
  [audit, undefined],
];

/** Holds what was counted as it was written against what is there, in one statement each. */
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

class Undone extends Error {}

test('what is counted as it is written is what is there, within each transaction and after it, however it ends', async () => {
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
    { numRuns: Number(process.env.LAW_RUNS ?? 40) },
  );
}, 600_000);

async function undoing(db: Database, ends: boolean, run: (tx: Database) => Promise<void>): Promise<void> {
  await db
    .transaction(async (tx) => {
      await run(tx);
      if (!ends) throw new Undone();
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undone)) throw error;
    });
}

test('writers at once neither wait for each other nor lose a document, while counts are added up', async () => {
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
test('every table that is said to be counted is, by the column that is said', async () => {
  const found = await rows<{ name: string; triggers: string }>(
    database.db,
    sql`select relname as name, string_agg(pg_get_triggerdef(t.oid), ';') as triggers from pg_trigger t
        join pg_class c on c.oid = tgrelid where tgname like '%\_counted\_%' and relname not in ('shelves', 'jobs') group by 1`,
  );
  const told = new Map(
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
  expect(told).toEqual(said);
});

test('what is told of an edit is every column of the table but the document', async () => {
  for (const table of LOGGED) {
    const { name, columns } = getTableConfig(table);
    const [row] = await rows<{ source: string }>(
      database.db,
      sql`select prosrc as source from pg_proc where proname = ${`log_${name}`}`,
    );
    const told = new Set([...(row?.source ?? '').matchAll(/'(\w+)', \1/g)].map(([, column]) => column));
    const there = new Set(columns.map((column) => column.name).filter((column) => column !== 'doc'));
    expect({ name, told }).toEqual({ name, told: there });
  }
});

test('edits are forgotten when they are many, and what was counted before is counted anew', async () => {
  const { db } = database;
  await rows(
    db,
    sql`insert into workflows (id, doc) select 'w' || n, jsonb_build_object('_id', 'w' || n, 'name', 'part ' || n) from generate_series(1, 6000) n`,
  );
  const asked = readBrackets(Workflows, { contains: { name: 'part' }, limit: 1 });
  expect((await list(db, Workflows, asked)).total).toBe(6000);
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
  expect((await list(db, Workflows, asked)).total).toBe(5999);
});

test('a transaction that looks at the past is told the totals of the past', async () => {
  const { db } = database;
  await rows(
    db,
    sql`insert into workflows (id, doc) select 'w' || n, jsonb_build_object('_id', 'w' || n, 'name', 'old ' || n) from generate_series(1, 6000) n`,
  );
  const asked = readBrackets(Workflows, { contains: { name: 'old' }, limit: 1 });
  await db.transaction(
    async (tx) => {
      expect((await list(tx, Workflows, asked)).total).toBe(6000);
      await rows(db, sql`delete from workflows where id = any('{w1,w2,w3}')`);
      expect((await list(db, Workflows, asked)).total).toBe(5997);
      expect((await list(tx, Workflows, asked)).total).toBe(6000);
      expect((await list(db, Workflows, asked)).total).toBe(5997);
    },
    { isolationLevel: 'repeatable read' },
  );
});

test('only a condition that asks who may see, or of what kind, and nothing else, is answered from the counts', () => {
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

const Workflows = defineResource({
  name: 'workflows',
  schema: Workflow,
  source: workflows,
  columns: { name: workflows.name, type: workflows.type },
  defaultSort: [{ field: 'name', order: 1 }],
});

test('pages and totals agree with who may see each workflow, whatever is asked', async () => {
  const stored = fc.uniqueArray(
    fc.record({
      name: fc.stringMatching(/^[aAbB_%é]{1,6}$/),
      type: fc.constantFrom('automation', 'mop', undefined),
      at: fc.nat(3),
    }),
    { selector: ({ name }) => name, maxLength: 30 },
  );
  const asked = fc.record(
    {
      equals: fc.record({ type: fc.constantFrom('automation', 'mop') }),
      contains: fc.record({ name: fc.stringMatching(/^[aAbB_%é]{1,4}$/) }),
      'starts-with': fc.record({ name: fc.stringMatching(/^[aAbB_%é]{1,2}$/) }),
      skip: fc.nat(12),
      limit: fc.integer({ min: 1, max: 8 }),
    },
    { requiredKeys: [] },
  );
  const readers = fc.array(fc.constantFrom(...READERS), { minLength: 3, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      stored,
      readers,
      fc.array(asked, { minLength: 10, maxLength: 10 }),
      async (all, shared, queries) => {
        const { db } = database;
        await rows(db, sql`truncate workflows`);
        for (const [n, read] of shared.entries()) {
          await rows(
            db,
            sql`update projects set doc = jsonb_set(doc, '{accessControl,read}', ${JSON.stringify(read)}::text::jsonb) where id = ${PROJECTS[n]}`,
          );
        }
        await insertMany(
          db,
          workflows,
          all.map(({ name, type, at }) => ({
            id: name,
            doc: { _id: name, name, ...(type && { type }), tasks: {}, transitions: {} } as never,
            extra: { projectId: PROJECTS[at] ?? null },
          })),
        );
        for (const query of queries) {
          const read = readBrackets(Workflows, query);
          for (const who of [admin, anna]) {
            const visible = all.filter(
              ({ at }) =>
                who === admin ||
                !PROJECTS[at] ||
                shared[at]?.some((key) => ['account:anna', 'group:g1'].includes(key)),
            );
            const { page, total } = plainly(visible, query);
            const answer = await list(db, Workflows, read, accessOf(mayReadAsset(workflows, projects, who)));
            expect({
              query,
              names: answer.texts.map((text) => JSON.parse(text).name),
              total: answer.total,
            }).toEqual({
              query,
              names: page,
              total,
            });
          }
        }
      },
    ),
    { numRuns: Number(process.env.LAW_RUNS ?? 30) },
  );
}, 600_000);

test('a total that is remembered is that of the very state which the page is read from', async () => {
  const { db } = database;
  await rows(
    db,
    sql`insert into workflows (id, project_id, doc)
        select n::text, case n % 4 when 0 then 'p0' when 1 then 'p1' end,
          jsonb_build_object('_id', n::text, 'name', 'many ' || n, 'type', 'automation')
        from generate_series(1, 12000) n`,
  );
  const filters = [{ contains: { name: 'many' } }, { equals: { type: 'automation' } }];
  const expectTotals = async (at: Database) => {
    for (const who of [admin, anna]) {
      const access = mayReadAsset(workflows, projects, who);
      for (const filter of filters) {
        const query = readBrackets(Workflows, { ...filter, limit: 1, exclude: 'tasks' });
        const condition = filter.contains ? sql`name like 'many%'` : sql`type = 'automation'`;
        const [there] = await rows<{ n: string }>(
          at,
          sql`select count(*) as n from workflows where ${condition} ${access ? sql`and ${access}` : sql``}`,
        );
        for (const asking of ['first', 'again']) {
          const { total } = await list(at, Workflows, query, accessOf(access));
          expect({ who: who.id, filter, asking, total }).toEqual({
            who: who.id,
            filter,
            asking,
            total: Number(there?.n),
          });
        }
      }
    }
  };
  const change = fc.oneof(
    step,
    fc.record({ do: fc.constant('rename' as const), modulo: fc.integer({ min: 500, max: 3000 }) }),
  );
  const small = change.filter((one) => one.do !== 'truncate' && one.do !== 'delete' && one.do !== 'touch');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(small, fc.boolean()), { maxLength: 6 }), async (changes) => {
      for (const [one, ends] of changes) {
        await undoing(db, ends, async (tx) => {
          if (one.do !== 'rename')
            await take(tx, one.do === 'move' ? { ...one, modulo: one.modulo * 500 } : one);
          else {
            await rows(
              tx,
              sql`update workflows set doc = jsonb_set(doc, '{name}', to_jsonb('few ' || id)) where hashtext(id) % ${one.modulo} = 0`,
            );
          }
          await expectTotals(tx);
        });
        await expectTotals(db);
      }
    }),
    { numRuns: Number(process.env.LAW_RUNS ?? 15) },
  );
}, 600_000);

type Asked = {
  equals?: { type: string };
  contains?: { name: string };
  'starts-with'?: { name: string };
  skip?: number;
  limit?: number;
};

/** What a list of workflows answers, said as plainly as possible. */
function plainly(visible: { name: string; type: string | undefined }[], query: Asked) {
  const fold = (text: string) => text.toLowerCase();
  const found = visible
    .filter(({ type }) => !query.equals || type === query.equals.type)
    .filter(({ name }) => !query.contains || fold(name).includes(fold(query.contains.name)))
    .filter(({ name }) => !query['starts-with'] || fold(name).startsWith(fold(query['starts-with'].name)))
    .map(({ name }) => name)
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const skip = query.skip ?? 0;
  return { page: found.slice(skip, skip + (query.limit ?? 25)), total: found.length };
}
