import { z } from 'zod';
import { flag, number, numberOrNull, record, recordOrNull, text, textOrNull } from '../fields.ts';
import { Author, ObjectId, Timestamp } from '../primitives.ts';
import { Schedule } from '../schedule.ts';

const TriggerResult = z
  .looseObject({
    at: number('When, in milliseconds since 1970', 1767225600000),
    started: flag('Whether a job was started'),
    message: text('Why no job was started; empty otherwise'),
    jobId: textOrNull('Id of the job that was started; null: none'),
  })
  .meta({ id: 'TriggerOutcome', description: 'The result of a start by a schedule or an event.' });

const common = {
  _id: ObjectId.describe('Id of the trigger'),
  name: z.string().meta({ description: 'Name of the trigger', examples: ['Every night'] }),
  description: text('Purpose of the trigger'),
  enabled: flag('False: the trigger starts nothing'),
  actionType: text('Kind of component to start: automations', 'automations'),
  actionId: ObjectId.optional().describe('Id of the automation to start'),
  lastExecuted: numberOrNull(
    'When the trigger last started a job, in milliseconds since 1970; null: never',
    1767225600000,
  ),
  created: Timestamp.optional().describe('When the trigger was stored'),
  createdBy: textOrNull('Id of the account that stored the trigger'),
  lastUpdated: Timestamp.optional().describe('When the trigger last changed'),
  lastUpdatedBy: textOrNull('Id of the account that last changed the trigger'),
  migrationVersion: number('Revision of the storage format', 3),
  runAs: textOrNull(
    'Id of the account for which a start by the clock or an event runs: who last wrote the trigger, set by the server; an admin may name another account, anybody a service account that he owns',
    '65f0c1d2e3a4b5c6d7e8f903',
  ),
  lastResult: TriggerResult.nullable()
    .optional()
    .describe('Result of the last start by a schedule or an event; set by the server'),
  options: record('Settings of a client, kept as sent'),
};

const wrapper = flag(
  'True or absent: the input becomes one job variable, formData; false: each field becomes a variable of its own',
);
const checked = {
  schema: recordOrNull('JSON schema of the input; null: any input'),
  jst: ObjectId.nullable().optional().describe('Transformation from the input to job variables; null: none'),
};
const form = {
  formId: textOrNull('Id or name of the JSON form to fill in; null: none', 'IOS upgrade'),
  formData: recordOrNull('Values of the form'),
};

/** A trigger that starts when a user presses run (contract/resources#2.14, contract/lifecycle#6.2). */
export const ManualTrigger = z
  .looseObject({
    ...common,
    type: z.literal('manual').describe('Started by a user'),
    ...form,
    formSchemaHash: textOrNull('Hash of the form’s schema when formData was set'),
    legacyWrapper: wrapper,
  })
  .meta({ id: 'ManualTrigger', description: 'Starts an automation on request of a user.' });

/** A trigger that starts when its route is called (contract/resources#2.14, contract/lifecycle#6.2). */
export const EndpointTrigger = z
  .looseObject({
    ...common,
    type: z.literal('endpoint').describe('Started by an HTTP call'),
    verb: text('HTTP method of the call', 'POST'),
    routeName: z
      .string()
      .regex(/^[A-Za-z0-9_.~-]{1,128}$/, 'must be 1 to 128 of A-Z a-z 0-9 _ . ~ -')
      // Clients and proxies resolve them, also percent-encoded: such a route could never be called.
      .refine((name) => !/^\.{1,2}$/.test(name), 'must not be "." or "..", which cannot be part of a URL')
      .meta({
        description: 'Last segment of the path, unique: /operations-manager/triggers/endpoint/<routeName>',
        examples: ['upgrade-ios'],
      }),
    ...checked,
    legacyWrapper: wrapper,
  })
  .meta({ id: 'EndpointTrigger', description: 'Starts an automation when its route is called.' });
export type EndpointTrigger = z.infer<typeof EndpointTrigger>;

