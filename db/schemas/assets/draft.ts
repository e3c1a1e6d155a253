import { z } from 'zod';

/** Why a document cannot run (contract/lifecycle#drafts). */
export const DraftError = z
  .looseObject({
    path: z
      .array(z.union([z.string(), z.number()]))
      .meta({ description: 'Path to the fault in the document', examples: [['functions', 1, 'name']] }),
    message: z.string().meta({ description: 'What is wrong there', examples: ['"Flatten" is there twice'] }),
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
