import { z } from 'zod';
import { Form } from '#db/schemas/assets/form.ts';
import { imported, nullTolerant } from '#db/schemas/requests/null-fields.ts';
import {
  createForm,
  deleteForms,
  getForm,
  importForms,
  listForms,
  updateForm,
  validateData,
  validateForm,
} from '#server/domains/assets/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, router, write } from '#server/kernel/procedures.ts';
import { STUDIO_READ, STUDIO_WRITE, WORKFLOW_READ } from '#server/kernel/roles.ts';
import { givenId, WRITTEN_BY_US } from './asset_requests.ts';

const PATH = '/json-forms/forms';

const OneForm = z.strictObject({ id: z.string().describe('Id of the form, or its name') });
const Sent = nullTolerant(Form.extend({ ...WRITTEN_BY_US, id: WRITTEN_BY_US._id }));

const Written = z.object({
  status: z.literal('success'),
  n: z.int().describe('Number of stored forms'),
  doc: Form,
});

const Imported = z.object({
  message: z.string(),
  status: z.literal('success'),
  imported: z.array(
    z.object({
      success: z.boolean(),
      message: z.string().describe('Outcome'),
      original: z.looseObject({}).describe('The submitted form'),
      created: z.object({ _id: z.string(), id: z.string(), name: z.string() }).describe('The stored form'),
    }),
  ),
});

const Verdict = z.object({
  isValid: z.boolean(),
  errors: z
    .array(
      z.object({
        path: z.array(z.union([z.string(), z.number()])).describe('Path in the data'),
        message: z.string(),
        code: z.string().describe('Keyword of the schema that the data violates'),
      }),
    )
    .describe('All validation errors'),
});
const data = z
  .unknown()
  .describe('The data to validate')
  .meta({ examples: [{ version: '17.9.4' }] });

export const jsonForms = router({
  listForms: allow(...STUDIO_READ)
    .meta(rest('GET', PATH, 'All forms'))
    .input(z.strictObject({}))
    .output(answer(z.array(Form)))
    .query(({ ctx }) => listForms(ctx)),

  getForm: allow(...WORKFLOW_READ)
    .meta(rest('GET', `${PATH}/:id`, 'Read a form'))
    .input(OneForm)
    .output(answer(Form))
    .query(({ ctx, input }) => getForm(ctx, input.id)),

  createForm: allow(...STUDIO_WRITE)
    .meta(rest('POST', PATH, 'Create a form', { bare: 'form' }))
    .input(z.strictObject({ form: Sent }))
    .output(answer(Written))
    .mutation(write(({ ctx, input }) => createForm(ctx, input.form))),

  updateForm: allow(...STUDIO_WRITE)
    .meta(rest('PUT', `${PATH}/:id`, 'Replace a form', { bare: 'options' }))
    .input(OneForm.extend({ options: Sent }))
    .output(answer(Written))
    .mutation(write(({ ctx, input }) => updateForm(ctx, input.id, input.options))),

  deleteForms: allow(...STUDIO_WRITE)
    .meta(rest('DELETE', PATH, 'Delete forms that nothing uses, all or none'))
    .input(
      z.strictObject({ ids: z.array(z.string()).max(1000).describe('Ids of the forms, or their names') }),
    )
    .output(
      answer(z.object({ status: z.literal('success'), n: z.int().describe('Number of deleted forms') })),
    )
    .mutation(write(({ ctx, input }) => deleteForms(ctx, input.ids))),

  importForms: allow(...STUDIO_WRITE)
    .meta(rest('POST', '/json-forms/import/forms', 'Import forms', { bodyLimit: 'import' }))
    .input(z.strictObject({ forms: z.array(imported(Form.extend({ _id: givenId, id: givenId }))) }))
    .output(answer(Imported))
    .mutation(write(({ ctx, input }) => importForms(ctx, input.forms))),

  validateData: allow(...WORKFLOW_READ)
    .meta(rest('POST', '/json-forms/validate-data', 'Validate data against a JSON schema'))
    .input(z.strictObject({ schema: z.record(z.string(), z.unknown()).describe('The JSON schema'), data }))
    .output(answer(Verdict))
    .query(({ input }) => validateData(input.schema, input.data)),

  validateForm: allow(...WORKFLOW_READ)
    .meta(
      rest('POST', '/json-forms/validate-form/:id', 'Validate data against the schemas of a form', {
        errorResponses: { 422: 'A schema of the form cannot be used.' },
      }),
    )
    .input(OneForm.extend({ data }))
    .output(answer(Verdict))
    .query(({ ctx, input }) => validateForm(ctx, input.id, input.data)),
});
