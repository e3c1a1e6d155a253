import { z } from 'zod';
import { text } from '../fields.ts';
import { listQuery } from '../query-options.ts';

/** A page of the platform that a role may open (contract/resources#2.2). */
export const View = z
  .looseObject({
    path: z.string().meta({
      description: 'Path of the page below the base URL; area prefixes end in a slash',
      examples: ['/operations-manager/'],
    }),
    provenance: z.string().meta({
      description: 'Application of the page',
      examples: ['OperationsManager'],
    }),
  })
  .meta({ id: 'View', description: 'A page of the platform that roles can be allowed to open.' });
export type View = z.infer<typeof View>;

/** Conditions on the fields of a view (contract/resources#2.2 views-query), all of which must hold. */
export const ViewMatch = z
  .strictObject({
    path: text('Text to compare with the path of the view', '/operations-manager/'),
    provenance: text('Text to compare with the provenance of the view', 'OperationsManager'),
  })
  .meta({
    id: 'ViewMatch',
    description: 'Literal texts to compare views with; all given texts must match.',
  });

/** Options of the list of views (contract/endpoints#4.3). */
export const ViewsQuery = listQuery({
  multiContains: ViewMatch.optional().describe('Keep views that contain these texts; case is ignored'),
  multiEquals: ViewMatch.optional().describe('Keep views that equal these texts; case-sensitive'),
  multiStartsWith: ViewMatch.optional().describe('Keep views that begin with these texts; case is ignored'),
}).meta({ id: 'ViewsQuery', description: 'Filters, page and order of the list of views.' });