/** A trigger that starts when an event is published (contract/resources#2.14, contract/lifecycle#6.2). */
export const EventTrigger = z
  .looseObject({
    ...common,
    type: z.literal('eventSystem').describe('Started by an event'),
    source: z.string().meta({
      description: 'Application or adapter that publishes the event',
      examples: ['@vendor/configuration-manager'],
    }),
    topic: z.string().meta({ description: 'Name of the event', examples: ['complianceBatchFinished'] }),
    ...checked,
    legacyWrapper: wrapper,
  })
  .meta({ id: 'EventTrigger', description: 'Starts an automation when an event is published.' });
export type EventTrigger = z.infer<typeof EventTrigger>;

/** A trigger that starts at set times (contract/resources#2.14, contract/lifecycle#6.2). */
export const ScheduleTrigger = z
  .looseObject({
    ...common,
    type: z.literal('schedule').describe('Started by a schedule'),
    firstRunAt: numberOrNull('First time to start, in milliseconds since 1970', 1767225600000),
    nextRunAt: numberOrNull('Next time to start, in milliseconds since 1970; set by the server; null: none'),
    processMissedRuns: z
      .enum(['none', 'last', 'all'])
      .nullable()
      .optional()
      .describe('Missed runs to make up for: none, only the last one, or all'),
    locked: flag('True while a worker starts the due run; set by the server'),
    repeatUnit: z
      .enum(['minute', 'hour', 'day', 'week', 'month', 'year'])
      .nullable()
      .optional()
      .describe(
        'Unit of the interval; a missing day of a month is replaced by its last day; null: once only',
      ),
    repeatFrequency: numberOrNull('Number of units between two starts', 1),
    repeatInterval: numberOrNull('Interval in milliseconds, when no unit is given', 86400000),
    schedule: Schedule.nullable()
      .optional()
      .describe(
        'Times in place of firstRunAt and the repetition: a cron expression or days of a calendar, in a time zone; firstRunAt is then the earliest start',
      ),
    ...form,
    legacyWrapper: wrapper,
  })
  .meta({
    id: 'ScheduleTrigger',
    description: 'Starts an automation at set times: in UTC, or with `schedule` in its time zone.',
  });
export type ScheduleTrigger = z.infer<typeof ScheduleTrigger>;

/** A trigger of an automation (contract/resources#2.14); the type determines its other fields. */
export const Trigger = z
  .discriminatedUnion('type', [ManualTrigger, EndpointTrigger, EventTrigger, ScheduleTrigger])
  .meta({
    id: 'Trigger',
    description: 'What starts an automation: a user, a call, an event or a schedule.',
  });
export type Trigger = z.infer<typeof Trigger>;

const imported = {
  runAs: z.unknown().optional().describe('Set by the server: ignored in a file'),
  lastResult: z.unknown().optional().describe('Set by the server: ignored'),
  _id: ObjectId.optional().describe('Id of the trigger; an import keeps it when it is free'),
  createdBy: Author.optional().describe('Author of the trigger'),
  lastUpdatedBy: Author.optional().describe('Last editor of the trigger'),
};

/** Gives each a component name of its own: client generators would invent one name for all unnamed components. */
const asImported = (trigger: z.ZodObject) => {
  const { id, description } = trigger.meta() ?? {};
  return { id: `Imported${id}`, description };
};

/** A trigger in a create request, export or import: its id may be missing (contract/lifecycle#6.2). */
export const ImportedTrigger = z
  .discriminatedUnion('type', [
    ManualTrigger.extend(imported).meta(asImported(ManualTrigger)),
    EndpointTrigger.extend(imported).meta(asImported(EndpointTrigger)),
    EventTrigger.extend(imported).meta(asImported(EventTrigger)),
    ScheduleTrigger.extend(imported).meta(asImported(ScheduleTrigger)),
  ])
  .meta({ id: 'ImportedTrigger', description: 'A trigger from an export file, or a new one.' });
export type ImportedTrigger = z.infer<typeof ImportedTrigger>;
