import { z } from 'zod';
import { text, textOrNull, texts } from '../fields.ts';

const ComponentName = z.string().meta({ description: 'Its name', examples: ['Create ticket'] });

/** A document that would provide a missing part (contract/lifecycle#missing). */
const Provider = z
  .discriminatedUnion('type', [
    z
      .looseObject({
        type: z.literal('package').describe('Kind of provider'),
        export: z.string().meta({ description: 'Adapter type that it exports', examples: ['Servicenow'] }),
      })
      .describe('An adapter package'),
    z
      .looseObject({
        type: z.literal('openapi').describe('Kind of provider'),
        title: text('Its info.title; absent: a document of the system that the adapter is for', 'NetBox'),
        version: text('Its info.version; absent: any', '4.1'),
      })
      .describe('An OpenAPI document'),
    z
      .looseObject({
        type: z.literal('application').describe('Kind of provider'),
        name: z.string().meta({ description: 'Name of the application', examples: ['ServiceCatalog'] }),
      })
      .describe('A release with this application or with these tasks of it'),
    z
      .looseObject({
        type: z.literal('import').describe('Kind of provider'),
        kind: z.string().meta({ description: 'Kind of document to import', examples: ['workflow'] }),
        _id: text('Id of the document to import', '65566996fb4afe017442d30d'),
        name: text('Name of the document to import', 'Run checks'),
        project: text('Id of the project that has the document', '66d0ccea21161b4df27174c0'),
      })
      .describe('An import'),
  ])
  .meta({ id: 'MissingProvider', description: 'What would provide a missing part.' });

/** Something that documents need and that does not exist here (contract/lifecycle#missing). */
export const Missing = z
  .looseObject({
    kind: z
      .enum(['adapter', 'integration', 'application', 'document'])
      .describe('adapter: an adapter type; integration: an adapter type made of an OpenAPI document'),
    type: textOrNull('Kind of document; null: unknown', 'workflow'),
    name: z.string().meta({
      description: 'Name that the documents use, or the id',
      examples: ['Servicenow', 'NetBox:4.1'],
    }),
    message: z.string().meta({
      description: 'What to do about it',
      examples: ['Create an adapter of type Servicenow: install a package that exports it first'],
    }),
    providedBy: z.array(Provider).describe('What would provide it; one of them is enough'),
    tasks: texts('Operations that are needed of it, at most 20', ['createIncident']),
    candidates: z
      .array(z.looseObject({ _id: z.string().describe('Id of the workflow'), name: ComponentName }))
      .optional()
      .describe(
        'Workflows of the same project with a name that continues or begins the missing one; with exactly one, an import with `relink` uses it',
      ),
    uses: z.int().describe('How many tasks, or for a document how many documents, need it'),
    usedBy: z
      .array(
        z.looseObject({
          type: z.string().meta({ description: 'Kind of the document', examples: ['workflow'] }),
          _id: text('Id of the document; absent: it was not stored', '7c1e4f0a-2b3c-4d5e-8f90-a1b2c3d4e5f6'),
          name: ComponentName,
          task: text('Id of the task in a workflow', 'a1b2'),
        }),
      )
      .describe('Where it is needed, at most 10 places'),
  })
  .meta({ id: 'Missing', description: 'Something that documents need and that does not exist here.' });

/** The fields of an answer that list what is missing. */
export const missingFields = {
  missing: z
    .array(Missing)
    .describe('Missing documents and systems that the imported documents need, at most 1000 entries'),
  missingTotal: z.int().describe('How many entries there are in all'),
};

export type Missing = z.infer<typeof Missing>;
export type MissingProvider = z.infer<typeof Provider>;
