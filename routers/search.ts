import { z } from 'zod';
import { SEARCHED, SearchResult } from '#db/schemas/assets/search.ts';
import { COUNTED, search as searchDocuments } from '#server/domains/studio/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { rest, router, signedIn } from '#server/kernel/procedures.ts';

const SearchRequest = z.strictObject({
  q: z
    .string()
    .min(2)
    .max(200)
    .meta({
      description: 'Text anywhere in the name or description; case is ignored',
      examples: ['upgrade'],
    }),
  kinds: z
    .array(z.enum(SEARCHED))
    .max(SEARCHED.length)
    .nullish()
    .meta({ description: 'Only documents of these kinds; absent: all kinds', examples: [['workflow']] }),
  limit: z
    .int()
    .min(1)
    .max(COUNTED)
    .default(5)
    .describe('Maximum number of documents of each kind to return'),
});

const Found = z.object({
  results: z.array(SearchResult).describe('By kind; matches in names precede matches in descriptions'),
  total: z.int().min(0).describe(`Number of matches in total; at most ${COUNTED} of each kind are counted`),
});

export const search = router({
  search: signedIn
    .meta(
      rest('GET', '/search', 'Documents of every kind by a part of their name or description', {
        description:
          'Finds only documents that the caller may list. Descriptions are searched for texts of three or more characters.',
      }),
    )
    .input(SearchRequest)
    .output(answer(Found))
    .query(({ ctx, input }) => searchDocuments(ctx, input)),
});
