import { z } from 'zod';
import { text, textOrNull } from '../fields.ts';
import { Name, ObjectId } from '../primitives.ts';
import { preprocessed } from '../transformed.ts';
import { Automation, ExportedAutomation, ExportedGbac } from '../workflow/automation.ts';
import {
  EndpointTrigger,
  EventTrigger,
  ImportedTrigger,
  ManualTrigger,
  ScheduleTrigger,
} from '../workflow/trigger.ts';

/**
 * Optional fields of automations and triggers that are never null: null means absent (contract/lifecycle#null).
 */
const NEVER_NULL = new Set([
  '_id',
  'description',
  'enabled',
  'actionType',
  'actionId',
  'verb',
  'legacyWrapper',
  'locked',
  'created',
  'lastUpdated',
  'migrationVersion',
  'options',
  'componentType',
  'gbac',
  'triggers',
  'name',
]);

/** Accepts a document of the operations manager with null for absent fields, as some clients send it. */
const tolerant = <Schema extends z.ZodType>(schema: Schema) =>
  preprocessed(
    (given) => withFields(given, (name, value) => value !== null || !NEVER_NULL.has(name)),
    schema,
  );

/** Returns an object with those of its fields that pass; any other value as it is. */
const withFields = (given: unknown, passes: (name: string, value: unknown) => boolean): unknown =>
  typeof given === 'object' && given !== null && !Array.isArray(given)
    ? Object.fromEntries(Object.entries(given).filter(([name, value]) => passes(name, value)))
    : given;

/** Fields that are never empty text, or 0: what clients send for an absent value whose types have none (decision 0195). */
const NEVER_EMPTY = new Map<string, '' | 0>([
  ['_id', ''],
  ['actionId', ''],
  ['componentId', ''],
  ['formId', ''],
  ['formSchemaHash', ''],
  ['verb', ''],
  ['created', ''],
  ['lastUpdated', ''],
  ['processMissedRuns', ''],
  ['repeatUnit', ''],
  ['repeatFrequency', 0],
  ['repeatInterval', 0],
]);

/** Accepts a document from a file as well, where a value that cannot be means that there is none. */
const fromFile = <Schema extends z.ZodType>(schema: Schema) =>
  preprocessed(
    (given) => withFields(given, (name, value) => NEVER_EMPTY.get(name) !== value),
    tolerant(schema),
  );

const automationFields = {
  name: Name.describe('Name of the automation, unique'),
  description: text('What the automation does'),
  componentType: Automation.shape.componentType
    .unwrap()
    .describe('Kind of component to start: a workflow, or a compliance plan (in either spelling)'),
  componentId: textOrNull('Id of the workflow or plan to start'),
  componentName: textOrNull('Name of the workflow or plan; used when its id is missing or unknown'),
  gbac: ExportedGbac.optional().describe(
    'Groups that may see and change the automation: their ids, or the groups themselves',
  ),
};

/** An automation to create (contract/lifecycle#6.1); unknown fields are kept. */
export const NewAutomation = tolerant(
  z.looseObject(automationFields).meta({ id: 'NewAutomation', description: 'An automation to create.' }),
);
export type NewAutomation = z.infer<typeof NewAutomation>;

/** The body of a PATCH of an automation (contract/lifecycle#6.1). */
export const AutomationPatch = tolerant(
  z.looseObject(automationFields).partial().meta({
    id: 'AutomationPatch',
    description:
      'Changes to an automation; fields that are not given are kept. A whole document may be sent back: read-only fields are listed in metadata.ignored.',
  }),
);
export type AutomationPatch = z.infer<typeof AutomationPatch>;

/** A trigger to create (contract/lifecycle#6.2). */
export const NewTrigger = tolerant(ImportedTrigger);

/** A trigger to import (contract/lifecycle#6.2). */
export const TriggerFromFile = fromFile(ImportedTrigger);

/** An automation to import, with its triggers (contract/lifecycle#6.1). */
export const ImportedAutomation = fromFile(
  ExportedAutomation.extend({
    triggers: z.array(TriggerFromFile).optional().describe('Triggers of the automation'),
  }).meta({ id: 'ImportedAutomation', description: 'An exported automation to import.' }),
);

/** A field that a PATCH ignores: whatever it holds is no reason to reject the others (contract/lifecycle#0.2.7). */
const ignored = z.unknown().optional().describe('Read-only: ignored');

/** The body of a PATCH of a trigger: fields of its own type (contract/lifecycle#6.2). */
export const TriggerPatch = tolerant(
  z
    .looseObject({
      ...ManualTrigger.shape,
      ...EventTrigger.shape,
      ...EndpointTrigger.shape,
      ...ScheduleTrigger.shape,
      _id: ignored,
      created: ignored,
      createdBy: ignored,
      lastUpdated: ignored,
      lastUpdatedBy: ignored,
      lastExecuted: ignored,
      lastResult: ignored,
      nextRunAt: ignored,
      locked: ignored,
      migrationVersion: ignored,
      name: Name.describe('Name of the trigger'),
      type: z
        .enum(['manual', 'endpoint', 'eventSystem', 'schedule'])
        .describe('The type of the trigger; it cannot change'),
    })
    .partial()
    .meta({
      id: 'TriggerPatch',
      description:
        'Changes to a trigger; fields that are not given are kept. A whole document may be sent back: read-only fields are listed in metadata.ignored.',
    }),
);

/** The automation to clone (contract/endpoints#4.21). */
export const CloneRequest = z
  .strictObject({
    id: ObjectId.describe('Id of the automation to clone'),
    name: Name.nullish().describe('Name of the clone; absent: the original’s with a number'),
  })
  .meta({ id: 'CloneRequest', description: 'The automation to clone, and the name of the clone.' });
