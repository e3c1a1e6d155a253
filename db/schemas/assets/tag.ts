import { z } from 'zod';
import { textOrNull } from '../fields.ts';
import { ObjectId } from '../primitives.ts';

/** A label that documents of any kind can carry (contract/lifecycle#5.7). */
export const Tag = z
  .looseObject({
    _id: ObjectId.describe('Id of the tag'),
    name: z.string().meta({ description: 'Text of the label, unique', examples: ['upgrade'] }),
    description: textOrNull('Purpose of the label'),
  })
  .meta({ id: 'Tag', description: 'A label for documents of any kind.' });
export type Tag = z.infer<typeof Tag>;
