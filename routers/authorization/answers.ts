import { z } from 'zod';

/** The response of a write that returns no document (contract/lifecycle#core). */
export const Ok = z.object({
  status: z.literal('OK').describe('Always OK; a failure has an error status and a different body'),
  message: z.string().describe('What was done, in words'),
  metadata: z
    .object({
      ignored: z.array(z.string()).describe('Read-only fields of the request, which were ignored'),
    })
    .optional()
    .describe('Present only when fields were ignored'),
});

/** The list envelope of the Core areas (contract/lifecycle#0.4). */
export const Page = <Document extends z.ZodType>(document: Document) =>
  z.object({
    results: z.array(document).describe('Entries of this page, in order'),
    total: z.int().min(0).describe('Number of matches in total'),
  });
