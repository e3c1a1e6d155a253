import { z } from 'zod';
import { textOrNull, textOrNumber } from '../fields.ts';
import { Author, Namespace, ObjectId, TagReference, Timestamp } from '../primitives.ts';
import { draftErrors } from './draft.ts';

/** A text template: Jinja, which renders text, or TextFSM, which parses it (contract/lifecycle#5.4). */
export const Template = z
  .looseObject({
    _id: ObjectId.describe('Id of the template'),
    name: z.string().meta({
      description:
        'Name of the template, unique in its group; one that belongs to a project begins with @<projectId>: ',
      examples: ['Port turn-up'],
    }),
    group: z.string().meta({ description: 'Group that the template is listed under', examples: ['IOS'] }),
    type: z
      .enum(['textfsm', 'jinja2'])
      .describe('textfsm extracts records from the output of a device; jinja2 renders text from values'),
    command: textOrNull('Command whose output a textfsm template parses', 'show version'),
    description: textOrNull('Purpose of the template'),
    template: textOrNull('The template itself'),
    data: textOrNull('Values or output for testing the template, as text'),
    version: textOrNumber('Revision of the template’s format', 1),
    tags: z.array(TagReference).optional().describe('Labels of the template'),
    namespace: Namespace.optional(),
    errors: draftErrors(),
    created: Timestamp.optional().describe('When the template was stored'),
    createdBy: Author.optional().describe('Id of the account that stored the template'),
    lastUpdated: Timestamp.optional().describe('When the template last changed'),
    lastUpdatedBy: Author.optional().describe('Id of the account that last changed the template'),
  })
  .meta({ id: 'Template', description: 'A text template: Jinja renders text, TextFSM parses it.' });
export type Template = z.infer<typeof Template>;
