import { z } from 'zod';
import { text } from '../fields.ts';

const type = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .meta({ description: 'JSON type of the value, or several', examples: ['string'] });

const ShownVariable = z.looseObject({
  type,
  description: text('Description of the value'),
  required: z.boolean().optional().describe('Whether the value is required'),
});

const DetailedVariable = ShownVariable.extend({
  schema: z.record(z.string(), z.unknown()).describe('JSON schema of the value'),
});

const variablesOf = <Variable extends z.ZodType>(variable: Variable) =>
  z.looseObject({
    incoming: z.record(z.string(), variable).describe('Input values, by name'),
    outgoing: z.record(z.string(), variable).describe('Results, by name'),
  });

const head = {
  name: z.string().meta({ description: 'Name of the task', examples: ['query'] }),
  app: z
    .string()
    .meta({ description: 'Application or adapter type of the task', examples: ['WorkFlowEngine'] }),
  canvasName: z.string().describe('Name on the canvas'),
  displayName: z.string().describe('Heading under which the canvas lists it'),
  location: z.enum(['Application', 'Adapter']).describe('Where it runs'),
  locationType: z.string().nullable().describe('Type of the adapter; null: it needs none'),
  type: z
    .enum(['operation', 'automatic', 'manual'])
    .describe('operation and automatic run without a user, manual waits for a user'),
  summary: z.string().describe('Short title'),
  description: z.string().describe('What it does'),
  deprecated: z.boolean().describe('True when it should no longer be used'),
  view: text('Page for the manual task', '/workflow_engine/task/ViewData'),
};

/** A task type that can be used in a workflow (contract/lifecycle#5.3). */
export const ListedTask = z
  .looseObject({ ...head, variables: variablesOf(ShownVariable).describe('Inputs and outputs') })
  .meta({ id: 'ListedTask', description: 'A task that can be used in workflows.' });
export type ListedTask = z.infer<typeof ListedTask>;

/** A task type with the JSON schemas of its variables. */
export const DetailedTask = z
  .looseObject({ ...head, variables: variablesOf(DetailedVariable).describe('Inputs and outputs') })
  .meta({ id: 'DetailedTask', description: 'A task with the JSON schemas of its inputs and outputs.' });
export type DetailedTask = z.infer<typeof DetailedTask>;
