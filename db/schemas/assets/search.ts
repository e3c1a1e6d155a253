import { z } from 'zod';

/** Kinds of document that a search finds: those with a name given by users. */
export const SEARCHED = [
  'adapter',
  'automation',
  'device',
  'deviceGroup',
  'deviceTemplate',
  'jsonForm',
  'mopAnalyticTemplate',
  'mopCommandTemplate',
  'parser',
  'plan',
  'prebuilt',
  'project',
  'tag',
  'template',
  'transformation',
  'tree',
  'trigger',
  'workflow',
] as const;
export type SearchKind = (typeof SEARCHED)[number];

/** The searched fields of a document. */
export const Searched = z.looseObject({
  name: z.string().describe('Name of the document'),
  description: z.string().nullish().describe('Description of the document'),
});

/** A document that a search found (contract/lifecycle#12a). */
export const SearchResult = z
  .looseObject({
    kind: z.enum(SEARCHED).describe('Kind of document'),
    _id: z.string().describe('Id of the document; of a device and an adapter its name'),
    name: z.string().describe('Name of the document'),
    path: z
      .string()
      .describe('Path of the endpoint that reads it; for kinds with lists only, the path of the list'),
  })
  .meta({
    id: 'SearchResult',
    description: 'A document whose name or description matches the search.',
    examples: [
      {
        kind: 'workflow',
        _id: '7c1e4f0a-2b3c-4d5e-8f90-a1b2c3d4e5f6',
        name: 'IOS upgrade',
        path: '/automation-studio/workflows/detailed/IOS%20upgrade',
      },
    ],
  });
export type SearchResult = z.infer<typeof SearchResult>;
