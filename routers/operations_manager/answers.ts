import { z } from 'zod';
import { missingMembers } from '#db/schemas/assets/missing.ts';

const message = z.string().describe('What was done, for a person to read');

/** The Ops envelope of one document, or of the outcome of a write (contract/lifecycle#0.4). */
export const One = <Document extends z.ZodType>(data: Document) =>
  z.object({
    message,
    data,
    metadata: z
      .looseObject({
        ignored: z
          .array(z.string())
          .optional()
          .describe('Members of a PATCH that cannot change, and stayed as they were'),
        missing: missingMembers.missing.optional(),
        missingTotal: missingMembers.missingTotal.optional(),
      })
      .describe('What else there is to tell'),
  });

/** The Ops envelope of a list (contract/lifecycle#0.4). */
export const Page = <Document extends z.ZodType>(document: Document) =>
  z.object({
    message,
    data: z.array(document).describe('This page, in order'),
    metadata: z.looseObject({
      total: z.int().min(0).describe('How many match in all'),
      skip: z.int().min(0).describe('How many stand before this page'),
      limit: z.int().min(0).describe('How many a page holds at most'),
      currentPageSize: z.int().min(0).describe('How many this page holds'),
      nextPageSkip: z.int().nullable().describe('skip of the next page; null: this is the last'),
      previousPageSkip: z.int().nullable().describe('skip of the page before; null: this is the first'),
      hints: z.array(z.string()).describe('Always empty'),
    }),
  });

/** The outcome of one item of a bulk write, except its document. */
export const itemMembers = {
  success: z.boolean().describe('False: this one was refused; the others are not touched by that'),
  message: z.string().describe('What was done, or why it was refused'),
  automaticChanges: z
    .array(z.string())
    .describe('What is not as it was asked for: another name, id or route, a trigger switched off'),
};
