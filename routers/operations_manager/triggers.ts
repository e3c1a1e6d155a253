import { z } from 'zod';
import { listQuery } from '#db/schemas/query-options.ts';
import { NewTrigger, TriggerFromFile, TriggerPatch } from '#db/schemas/requests/automation.ts';
import { imported } from '#db/schemas/requests/null-fields.ts';
import { ImportedTrigger, Trigger } from '#db/schemas/workflow/trigger.ts';
import {
  createTrigger,
  deleteTrigger,
  deleteTriggersOf,
  exportTrigger,
  getEvent,
  getTrigger,
  importTriggers,
  listEvents,
  listTriggers,
  updateTrigger,
} from '#server/domains/workflow/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { AUTOMATION_READ, AUTOMATION_WRITE } from '#server/kernel/roles.ts';
import { One, Page } from './answers.ts';
import { TriggerResult } from './automations.ts';

const OneTrigger = z.strictObject({ id: z.string().describe('Id of the trigger') });

const ListTriggersRequest = z.strictObject({
  queryOptions: listQuery({
    enabled: z.boolean().optional().describe('True: only enabled triggers; false: only disabled triggers'),
    actionId: z.string().optional().describe('Only triggers of the automation with this id'),
  })
    .prefault({})
    .describe('Filters, page and order'),
});

const eventFields = {
  source: z
    .string()
    .meta({ description: 'Publisher of the event', examples: ['@vendor/operations-manager'] }),
  topic: z.string().meta({ description: 'Name of the event', examples: ['jobCompleted'] }),
};

const Event = z
  .object({
    ...eventFields,
    definition: z.record(z.string(), z.unknown()).describe('JSON schema of the event’s payload'),
  })
  .meta({ id: 'EventDefinition', description: 'An event that triggers can wait for.' });

export const triggers = {
  listTriggers: allow(...AUTOMATION_READ)
    .meta(rest('GET', '/operations-manager/triggers', 'List triggers'))
    .input(ListTriggersRequest)
    .output(answer(Page(Trigger)))
    .query(({ ctx, input }) => listTriggers(ctx, input.queryOptions)),

  getTrigger: allow(...AUTOMATION_READ)
    .meta(rest('GET', '/operations-manager/triggers/:id', 'Read a trigger'))
    .input(OneTrigger)
    .output(answer(One(Trigger)))
    .query(({ ctx, input }) => getTrigger(ctx, input.id)),

  exportTrigger: allow(...AUTOMATION_READ)
    .meta(rest('GET', '/operations-manager/triggers/:id/export', 'Export a trigger'))
    .input(OneTrigger)
    .output(answer(One(ImportedTrigger)))
    .query(({ ctx, input }) => exportTrigger(ctx, input.id)),

  createTrigger: allow(...AUTOMATION_WRITE)
    .meta(
      rest('POST', '/operations-manager/triggers', 'Create a trigger of an automation', {
        bare: 'trigger',
        description: 'Accepts the trigger itself, or `{"trigger":{…}}`.',
        errorResponses: {
          409: 'The route is used by another trigger',
          422: 'The form or transformation does not exist',
        },
      }),
    )
    .input(z.strictObject({ trigger: NewTrigger.describe('The trigger') }))
    .output(answer(One(Trigger)))
    .mutation(write(({ ctx, input }) => createTrigger(ctx, input.trigger))),

  importTriggers: allow(...AUTOMATION_WRITE)
    .meta(
      rest('PUT', '/operations-manager/triggers', 'Import triggers of existing automations', {
        bodyLimit: 'import',
        description:
          'A trigger with the id, name, type and automation of an existing one replaces it. Entries are independent of each other: check `success` of each.',
      }),
    )
    .input(
      z.strictObject({
        triggers: z.array(imported(TriggerFromFile)).describe('Triggers, each with its actionId'),
      }),
    )
    .output(answer(One(z.array(TriggerResult).describe('Result for each one, in order'))))
    .mutation(write(({ ctx, input }) => importTriggers(ctx, input.triggers))),

  updateTrigger: allow(...AUTOMATION_WRITE)
    .meta(
      rest('PATCH', '/operations-manager/triggers/:id', 'Change a trigger', {
        bare: 'trigger',
        description:
          'Accepts the changed fields or the whole document, at the top level or as `{"trigger":{…}}`.',
        errorResponses: {
          409: 'The route is used by another trigger',
          422: 'The form or transformation does not exist',
        },
      }),
    )
    .input(OneTrigger.extend({ trigger: TriggerPatch.describe('What changes') }))
    .output(answer(One(Trigger)))
    .mutation(write(({ ctx, input }) => updateTrigger(ctx, input.id, input.trigger))),

  deleteTrigger: allow(...AUTOMATION_WRITE)
    .meta(rest('DELETE', '/operations-manager/triggers/:id', 'Delete a trigger'))
    .input(OneTrigger)
    .output(answer(One(Trigger)))
    .mutation(write(({ ctx, input }) => deleteTrigger(ctx, input.id))),

  deleteTriggersOfAutomation: allow(...AUTOMATION_WRITE)
    .meta(rest('DELETE', '/operations-manager/triggers/action/:id', 'Delete every trigger of an automation'))
    .input(z.strictObject({ id: z.string().describe('Id of the automation') }))
    .output(answer(One(z.object({ deletedCount: z.int().min(0).describe('Number of deleted triggers') }))))
    .mutation(write(({ ctx, input }) => deleteTriggersOf(ctx, input.id))),

  listEvents: allow(...AUTOMATION_READ)
    .meta(rest('GET', '/operations-manager/events', 'Events that triggers can wait for'))
    .input(
      z.strictObject({
        source: eventFields.source.optional().describe('Only events of this publisher'),
        topic: eventFields.topic.optional().describe('Only events of this name'),
      }),
    )
    .output(answer(One(z.array(z.object(eventFields)))))
    .query(({ input }) => listEvents(input)),

  getEvent: allow(...AUTOMATION_READ)
    .meta(rest('GET', '/operations-manager/events/:source+/:topic', 'JSON schema of the payload'))
    .input(z.strictObject(eventFields))
    .output(answer(Event))
    .query(({ input }) => getEvent(input.source, input.topic)),
};
