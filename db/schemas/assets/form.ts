import { z } from 'zod';
import { record, textOrNull, textOrNumber } from '../fields.ts';
import { Author, Namespace, ObjectId, TagReference, Timestamp } from '../primitives.ts';
import { draftErrors } from './draft.ts';

/** A form that users fill in before something starts (contract/lifecycle#5.6). */
export const Form = z
  .looseObject({
    _id: ObjectId.optional().describe('Id of the form; the same value as id'),
    id: ObjectId.describe('Id of the form'),
    name: z.string().meta({
      description: 'Name of the form, unique; one that belongs to a project begins with @<projectId>: ',
      examples: ['IOS upgrade'],
    }),
    description: textOrNull('Purpose of the form'),
    struct: record('Layout of the form in the designer: fields, widgets, order'),
    schema: record('JSON schema of the submitted data'),
    uiSchema: record('Display of each field, by field'),
    bindingSchema: record('Source of the choices of a field, by field'),
    validationSchema: record('JSON schema of further validation rules'),
    tags: z.array(TagReference).optional().describe('Labels of the form'),
    version: textOrNumber('Revision of the form’s format', '2026.1.0'),
    namespace: Namespace.optional(),
    created: Timestamp.optional().describe('When the form was stored'),
    createdBy: Author.optional().describe('Username of the account that stored the form'),
    lastUpdated: Timestamp.optional().describe('When the form last changed'),
    lastUpdatedBy: Author.optional().describe('Username of the account that last changed the form'),
    errors: draftErrors(),
  })
  .meta({ id: 'Form', description: 'A form that users fill in, with the JSON schema of its data.' });
export type Form = z.infer<typeof Form>;
