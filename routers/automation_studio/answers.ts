import { z } from 'zod';
import { ComponentType, Project } from '#db/schemas/assets/project.ts';

/** A picture as a data URL, at most 256 KiB; an empty text removes it. */
export const Thumbnail = z
  .string()
  .max(256 * 1024, { abort: true, message: 'must be at most 256 KiB' })
  .regex(/^(data:image\/[\w.+-]+;base64,[A-Za-z0-9+/=\s]+)?$/, 'must be an image as a base64 data URL')
  .meta({
    description: 'Image as a data URL, at most 256 KiB',
    examples: ['data:image/png;base64,iVBORw0KGgo='],
  });

/** The address at which people edit a document that was written (contract/lifecycle#studio). */
export const edit = z.string().meta({
  description: 'Where people edit it, below the address of this service',
  examples: ['/automation-studio/#/edit?automation=Check%20uplinks'],
});

/** The response envelope of the Ops areas for one document (contract/lifecycle#0.4). */
export const Ops = <Data extends z.ZodType, Metadata extends z.ZodType>(data: Data, metadata: Metadata) =>
  z.object({ message: z.string().describe('What was done, in words'), data, metadata });

export const NoMetadata = z.object({}).describe('Always empty');

export const ProjectRequest = z.strictObject({
  projectId: z.string().describe('Id of the project'),
});

/** Documents that were renamed because their names were in use. */
export const Renamings = z
  .array(
    z.object({
      type: z.union([ComponentType, z.literal('project')]),
      from: z.string().describe('Requested name'),
      to: z.string().describe('Assigned name'),
    }),
  )
  .describe('Assets that were given a number because the name was taken');

export const ProjectAnswer = Ops(Project, NoMetadata);
