import { z } from 'zod';
import { optional } from '#db/schemas/fields.ts';
import { AnalyticTemplate, CommandTemplate } from '#db/schemas/network/mop-template.ts';
import { nullTolerant } from '#db/schemas/requests/null-fields.ts';
import {
  createTemplate,
  deleteTemplate,
  exportTemplate,
  getTemplate,
  importTemplate,
  listTemplates,
  updateTemplate,
} from '#server/domains/network/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, router, write } from '#server/kernel/procedures.ts';
import { CONFIG_READ, STUDIO_READ, STUDIO_WRITE } from '#server/kernel/roles.ts';
import { WRITTEN_BY_US } from './asset_requests.ts';
import { runs } from './mop_runs.ts';

const COMMAND = 'mopCommandTemplate';
const ANALYTIC = 'mopAnalyticTemplate';

const OneTemplate = z.strictObject({ name: z.string().describe('Name of the template') });
const Mop = z.strictObject({ mop: nullTolerant(CommandTemplate.extend(WRITTEN_BY_US)) });
const Analytic = z.strictObject({ template: nullTolerant(AnalyticTemplate.extend(WRITTEN_BY_US)) });
const mopID = z.string().describe('Id of the template: its name');

const type = z
  .enum(['templates', 'analytics', 'analytic'])
  .describe('templates: command templates; analytics, or analytic: analytic templates');

const ok = z.literal(1).describe('Always 1; a failure has an error status and a different body');
const Created = <Template extends z.ZodType>(template: Template) =>
  z.object({
    result: z.object({ ok, n: z.int() }),
    ops: z.array(template).describe('The stored template'),
    insertedCount: z.int(),
    insertedIds: z.record(z.string(), z.string()).describe('Id of the template, by its index in ops'),
  });
const Written = z.object({ ok, n: z.int(), nModified: z.int() });
const Updated = Written.extend({
  acknowledged: z.literal(true),
  matchedCount: z.int(),
  modifiedCount: z.int(),
  upsertedCount: z.int(),
  upsertedId: z.null(),
});
const Deleted = Written.extend({
  acknowledged: z.literal(true),
  deletedCount: z.int().describe('0 when it did not exist'),
});

