import { z } from 'zod';
import { Ok } from '../authorization/answers.ts';

/** How secrets come and go, for the description of each endpoint that carries them. */
export const SECRETS =
  'Secrets are write-only: they show as `********`. The mask sent back keeps what is stored; null or "" clears it.';

/** What a create answers: the document as it was stored. */
export const Created = <Document extends z.ZodType>(document: Document) =>
  z.object({
    status: z.literal('Created').describe('Always Created; a failure has an error status and another body'),
    message: z.string().describe('What was done, and which secrets are still to be set'),
    data: document,
  });

/** What a change answers: the document as it is now. */
export const Updated = <Document extends z.ZodType>(document: Document) => Ok.extend({ data: document });

/** What trying a host answers. */
export const Tried = z.object({
  ok: z.boolean().describe('Whether the host answers and takes the credential'),
  latencyMs: z.number().describe('Time that it took, in milliseconds'),
  detail: z.string().meta({ description: 'What was wrong, in a sentence', examples: ['It answers'] }),
});
