import { z } from 'zod';

/** An OpenAPI document as a catalogue of tasks (docs/integrations.md): what an integration of it begins with. */
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
