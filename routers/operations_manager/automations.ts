import { z } from 'zod';
import { listQuery } from '#db/schemas/query-options.ts';
import {
  AutomationPatch,
  CloneRequest,
  ImportedAutomation,
  NewAutomation,
} from '#db/schemas/requests/automation.ts';
import { imported } from '#db/schemas/requests/null-fields.ts';
import { Automation, ExportedAutomation } from '#db/schemas/workflow/automation.ts';
import { ImportedTrigger, Trigger } from '#db/schemas/workflow/trigger.ts';
import {
  cloneAutomation,
  createAutomation,
  deleteAutomation,
  exportAutomation,
  getAutomation,
  importAutomations,
  listAutomations,
  updateAutomation,
} from '#server/domains/workflow/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { AUTOMATION_READ, AUTOMATION_WRITE } from '#server/kernel/roles.ts';
import { itemFields, One, Page } from './answers.ts';

const OneAutomation = z.strictObject({ id: z.string().describe('Id of the automation') });

export const TriggerResult = z
  .object({
    ...itemFields,
    data: z
      .union([Trigger, ImportedTrigger])
      .describe('The stored trigger; when rejected, the submitted one'),
  })
  .meta({ id: 'TriggerResult', description: 'The result for one trigger of an import.' });

const AutomationResult = z
  .object({
    ...itemFields,
    data: z
      .union([Automation, ExportedAutomation])
      .describe('The stored automation; when rejected, the submitted one'),
    triggers: z.array(TriggerResult).describe('Results for its triggers, in order'),
  })
  .meta({ id: 'AutomationResult', description: 'The result for one automation of an import.' });

const TriggerClone = z
  .object({
    ...itemFields,
    data: z
      .union([
        Trigger,
        z.object({
          name: z.string().describe('Name of the trigger that could not be cloned'),
          type: z.string().meta({ description: 'Its type', examples: ['schedule'] }),
        }),
      ])
      .describe('The new trigger; if it could not be cloned, the original'),
  })
  .meta({ id: 'TriggerClone', description: 'The result for one trigger of a clone.' });

const Cloned = z.object({
  message: z.string().describe('What was done, in words'),
  data: Automation.describe('The clone'),
  metadata: z.object({
    automaticChanges: itemFields.automaticChanges,
    triggerCloneResults: z.object({
      message: z.string().describe('Results for the triggers'),
      data: z.array(TriggerClone).describe('One entry for each trigger of the original'),
      metadata: z.looseObject({}).describe('Always empty'),
    }),
  }),
});

export const automations = {
  listAutomations: allow(...AUTOMATION_READ)
    .meta(rest('GET', '/operations-manager/automations', 'List automations'))
    .input(z.strictObject({ queryOptions: listQuery({}).prefault({}).describe('Filters, page and order') }))
    .output(answer(Page(Automation)))
    .query(({ ctx, input }) => listAutomations(ctx, input.queryOptions)),

  getAutomation: allow(...AUTOMATION_READ)
    .meta(rest('GET', '/operations-manager/automations/:id', 'Read an automation'))
    .input(OneAutomation)
    .output(answer(One(Automation)))
    .query(({ ctx, input }) => getAutomation(ctx, input.id)),

  exportAutomation: allow(...AUTOMATION_READ)
    .meta(rest('GET', '/operations-manager/automations/:id/export', 'Export an automation with its triggers'))
    .input(OneAutomation)
    .output(answer(One(ExportedAutomation)))
    .query(({ ctx, input }) => exportAutomation(ctx, input.id)),

  createAutomation: allow(...AUTOMATION_WRITE)
    .meta(
      rest('POST', '/operations-manager/automations', 'Create an automation', {
        bare: 'automation',
        description: 'Accepts the automation itself, or `{"automation":{…}}`.',
      }),
    )
    .input(z.strictObject({ automation: NewAutomation.describe('The automation') }))
    .output(answer(One(Automation)))
    .mutation(write(({ ctx, input }) => createAutomation(ctx, input.automation))),

  cloneAutomation: allow(...AUTOMATION_WRITE)
    .meta(
      rest('POST', '/operations-manager/automations/clone', 'Copy an automation with its triggers', {
        bare: 'automation',
        description:
          'Accepts `{"automation":{"id","name"}}` or `{"id","name"}`. Triggers that cannot be cloned are listed with `success: false`; the clone is created nevertheless.',
      }),
    )
    .input(z.strictObject({ automation: CloneRequest.describe('What to clone') }))
    .output(answer(Cloned))
    .mutation(
      write(({ ctx, input: { automation } }) =>
        cloneAutomation(ctx, { id: automation.id, name: automation.name ?? undefined }),
      ),
    ),

  importAutomations: allow(...AUTOMATION_WRITE)
    .meta(
      rest('PUT', '/operations-manager/automations', 'Import automations with their triggers', {
        bodyLimit: 'import',
        description:
          'An automation with the id and name of an existing one replaces it. Entries are independent of each other: check `success` of each.',
      }),
    )
    .input(
      z.strictObject({
        automations: z
          .array(imported(ImportedAutomation))
          .describe('Automations; an export can be imported unchanged'),
      }),
    )
    .output(answer(One(z.array(AutomationResult).describe('Result for each one, in order'))))
    .mutation(write(({ ctx, input }) => importAutomations(ctx, input.automations))),

  updateAutomation: allow(...AUTOMATION_WRITE)
    .meta(
      rest('PATCH', '/operations-manager/automations/:id', 'Change an automation', {
        bare: 'automation',
        description:
          'Accepts the changed fields or the whole document, at the top level or as `{"automation":{…}}`.',
      }),
    )
    .input(OneAutomation.extend({ automation: AutomationPatch.describe('What changes') }))
    .output(answer(One(Automation)))
    .mutation(write(({ ctx, input }) => updateAutomation(ctx, input.id, input.automation))),

  deleteAutomation: allow(...AUTOMATION_WRITE)
    .meta(rest('DELETE', '/operations-manager/automations/:id', 'Delete an automation with its triggers'))
    .input(OneAutomation)
    .output(answer(One(Automation)))
    .mutation(write(({ ctx, input }) => deleteAutomation(ctx, input.id))),
};
