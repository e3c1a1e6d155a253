import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { insertMany } from '#db/collection.ts';
import { markRare } from '#db/list/bigrams.ts';
import { whereOf } from '#db/list/compile.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { Workflow } from '#db/schemas/workflow/workflow.ts';
import { sql } from '#db/statement.ts';
import { projects, workflows } from '#db/tables/assets/assets.ts';
import { lawRuns } from '../../helpers/long.ts';
import { openTestDatabase } from '../../helpers/postgres.ts';

let database: Awaited<ReturnType<typeof openTestDatabase>>;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const Workflows = defineResource({
  name: 'workflows',
  schema: Workflow,
  source: workflows,
  columns: { name: workflows.name },
  unlimited: true,
});
const query = (part: string) => readList(Workflows, { contains: { name: part } });

async function store(names: readonly string[]) {
  await rows(database.db, sql`truncate workflows, projects cascade`);
  await insertMany(
    database.db,
    workflows,
    names.map((name, n) => ({ id: String(n).padStart(6, '0'), doc: { _id: String(n), name } as never })),
  );
}

/** Letters in both cases, separators, characters that patterns and queries quote, and letters whose lower case is another or longer. */
const character = fc.constantFrom(...'aAbBzZ019 -_%\\\'":&|!*()<>.\n\t', ...'éÉßİıKſΣς🚀');
const name = fc.array(character, { minLength: 1, maxLength: 8 }).map((characters) => characters.join(''));
const part = fc.array(character, { minLength: 1, maxLength: 4 }).map((characters) => characters.join(''));

const small = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

test('names that have a part of few characters are found, whatever the characters', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(name, { maxLength: 30 }),
      fc.array(part, { minLength: 10, maxLength: 10 }),
      async (names, parts) => {
        await store(names);
        for (const sought of parts.filter((one) => /^[\0-\x7f]*$/.test(one))) {
          const { texts, total } = await list(database.db, Workflows, query(sought));
          const found = texts.map((each) => JSON.parse(each).name);
          const expected = names.filter((one) => small(one).includes(small(sought)));
          expect({ sought, found, total }).toEqual({ sought, found: expected, total: expected.length });
        }
      },
    ),
    lawRuns(40),
  );
}, 600_000);

test.each(['z', 'zz', 'Zz', '--', '-z', "z'", '%', '_\\', 'z-1-', '9.9.9'])(
  'names with %j are found by their bigrams where few are expected',
  async (sought) => {
    const { db } = database;
    await store(Array.from({ length: 3000 }, (_, n) => `router ${n}`));
    await rows(db, sql`analyze workflows`);
    const [condition] = await markRare(db, Workflows, query(sought).where);
    expect(condition?.rare).toBe(true);
    const plan = await rows<{ 'QUERY PLAN': string }>(
      db,
      sql`explain select id from workflows ${whereOf(Workflows, condition ? [condition] : [])} order by id`,
    );
    expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('workflows_name_bigrams');
  },
);

test('a part that trigrams find, or one with letters outside ASCII, is not searched by bigrams', async () => {
  for (const sought of ['rou', 'x-123', 'é', 'É-', '\n']) {
    expect(await markRare(database.db, Workflows, query(sought).where)).toEqual(query(sought).where);
  }
  const Described = defineResource({ name: 'projects', schema: Workflow, source: projects, columns: {} });
  const { where } = readList(Described, { contains: { name: 'z' } });
  expect(await markRare(database.db, Described, where)).toEqual(where);
});
