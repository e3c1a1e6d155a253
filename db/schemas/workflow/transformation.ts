import { z } from 'zod';
import { draftErrors } from '../assets/draft.ts';
import { textOrNull, textOrNumber } from '../fields.ts';
import { Author, Namespace, ObjectId, TagReference, Timestamp } from '../primitives.ts';

const parts = (description: string) =>
  z.array(z.looseObject({})).optional().describe(`${description}; stored unchanged`);

/** A transformation: a graph of operations from named inputs to named outputs (contract/lifecycle#5.5). */
export const Transformation = z
  .looseObject({
    _id: ObjectId.describe('Id of the transformation; what a task names in tr_id'),
    name: z.string().meta({
      description:
        'Name of the transformation, unique; one that belongs to a project begins with @<projectId>: ',
      examples: ['Build upgrade request'],
    }),
    description: textOrNull('What the transformation does'),
    incoming: parts('Inputs in order, each a JSON schema with its name in $id'),
    outgoing: parts('Outputs in order, each a JSON schema with its name in $id'),
    steps: parts('Operations and the values passed between them'),
    functions: parts('Functions that steps call back'),
    comments: parts('Notes on the canvas'),
    view: z.looseObject({}).optional().describe('Size of the canvas, in rows and columns'),
    version: textOrNumber('Release with which the transformation was created', '2026.1.0'),
    tags: z.array(TagReference).optional().describe('Labels of the transformation'),
    namespace: Namespace.optional(),
    errors: draftErrors(),
    created: Timestamp.optional().describe('When the transformation was stored'),
    createdBy: Author.optional().describe('Id of the account that stored the transformation'),
    lastUpdated: Timestamp.optional().describe('When the transformation last changed'),
    lastUpdatedBy: Author.optional().describe('Id of the account that last changed the transformation'),
  })
  .meta({
    id: 'Transformation',
    description: 'A pure function from named inputs to named outputs, as a graph of operations.',
  });
export type Transformation = z.infer<typeof Transformation>;
