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
      description: 'Text that the name or description holds anywhere; case is ignored',
      examples: ['upgrade'],
    }),
  kinds: z
    .array(z.enum(SEARCHED))
    .max(SEARCHED.length)
    .nullish()
    .meta({ description: 'Only documents of these kinds; absent: of every kind', examples: [['workflow']] }),
  limit: z.int().min(1).max(COUNTED).default(5).describe('Documents of each kind to return at most'),
});

const Found = z.object({
  results: z
    .array(SearchResult)
    .describe('By kind; of each, those whose name holds the text before those whose description does'),
  total: z.int().min(0).describe(`How many match in all; of one kind at most ${COUNTED} are counted`),
});

export const search = router({
  search: signedIn
    .meta(
      rest('GET', '/search', 'Documents of every kind by a part of their name or description', {
        description:
          'Finds what the caller may list, and nothing else. Descriptions are searched from three characters on.',
      }),
    )
    .input(SearchRequest)
    .output(answer(Found))
    .query(({ ctx, input }) => searchDocuments(ctx, input)),
});
