import fc from 'fast-check';
import { expect, test } from 'vitest';
import { core, ops, pageOfTexts, studio } from '#server/kernel/documents/list-envelope.ts';

const documents = [{ name: 'a "quoted" one' }, { name: 'b' }];
const texts = documents.map((document) => JSON.stringify(document));
const urlAt = (skip: number) => `/automation-studio/workflows?skip=${skip}&limit=2`;

test('the Core envelope holds the documents and their total', () => {
  expect(core(pageOfTexts(texts, 7)).parse()).toEqual({ results: documents, total: 7 });
  expect(core(pageOfTexts([], 0)).text).toBe('{"results":[],"total":0}');
});

test('the Ops envelope holds message, documents and paging metadata', () => {
  expect(ops('Found "two"', pageOfTexts(texts, 7), { skip: 2, limit: 2 }).parse()).toEqual({
    message: 'Found "two"',
    data: documents,
    metadata: {
      total: 7,
      skip: 2,
      limit: 2,
      currentPageSize: 2,
      nextPageSkip: 4,
      previousPageSkip: 0,
      hints: [],
    },
  });
});

test('a page in the Studio envelope has its range, the total and links to the pages beside it', () => {
  expect(studio(pageOfTexts(texts, 7), { skip: 4, limit: 2 }, urlAt).parse()).toEqual({
    items: documents,
    skip: 4,
    limit: 2,
    end: 6,
    count: 2,
    total: 7,
    next: '/automation-studio/workflows?skip=6&limit=2',
    previous: '/automation-studio/workflows?skip=2&limit=2',
  });
});

test.each([
  {
    why: 'the first page',
    page: pageOfTexts(texts, 3),
    paging: { skip: 0, limit: 2 },
    next: 2,
    previous: null,
  },
  {
    why: 'the last page',
    page: pageOfTexts(texts, 4),
    paging: { skip: 2, limit: 2 },
    next: null,
    previous: 0,
  },
  {
    why: 'a step less than a page',
    page: pageOfTexts(texts, 9),
    paging: { skip: 1, limit: 2 },
    next: 3,
    previous: 0,
  },
  {
    why: 'beyond the end',
    page: pageOfTexts([], 5),
    paging: { skip: 90, limit: 2 },
    next: null,
    previous: 3,
  },
  {
    why: 'nothing',
    page: pageOfTexts([], 0),
    paging: { skip: 0, limit: 2 },
    next: null,
    previous: null,
  },
  {
    why: 'everything',
    page: pageOfTexts(texts, 2),
    paging: { skip: 0, limit: null },
    next: null,
    previous: null,
  },
  {
    why: 'all but one',
    page: pageOfTexts(texts, 3),
    paging: { skip: 1, limit: null },
    next: null,
    previous: 0,
  },
])('links the next and the previous page of $why', ({ page, paging, next, previous }) => {
  const { metadata } = ops('', page, paging).parse();
  expect([metadata.nextPageSkip, metadata.previousPageSkip]).toEqual([next, previous]);
  const said = studio(page, paging, String).parse();
  expect([said.next, said.previous]).toEqual(
    [next, previous].map((skip) => (skip === null ? null : String(skip))),
  );
});

test('following the links to the next page returns every document once and ends', () => {
  fc.assert(
    fc.property(fc.nat({ max: 50 }), fc.integer({ min: 1, max: 20 }), (total, limit) => {
      const met: number[] = [];
      let skip: number | null = 0;
      while (skip !== null) {
        const page = Array.from({ length: Math.min(limit, total - skip) }, (_, n) =>
          String(Number(skip) + n),
        );
        const answer: ReturnType<ReturnType<typeof ops<number>>['parse']> = ops<number>(
          '',
          pageOfTexts(page, total),
          { skip, limit },
        ).parse();
        met.push(...answer.data);
        skip = answer.metadata.nextPageSkip;
      }
      expect(met).toEqual(Array.from({ length: total }, (_, n) => n));
    }),
  );
});
