import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { list } from '#db/list/list.ts';
import { InvalidListQuery, type ListQuery } from '#db/list/query.ts';
import { readList } from '#db/list/read-list.ts';
import type { Resource } from '#db/list/resource.ts';
import { bracket, documents, wildDocuments, wildQuery } from '../../helpers/devices/router-arbitraries.ts';
import { createRouters, GivenRouters, insertRouters, Routers } from '../../helpers/devices/routers.ts';
import { openListDatabase } from '../../helpers/lists/list-database.ts';
import { modelOf } from '../../helpers/lists/list-model.ts';
import { lawRuns } from '../../helpers/long.ts';

let database: Awaited<ReturnType<typeof openListDatabase>>;
beforeAll(async () => {
  database = await openListDatabase();
});
afterAll(() => database.close());
beforeEach(() => createRouters(database.db));

const TIMEOUT = 600_000;

const twenty = <Query>(query: fc.Arbitrary<Query>) => fc.array(query, { minLength: 20, maxLength: 20 });

test(
  'a list answers what filtering, sorting and cutting the documents in memory would',
  async () => {
    await fc.assert(
      fc.asyncProperty(documents, twenty(bracket), async (stored, queries) => {
        await createRouters(database.db);
        await insertRouters(database.db, stored);
        for (const requested of queries) {
          const query = readList(Routers, requested);
          const expected = modelOf(stored, query);
          for (const answer of [
            await list(database.db, Routers, query),
            await list(database.db, GivenRouters, query, { given: stored }),
          ]) {
            const page = answer.texts.map((each) => JSON.parse(each));
            expect({ requested, page, total: answer.total }).toEqual({ requested, ...expected });
          }
        }
      }),
      lawRuns(40),
    );
  },
  TIMEOUT,
);

const READERS: ((resource: Resource, query: unknown) => ListQuery)[] = [
  readList,
  (resource, query) =>
    readList(resource, query, { pattern: (source) => ({ test: (text) => text === source }) }),
];

test(
  'a query of any shape is answered or rejected with issues, whatever the documents hold',
  async () => {
    await fc.assert(
      fc.asyncProperty(wildDocuments, twenty(wildQuery), async (stored, queries) => {
        await createRouters(database.db);
        await insertRouters(database.db, stored);
        for (const requested of queries) {
          for (const read of READERS) {
            const query = readOrIssues(read, requested);
            if (Array.isArray(query)) {
              expect(query.length).toBeGreaterThan(0);
              for (const issue of query) {
                expect(issue).toEqual({
                  path: expect.any(Array),
                  message: expect.any(String),
                  code: expect.any(String),
                });
              }
              continue;
            }
            const { texts, total } = await list(database.db, Routers, query);
            const given = await list(database.db, GivenRouters, query, { given: stored });
            expect(total).toBeGreaterThanOrEqual(texts.length);
            expect(given.texts.length).toBe(texts.length);
          }
        }
      }),
      lawRuns(40),
    );
  },
  TIMEOUT,
);

function readOrIssues(read: (resource: Resource, query: unknown) => ListQuery, requested: unknown) {
  try {
    return read(Routers, requested);
  } catch (error) {
    if (error instanceof InvalidListQuery) return error.issues;
    throw error;
  }
}

test(
  'walking pages of any size meets each document once, while others are stored',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 60 }), fc.integer({ min: 1, max: 25 }), async (count, limit) => {
        await createRouters(database.db);
        const before = Array.from({ length: count }, (_, n) => ({
          _id: `65a${String(n).padStart(21, '0')}`,
        }));
        await insertRouters(database.db, before);
        const met: string[] = [];
        let walking = true;
        const storing = storeOthers(() => walking);
        for (let skip = 0; skip <= count; skip += limit) {
          const { texts, total } = await list(database.db, Routers, readList(Routers, { skip, limit }));
          met.push(...texts.map((each) => JSON.parse(each)._id));
          expect(total).toBeGreaterThanOrEqual(met.length);
        }
        walking = false;
        await storing;
        expect(met).toEqual([...new Set(met)]);
        expect(met.slice(0, count)).toEqual(before.map(({ _id }) => _id));
      }),
      lawRuns(25),
    );
  },
  TIMEOUT,
);

/** Another connection of the pool stores one document after the other; ids grow with time, so each comes last. */
async function storeOthers(walking: () => boolean): Promise<void> {
  for (let n = 0; walking(); n++) {
    await insertRouters(database.db, [{ _id: `65b${String(n).padStart(21, '0')}` }]);
  }
}
