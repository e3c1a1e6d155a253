import { z } from 'zod';

/** An OpenAPI document as a catalogue of tasks (docs/integration-models.md): what an integration of it begins with. */
export const IntegrationModel = z
  .looseObject({
    model: z.string().meta({
      description: 'Name of the model for integrations: `@switchyard/adapter_` and the version id',
      examples: ['@switchyard/adapter_NetBox:4.1'],
    }),
    versionId: z.string().meta({
      description: 'Id of the model: title and version of the document, with a colon between them',
      examples: ['NetBox:4.1'],
    }),
    description: z.string().describe('Description of the document'),
    properties: z
      .record(z.string(), z.unknown())
      .describe('Connection that an integration begins with: server, authentication by scheme, TLS, version'),
  })
  .meta({ id: 'IntegrationModel', description: 'An OpenAPI document whose operations are tasks.' });
export type IntegrationModel = z.infer<typeof IntegrationModel>;

/** An operation of a model as lists show it. */
export const ModelTask = z
  .looseObject({
    name: z.string().meta({ description: 'Name of the task', examples: ['dcim_devices_list'] }),
    method: z.string().meta({ description: 'HTTP method of the operation', examples: ['GET'] }),
    path: z
      .string()
      .meta({ description: 'Path template of the operation', examples: ['/dcim/devices/{id}/'] }),
    summary: z.string().describe('What the operation does, in a line'),
    tags: z.array(z.string()).describe('Tags of the operation in its document'),
    deprecated: z.boolean().describe('True when the document advises against the operation'),
    effect: z
      .enum(['read', 'keyed', 'unsafe'])
      .describe('Whether a call whose outcome is not known is repeated: read and keyed are, unsafe is not'),
  })
  .meta({ id: 'ModelTask', description: 'An operation of an integration model, as a task.' });
export type ModelTask = z.infer<typeof ModelTask>;
