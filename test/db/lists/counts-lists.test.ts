import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { mayReadAsset } from '#db/access.ts';
import { type Database, rows } from '#db/client.ts';
import { insertMany } from '#db/collection.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { sql } from '#db/statement.ts';
import { projects, workflows } from '#db/tables/assets/assets.ts';
import { accessOf } from '#server/kernel/documents/documents.service.ts';
import {
  admin,
  anna,
  clear,
  PROJECTS,
  READERS,
  step,
  take,
  undoing,
  Workflows,
} from '../../helpers/jobs/counted.ts';
import { lawRuns } from '../../helpers/long.ts';
import { openTestDatabase } from '../../helpers/postgres.ts';

const database = await openTestDatabase();
beforeEach(() => clear(database.db));

test('pages and totals agree with the access rights to each workflow, for any query', async () => {
  const stored = fc.uniqueArray(
    fc.record({
      name: fc.stringMatching(/^[aAbB_%é]{1,6}$/),
      type: fc.constantFrom('automation', 'mop', undefined),
      at: fc.nat(3),
    }),
    { selector: ({ name }) => name, maxLength: 30 },
  );
  const requested = fc.record(
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
      fc.array(requested, { minLength: 10, maxLength: 10 }),
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
          const read = readList(Workflows, query);
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
    lawRuns(30),
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
        const query = readList(Workflows, { ...filter, limit: 1, exclude: 'tasks' });
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
    lawRuns(15),
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