export const mop = router({
  listTemplates: allow(...STUDIO_READ)
    .meta(rest('GET', '/mop/listTemplates', 'All command templates'))
    .input(z.strictObject({}))
    .output(answer(z.array(CommandTemplate)))
    .query(({ ctx }) => listTemplates<CommandTemplate>(ctx, COMMAND)),

  listAnalyticTemplates: allow(...STUDIO_READ)
    .meta(rest('GET', '/mop/listAnalyticTemplates', 'All analytic templates'))
    .input(z.strictObject({}))
    .output(answer(z.array(AnalyticTemplate)))
    .query(({ ctx }) => listTemplates<AnalyticTemplate>(ctx, ANALYTIC)),

  listATemplate: allow(...STUDIO_READ)
    .meta(rest('GET', '/mop/listATemplate/:name', 'Read a command template, as an array of one'))
    .input(OneTemplate)
    .output(answer(z.array(CommandTemplate)))
    .query(({ ctx, input }) => getTemplate<CommandTemplate>(ctx, COMMAND, input.name)),

  listAnAnalyticTemplate: allow(...STUDIO_READ)
    .meta(rest('GET', '/mop/listAnAnalyticTemplate/:name', 'Read an analytic template, as an array of one'))
    .input(OneTemplate)
    .output(answer(z.array(AnalyticTemplate)))
    .query(({ ctx, input }) => getTemplate<AnalyticTemplate>(ctx, ANALYTIC, input.name)),

  exportTemplate: allow(...CONFIG_READ)
    .meta(rest('POST', '/mop/export', 'Export a command template or an analytic template'))
    .input(
      z
        .strictObject({
          options: z
            .strictObject({
              _id: optional(z.string()).describe('Id of the template'),
              name: optional(z.string()).meta({
                description: 'Name of the template',
                examples: ['IOS precheck'],
              }),
            })
            .describe('The template to export; when both are given, both must match'),
          type,
        })
        .meta({ examples: [{ options: { name: 'IOS precheck' }, type: 'templates' }] }),
    )
    .output(answer(z.union([CommandTemplate, AnalyticTemplate])))
    .query(({ ctx, input }) => exportTemplate(ctx, input.type, input.options)),

  createTemplate: allow(...STUDIO_WRITE)
    .meta(rest('POST', '/mop/createTemplate', 'Create a command template'))
    .input(Mop)
    .output(answer(Created(CommandTemplate)))
    .mutation(write(({ ctx, input }) => createTemplate<CommandTemplate>(ctx, COMMAND, input.mop, ['mop']))),

  createAnalyticTemplate: allow(...STUDIO_WRITE)
    .meta(rest('POST', '/mop/createAnalyticTemplate', 'Create an analytic template', { bare: 'template' }))
    .input(Analytic)
    .output(answer(Created(AnalyticTemplate)))
    .mutation(
      write(({ ctx, input }) =>
        createTemplate<AnalyticTemplate>(ctx, ANALYTIC, input.template, ['template']),
      ),
    ),

  updateTemplate: allow(...STUDIO_WRITE)
    .meta(rest('POST', '/mop/updateTemplate/:mopID', 'Replace a command template'))
    .input(Mop.extend({ mopID }))
    .output(answer(Updated))
    .mutation(write(({ ctx, input }) => updateTemplate(ctx, COMMAND, input.mopID, input.mop, ['mop']))),

  replaceTemplate: allow(...STUDIO_WRITE)
    .meta(rest('PUT', '/mop/updateTemplate/:mopID', 'Replace a command template: the same as POST'))
    .input(Mop.extend({ mopID }))
    .output(answer(Updated))
    .mutation(write(({ ctx, input }) => updateTemplate(ctx, COMMAND, input.mopID, input.mop, ['mop']))),

  updateAnalyticTemplate: allow(...STUDIO_WRITE)
    .meta(
      rest('POST', '/mop/updateAnalyticTemplate/:mopID', 'Replace an analytic template', {
        bare: 'template',
      }),
    )
    .input(Analytic.extend({ mopID }))
    .output(answer(Updated))
    .mutation(
      write(({ ctx, input }) => updateTemplate(ctx, ANALYTIC, input.mopID, input.template, ['template'])),
    ),

  replaceAnalyticTemplate: allow(...STUDIO_WRITE)
    .meta(
      rest('PUT', '/mop/updateAnalyticTemplate/:mopID', 'Replace an analytic template: the same as POST', {
        bare: 'template',
      }),
    )
    .input(Analytic.extend({ mopID }))
    .output(answer(Updated))
    .mutation(
      write(({ ctx, input }) => updateTemplate(ctx, ANALYTIC, input.mopID, input.template, ['template'])),
    ),

  deleteTemplate: allow(...STUDIO_WRITE)
    .meta(rest('POST', '/mop/deleteTemplate/:id', 'Delete a command template that nothing uses'))
    .input(z.strictObject({ id: mopID }))
    .output(answer(Deleted))
    .mutation(write(({ ctx, input }) => deleteTemplate(ctx, COMMAND, input.id))),

  deleteAnalyticTemplate: allow(...STUDIO_WRITE)
    .meta(rest('POST', '/mop/deleteAnalyticTemplate/:id', 'Delete an analytic template that nothing uses'))
    .input(z.strictObject({ id: mopID }))
    .output(answer(Deleted))
    .mutation(write(({ ctx, input }) => deleteTemplate(ctx, ANALYTIC, input.id))),

  importTemplate: allow(...STUDIO_WRITE)
    .meta(
      rest('POST', '/mop/import', 'Import a template, renamed when its name is taken', {
        bodyLimit: 'import',
        statuses: {
          200: 'The template is stored.',
          201: 'The template is stored, and `type` was `analytic`.',
        },
      }),
    )
    .input(
      z.strictObject({
        type,
        template: z
          .looseObject({ name: CommandTemplate.shape.name })
          .describe('A command template or an analytic template, according to `type`'),
      }),
    )
    .output(answer(z.object({ ok, n: z.int(), name: z.string(), _id: z.string() })))
    .mutation(write(({ ctx, input }) => importTemplate(ctx, input.type, input.template))),

  ...runs,
});
