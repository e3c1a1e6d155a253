import { z } from 'zod';
import { missingFields } from '#db/schemas/assets/missing.ts';

const message = z.string().describe('What was done, in words');

/** The Ops envelope of one document, or of the outcome of a write (contract/lifecycle#0.4). */
export const One = <Document extends z.ZodType>(data: Document) =>
  z.object({
    message,
    data,
    metadata: z
      .looseObject({
        ignored: z.array(z.string()).optional().describe('Read-only fields of a PATCH, which were ignored'),
        missing: missingFields.missing.optional(),
        missingTotal: missingFields.missingTotal.optional(),
      })
      .describe('Further information'),
  });

/** The Ops envelope of a list (contract/lifecycle#0.4). */
export const Page = <Document extends z.ZodType>(document: Document) =>
  z.object({
    message,
    data: z.array(document).describe('Entries of this page, in order'),
    metadata: z.looseObject({
      total: z.int().min(0).describe('Number of matches in total'),
      skip: z.int().min(0).describe('Number of entries before this page'),
      limit: z.int().min(0).describe('Maximum number of entries in a page'),
      currentPageSize: z.int().min(0).describe('Number of entries in this page'),
      nextPageSkip: z.int().nullable().describe('skip of the next page; null on the last page'),
      previousPageSkip: z.int().nullable().describe('skip of the previous page; null on the first page'),
      hints: z.array(z.string()).describe('Always empty'),
    }),
  });

/** The outcome of one item of a bulk write, except its document. */
export const itemFields = {
  success: z.boolean().describe('False: this entry was rejected; the others are not affected'),
  message: z.string().describe('What was done, or why it was rejected'),
  automaticChanges: z
    .array(z.string())
    .describe('Differences from the request: another name, id or route, or a disabled trigger'),
};
