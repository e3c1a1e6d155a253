import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mayReadAsset } from '#db/access.ts';
import { type Database, rows } from '#db/client.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { Workflow } from '#db/schemas/workflow/workflow.ts';
import { sql } from '#db/statement.ts';
import { projects, workflows } from '#db/tables/assets/assets.ts';
import { accessOf } from '#server/kernel/documents/documents.service.ts';
import { lawRuns } from '../../helpers/long.ts';
import { openTestDatabase } from '../../helpers/postgres.ts';

let database: Awaited<ReturnType<typeof openTestDatabase>>;
beforeAll(async () => {
  database = await openTestDatabase();
  const { db } = database;
  // Many share a type or a version; some have no type, which comes last in either order.
  await rows(
    db,
    sql`insert into workflows (id, project_id, doc)
        select lpad(n::text, 6, '0'), null, jsonb_build_object('_id', lpad(n::text, 6, '0'), 'name', 'name ' || hashtext(n::text),
          'canvasVersion', n % 5) || case when n % 3 = 0 then '{}'::jsonb else jsonb_build_object('type', 'type ' || n % 2) end
        from generate_series(1, 3000) n`,
  );
});
afterAll(() => database.close());

const Workflows = defineResource({
  name: 'workflows',
  schema: Workflow,
  source: workflows,
  columns: { name: workflows.name, type: workflows.type },
  unlimited: true,
});

const admin = { id: 'root', roles: ['admin'], groups: [] };
const access = accessOf(mayReadAsset(workflows, projects, admin));

type Asked = { sort?: string; order?: number; equals?: { type: string } };
const ask = (db: Database, requested: Asked, skip: number, limit: number | undefined) =>
  list(
    db,
    Workflows,
    readList(Workflows, { ...requested, skip, ...(limit !== undefined && { limit }) }),
    access,
  );

const ORDERS: Asked[] = [
  {},
  { sort: 'name' },
  { sort: 'name', order: -1 },
  { sort: 'type' },
  { sort: 'type', order: -1 },
  { sort: '_id', order: -1 },
  { sort: 'canvasVersion', order: -1 },
  { sort: 'name', equals: { type: 'type 1' } },
];

type Step =
  | { requested: Asked; skip: number; limit: number }
  | { write: 'rename' | 'delete' | 'insert'; at: number };

test('a page far down is the same, whichever places of its list are remembered, and whatever is written in between', async () => {
  const skip = fc.integer({ min: 990, max: 3100 });
  const page = fc.record({
    requested: fc.constantFrom(...ORDERS),
    skip,
    limit: fc.integer({ min: 1, max: 40 }),
  });
  const written = fc.record({
    write: fc.constantFrom<'rename' | 'delete' | 'insert'>('rename', 'delete', 'insert'),
    at: fc.integer({ min: 1, max: 3000 }),
  });
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 6, arbitrary: page },
    { weight: 1, arbitrary: written },
  );
  let made = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
      const { db } = database;
      const whole = new Map<string, string[]>();
      for (const one of steps) {
        if ('write' in one) {
          const id = String(one.at).padStart(6, '0');
          if (one.write === 'delete') await rows(db, sql`delete from workflows where id = ${id}`);
          if (one.write === 'rename') {
            await rows(
              db,
              sql`update workflows set doc = jsonb_set(doc, '{name}', to_jsonb('moved ' || id)) where id = ${id}`,
            );
          }
          if (one.write === 'insert') {
            const fresh = `${id}-${made++}`;
            await rows(
              db,
              sql`insert into workflows (id, doc) values (${fresh},
                jsonb_build_object('_id', ${fresh}::text, 'name', 'another ' || ${fresh}::text, 'type', 'type 1'))`,
            );
          }
          whole.clear();
          continue;
        }
        const key = JSON.stringify(one.requested);
        const all = whole.get(key) ?? (await ask(db, one.requested, 0, undefined)).texts;
        whole.set(key, all);
        // The second time sets out from where the first one stood.
        for (const further of [0, 0, one.limit]) {
          const { texts, total } = await ask(db, one.requested, one.skip + further, one.limit);
          expect({ ...one, further, texts }).toEqual({
            ...one,
            further,
            texts: all.slice(one.skip + further, one.skip + further + one.limit),
          });
          expect(total).toBe(all.length);
        }
      }
    }),
    lawRuns(40),
  );
}, 600_000);
