import { z } from 'zod';
import { Name, Timestamp } from '../primitives.ts';

/** Maximum number of tasks of an adapter type, and of incoming values of one of them. */
const MOST_METHODS = 10_000;
const MOST_INPUTS = 1000;

/** Name of an adapter type: the `app` and `locationType` of its tasks. */
export const AdapterTypeName = Name.max(200).meta({
  id: 'AdapterTypeName',
  description: 'Name of an adapter type, as tasks of workflows give it in app and locationType.',
  examples: ['Servicenow'],
});

/** Name of a method of an adapter, which is the name of its task. */
const MethodName = z
  .string()
  .regex(/^[A-Za-z_$][\w$]{0,199}$/, 'must be a name of up to 200 letters, digits, _ and $')
  .meta({ description: 'Name of the method', examples: ['getChangeRequest'] });

const description = (what: string) => z.string().max(20_000).optional().describe(what);

const JsonSchema = z.record(z.string(), z.unknown()).optional().describe('JSON schema of the value');

const MethodInput = z.looseObject({
  name: z
    .string()
    .min(1)
    .max(200)
    .meta({ description: 'Name of the incoming value', examples: ['sysId'] }),
  type: z
    .string()
    .max(100)
    .optional()
    .meta({
      description: 'Type of the value: string, number, boolean, object, array, enum or any',
      examples: ['string'],
    }),
  info: description('What the value is'),
  description: description('What the value is, where info is absent'),
  required: z.boolean().optional().describe('True when the method needs the value'),
  enumerals: z.array(z.unknown()).max(1000).optional().describe('Values that the type enum allows'),
  schema: JsonSchema,
});

const MethodOutput = z.looseObject({
  name: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'Name of the result', examples: ['result'] }),
  type: z
    .string()
    .max(100)
    .optional()
    .meta({ description: 'Type of the result', examples: ['object'] }),
  description: description('What the result is'),
  schema: JsonSchema,
});

const Method = z.looseObject({
  name: MethodName,
  summary: description('Short title'),
  description: description('What the method does'),
  input: z
    .array(MethodInput)
    .max(MOST_INPUTS)
    .optional()
    .describe('Arguments in the order in which the method takes them'),
  output: MethodOutput.optional().describe('Result of the method'),
  deprecated: z.boolean().optional().describe('True when the method should no longer be used'),
  task: z.boolean().optional().describe('False: no task of workflows'),
});

/** The file `pronghorn.json` of an adapter package: what the adapter is called, and its methods. */
export const Pronghorn = z
  .looseObject({
    id: z
      .string()
      .min(1)
      .max(214)
      .meta({ description: 'Name of the package', examples: ['@vendor/adapter-servicenow'] }),
    export: AdapterTypeName.describe('The adapter type: class of the package, and app of its tasks'),
    title: z.string().max(200).optional().describe('Name of the adapter for people'),
    src: z.string().max(500).optional().describe('File that exports the class'),
    type: z
      .literal('Adapter', 'must be "Adapter": packages of applications cannot be added')
      .optional()
      .describe('Kind of package'),
    methods: z.array(Method).max(MOST_METHODS).describe('Methods of the adapter'),
  })
  .meta({
    id: 'Pronghorn',
    description: 'The file pronghorn.json of an adapter package: the type and the methods of an adapter.',
  });
export type Pronghorn = z.infer<typeof Pronghorn>;
export type PronghornMethod = Pronghorn['methods'][number];

/** An adapter type of which the platform knows the tasks and has no code or document. */
export const StoredCatalogue = z
  .looseObject({
    type: AdapterTypeName.describe('The adapter type'),
    package: z
      .string()
      .nullable()
      .meta({
        description: 'Package that the catalogue describes; null: unknown',
        examples: ['@vendor/adapter-servicenow'],
      }),
    title: z.string().describe('Name of the adapter for people'),
    origin: z
      .enum(['file', 'workflows'])
      .describe('file: from the catalogue of a package; workflows: from tasks of stored workflows'),
    taskCount: z.int().min(0).describe('Number of its tasks'),
    created: Timestamp.describe('When it was stored'),
    createdBy: z.string().nullable().describe('Id of the account that stored it'),
    lastUpdated: Timestamp.describe('When it was changed last'),
    lastUpdatedBy: z.string().nullable().describe('Id of the account that changed it last'),
  })
  .meta({
    id: 'StoredCatalogue',
    description: 'An adapter type of which only the tasks are known.',
  });
export type StoredCatalogue = z.infer<typeof StoredCatalogue>;

const schema = z.record(z.string(), z.unknown()).describe('JSON schema of the value');

/** A task of an adapter type, as the file of its package describes it. */
export const DescribedTask = z.looseObject({
  name: z.string().describe('Name of the task'),
  summary: z.string().describe('Short title'),
  description: z.string().describe('What the task does'),
  deprecated: z.boolean().describe('True when it should no longer be used'),
  inputs: z
    .array(
      z.looseObject({
        name: z.string().describe('Name of the incoming value'),
        type: z.string().describe('Type of the argument, in lower case'),
        required: z.boolean().describe('True when the method needs the value'),
        schema,
      }),
    )
    .describe('Incoming values in the order of the method'),
  output: z.looseObject({ name: z.string().describe('Name of the result'), schema }).describe('The result'),
});

/** An adapter type with its tasks. */
export const CatalogueWithTasks = StoredCatalogue.extend({
  tasks: z.array(DescribedTask).describe('The tasks of the type'),
}).meta({ id: 'CatalogueWithTasks', description: 'An adapter type and its tasks.' });
export type CatalogueWithTasks = z.infer<typeof CatalogueWithTasks>;
