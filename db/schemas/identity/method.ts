import { z } from 'zod';

/** An endpoint as a permission that roles can grant (contract/lifecycle#methods). */
export const Method = z
  .looseObject({
    provenance: z.string().meta({ description: 'Area of the operation', examples: ['ConfigurationManager'] }),
    name: z.string().meta({ description: 'Operation within its area', examples: ['getDevicesFiltered'] }),
    deprecated: z.boolean().describe('True when it is deprecated'),
    route: z
      .looseObject({
        verb: z.string().meta({ description: 'HTTP method, in lower case', examples: ['post'] }),
        path: z.string().meta({ description: 'Path below its area', examples: ['/devices'] }),
        fullPath: z.string().meta({
          description: 'Path below the base URL, with :name parameters',
          examples: ['/configuration_manager/devices'],
        }),
      })
      .describe('Where it answers'),
  })
  .meta({ id: 'Method', description: 'An endpoint as a permission that roles can grant.' });
export type Method = z.infer<typeof Method>;
