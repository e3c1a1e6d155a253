import { z } from 'zod';

/** The response of a write that returns no document (contract/lifecycle#core). */
export const Ok = z.object({
  status: z.literal('OK').describe('Always OK; a failure has an error status and another body'),
  message: z.string().describe('What was done, for a person to read'),
  metadata: z
    .object({
      ignored: z.array(z.string()).describe('Read-only members of the request, which stay as they were'),
    })
    .optional()
    .describe('There only when members were left alone'),
});

/** The list envelope of the Core areas (contract/lifecycle#0.4). */
export const Page = <Document extends z.ZodType>(document: Document) =>
  z.object({
    results: z.array(document).describe('This page, in order'),
    total: z.int().min(0).describe('How many match in all'),
  });
