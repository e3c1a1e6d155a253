import { z } from 'zod';
import { AdapterTypeName } from './adapter-catalogue.ts';

const name = (what: string) => z.string().min(1).max(200).describe(what);

/** Where a value of an operation comes from: a value of the task, a part of one, or always the same. */
const FaceValue = z.union([
  z.strictObject({
    value: name('Incoming value of the task'),
    before: z.string().min(1).max(50).optional().describe('Only the text before the first of these'),
    after: z.string().min(1).max(50).optional().describe('Only the text after the first of these'),
  }),
  z.strictObject({ constant: z.unknown().describe('The value itself') }),
]);

const FaceEntry = z.strictObject({
  operation: name('Operation of the document; absent: the one of the same name').optional(),
  values: z
    .record(z.string(), FaceValue)
    .optional()
    .describe('Where values of the operation come from, by their names; the others are found by name'),
});
export type FaceEntry = z.infer<typeof FaceEntry>;

/** The adapter type whose tasks an integration carries out besides those of its own model. */
export const FaceSettings = z
  .strictObject({
    type: AdapterTypeName.describe('The adapter type, as workflows name it'),
    map: z
      .record(z.string(), FaceEntry)
      .optional()
      .describe('What the names of a task do not show, by the name of the task'),
  })
  .meta({
    id: 'FaceSettings',
    description: 'An adapter type whose tasks are carried out by the operations of a document.',
    examples: [{ type: 'NetboxV33' }],
  });
export type FaceSettings = z.infer<typeof FaceSettings>;
