import { z } from 'zod';
import { Template } from '#db/schemas/assets/template.ts';
import { projectedQuery } from '#db/schemas/query-options.ts';
import { imported, nullTolerant } from '#db/schemas/requests/null-fields.ts';
import {
  createTemplate,
  deleteTemplate,
  getTemplate,
  importTemplates,
  listTemplates,
  updateTemplate,
} from '#server/domains/assets/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { STUDIO_READ, STUDIO_READ_OR_WRITE, STUDIO_WRITE } from '#server/kernel/roles.ts';
import { givenId, WRITTEN_BY_US } from '../asset_requests.ts';
import { edit } from './answers.ts';

const PATH = '/automation-studio/templates';

const OneTemplate = z.strictObject({ id: z.string().describe('Id of the template') });

const Page = z.object({
  items: z.array(Template.partial()).describe('The templates of this page'),
  skip: z.int(),
  limit: z.int(),
  end: z.int().describe('Sum of skip and count'),
  count: z.int().describe('Number of templates on this page'),
  total: z.int().describe('Number of matches in total'),
  next: z.string().nullable().describe('URL of the next page, or null'),
  previous: z.string().nullable().describe('URL of the previous page, or null'),
});

const Imported = z.object({
  imported: z.array(
    z.object({
      success: z.boolean(),
      message: z.string().describe('The outcome, and the reason when the template does not compile'),
      original: z.looseObject({}).describe('The submitted template'),
      created: Template,
    }),
  ),
});

/** A template is read by its name as well, which several groups may have. */
const SEVERAL = { 409: 'Several templates have this name: request one by its id.' };

export const templates = {
  listTemplates: allow(...STUDIO_READ)
    .meta(rest('GET', PATH, 'A page of text templates'))
    .input(z.strictObject({ queryOptions: projectedQuery().optional() }))
    .output(answer(Page))
    .query(({ ctx, input }) => listTemplates(ctx, input.queryOptions ?? {})),

  getTemplate: allow(...STUDIO_READ)
    .meta(rest('GET', `${PATH}/:id`, 'Read a text template', { errorResponses: SEVERAL }))
    .input(OneTemplate)
    .output(answer(Template))
    .query(({ ctx, input }) => getTemplate(ctx, input.id)),

  exportTemplate: allow(...STUDIO_READ_OR_WRITE)
    .meta(rest('GET', `${PATH}/:id/export`, 'Export a text template', { errorResponses: SEVERAL }))
    .input(OneTemplate)
    .output(answer(Template))
    .query(({ ctx, input }) => getTemplate(ctx, input.id)),

  createTemplate: allow(...STUDIO_WRITE)
    .meta(rest('POST', PATH, 'Create a text template that compiles'))
    .input(z.strictObject({ template: nullTolerant(Template.extend(WRITTEN_BY_US)) }))
    .output(answer(z.object({ created: Template, edit })))
    .mutation(write(({ ctx, input }) => createTemplate(ctx, input.template))),

  updateTemplate: allow(...STUDIO_WRITE)
    .meta(rest('PUT', `${PATH}/:id`, 'Change fields of a text template; null and absent fields are kept'))
    .input(
      OneTemplate.extend({
        update: z
          .looseObject({
            name: Template.shape.name.nullish(),
            group: Template.shape.group.nullish(),
            type: Template.shape.type.nullish(),
            command: Template.shape.command,
            description: Template.shape.description,
            template: Template.shape.template,
            data: Template.shape.data,
          })
          .describe('Fields to change'),
      }),
    )
    .output(answer(z.object({ updated: Template, edit })))
    .mutation(write(({ ctx, input }) => updateTemplate(ctx, input.id, input.update))),

  deleteTemplate: allow(...STUDIO_WRITE)
    .meta(rest('DELETE', `${PATH}/:id`, 'Delete a text template that nothing uses'))
    .input(OneTemplate)
    .output(answer(z.object({ message: z.string(), data: z.null(), metadata: z.object({}) })))
    .mutation(
      write(async ({ ctx, input }) => {
        await deleteTemplate(ctx, input.id);
        return { message: 'Successfully deleted template', data: null, metadata: {} };
      }),
    ),

  importTemplates: allow(...STUDIO_WRITE)
    .meta(rest('POST', `${PATH}/import`, 'Import text templates', { bodyLimit: 'import' }))
    .input(z.strictObject({ templates: z.array(imported(Template.extend({ _id: givenId }))) }))
    .output(answer(Imported))
    .mutation(write(async ({ ctx, input }) => ({ imported: await importTemplates(ctx, input.templates) }))),
};
