import { z } from 'zod';
import { ComponentType } from './project.ts';

/** Why a document cannot run (contract/lifecycle#drafts). */
export const DraftError = z
  .looseObject({
    path: z
      .array(z.union([z.string(), z.number()]))
      .meta({ description: 'Path to the fault in the document', examples: [['functions', 1, 'name']] }),
    message: z.string().meta({ description: 'What is wrong there', examples: ['"Flatten" occurs twice'] }),
    code: z.string().meta({ description: 'Kind of fault', examples: ['duplicate'] }),
  })
  .meta({ id: 'DraftError', description: 'A fault that keeps a document from running.' });
export type DraftError = z.infer<typeof DraftError>;

/** The field of a document that lists its faults. */
export const draftErrors = () =>
  z
    .array(DraftError)
    .optional()
    .describe(
      'What keeps the document from running since its import; a document with errors is a draft. Never written',
    );

/** A document of an import that was stored as a draft. */
const Draft = z.object({
  type: ComponentType,
  reference: z.string().describe('Id of the document here'),
  name: z.string().describe('Name of the document'),
  errors: z.array(DraftError).describe('What keeps it from running, at most 10 errors'),
  total: z.int().describe('How many errors it has'),
});
export type Draft = z.infer<typeof Draft>;

const Relinked = z.object({
  from: z.string().describe('Name of the missing workflow'),
  to: z.string().describe('Name of the workflow that is used instead'),
  uses: z.int().describe('How many references changed'),
});

/** Fields of the answer of an import that name what it could not take over unchanged. */
export const draftFields = {
  drafts: z.array(Draft).describe('Documents that cannot run and were stored as drafts, at most 100'),
  draftsTotal: z.int().describe('Number of all drafts'),
  relinked: z.array(Relinked).describe('References that changed to another workflow (relink)'),
};
