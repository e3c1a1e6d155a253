import { z } from 'zod';
import { members, textOrNull, textOrNumber } from '../fields.ts';
import { Author, Namespace, ObjectId, TagReference, Timestamp } from '../primitives.ts';

/** A form that users fill in before something starts (contract/lifecycle#5.6). */
export const Form = z
  .looseObject({
    _id: ObjectId.optional().describe('Id of the form; the same value as id'),
    id: ObjectId.describe('Id of the form'),
    name: z.string().meta({
      description: 'Name of the form, unique; one that belongs to a project begins with @<projectId>: ',
      examples: ['IOS upgrade'],
    }),
    description: textOrNull('What the form asks for'),
    struct: members('The form as its designer draws it: fields, widgets, order'),
    schema: members('JSON schema that what is filled in must meet'),
    uiSchema: members('How each field is shown, by field'),
    bindingSchema: members('Where choices of a field come from, by field'),
    validationSchema: members('JSON schema of further checks'),
    tags: z.array(TagReference).optional().describe('Labels of the form'),
    version: textOrNumber('Revision of the form’s format', '2026.1.0'),
    namespace: Namespace.optional(),
    created: Timestamp.optional().describe('When the form was stored'),
    createdBy: Author.optional().describe('Username of who stored the form'),
    lastUpdated: Timestamp.optional().describe('When the form last changed'),
    lastUpdatedBy: Author.optional().describe('Username of who last changed the form'),
  })
  .meta({ id: 'Form', description: 'A form that people fill in, with the JSON schema of its data.' });
export type Form = z.infer<typeof Form>;
