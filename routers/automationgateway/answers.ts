import { z } from 'zod';
import { Ok } from '../authorization/answers.ts';

/** How secrets are sent and shown, for the description of each endpoint that carries them. */
export const SECRETS =
  'Secrets are write-only: they are shown as `********`. Sending the mask back keeps the stored secret; null or "" clears it.';

/** The response of a create: the document as stored. */
export const Created = <Document extends z.ZodType>(document: Document) =>
  z.object({
    status: z
      .literal('Created')
      .describe('Always Created; a failure has an error status and a different body'),
    message: z.string().describe('What was done, and which secrets still have to be set'),
    data: document,
  });

/** The response of a change: the document's new version. */
export const Updated = <Document extends z.ZodType>(document: Document) => Ok.extend({ data: document });

/** The response of a connection test of a host. */
export const Tried = z.object({
  ok: z.boolean().describe('Whether the host responds and accepts the credential'),
  latencyMs: z.number().describe('Duration in milliseconds'),
  detail: z.string().meta({ description: 'The error, in words', examples: ['It answers'] }),
});
