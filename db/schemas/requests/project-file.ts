import { z } from 'zod';
import { ExportedComponent, ExportedProject } from '../assets/project.ts';

/** A component in a file: missing fields are filled in, or reported with all other issues. */
const ComponentOfFile = ExportedComponent.extend({
  iid: z.number().optional().describe('Number of the component; absent: the next free one'),
  type: z
    .string()
    .meta({ description: 'Kind of the asset, in the names that projects use', examples: ['workflow'] }),
  reference: z
    .string()
    .optional()
    .meta({
      description: 'Id of the asset; absent: the id of its document, or a new one',
      examples: ['7c1e4f0a-2b3c-4d5e-8f90-a1b2c3d4e5f6'],
    }),
}).meta({ id: 'ComponentOfFile', description: 'A project component with its asset, for import.' });

const ignored = z.unknown().optional().describe('Ignored: it has no meaning on another system');

/** A project file as clients send it (contract/lifecycle#5.1). */
export const ProjectFile = ExportedProject.extend({
  members: ignored,
  accessControl: ignored,
  componentIidIndex: ignored,
  components: z.array(ComponentOfFile).optional().describe('Assets of the project with their documents'),
}).meta({ id: 'ProjectFile', description: 'A project with all its assets, for import.' });
export type ProjectFile = z.infer<typeof ProjectFile>;
