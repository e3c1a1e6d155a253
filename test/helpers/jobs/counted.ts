import { randomUUID } from 'node:crypto';
import { sql as drizzle } from 'drizzle-orm';
import fc from 'fast-check';
import { type Database, rows } from '#db/client.ts';
import { insertMany } from '#db/collection.ts';
import { defineResource } from '#db/list/resource.ts';
import { Workflow } from '#db/schemas/workflow/workflow.ts';
import { sql } from '#db/statement.ts';
import { automations, projects, workflows } from '#db/tables/assets/assets.ts';
import { audit } from '#db/tables/operations/platform.ts';

/** Workflows as lists of them are tested, by name. */
export const Workflows = defineResource({
  name: 'workflows',
  schema: Workflow,
  source: workflows,
  columns: { name: workflows.name, type: workflows.type },
  defaultSort: [{ field: 'name', order: 1 }],
});

export const PROJECTS = ['p0', 'p1', 'p2'];
export const anna = { id: 'anna', roles: ['apiread'], groups: ['g0', 'g1'] };
export const admin = { id: 'root', roles: ['admin'], groups: [] };

/** Empties the tables that steps write to, but for the projects that they name. */
export async function clear(db: Database): Promise<void> {
  await rows(db, sql`truncate workflows, automations, projects, audit cascade`);
  await insertMany(
    db,
    projects,
    PROJECTS.map((id, iid) => ({
      id,
      doc: { _id: id, iid, name: id, accessControl: { read: [] } } as never,
    })),
  );
}

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
export const step: fc.Arbitrary<Step> = fc.oneof(
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

export const READERS = [[], ['account:anna'], ['group:g1', 'account:ben']];
/** Read groups of an automation; the first lets everyone in. */
const SHARED = [[], ['g0'], ['g2'], ['g1', 'g2']];

export async function take(db: Database, one: Step): Promise<void> {
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

export async function insertOf(db: Database, into: Table, count: number, at: number): Promise<void> {
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

class Undone extends Error {}

/** A transaction that does all of this, and is undone unless it ends. */
export async function undoing(
  db: Database,
  ends: boolean,
  run: (tx: Database) => Promise<void>,
): Promise<void> {
  await db
    .transaction(async (tx) => {
      await run(tx);
      if (!ends) throw new Undone();
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undone)) throw error;
    });
}
