import { z } from 'zod';
import { ComponentType, Project } from '#db/schemas/assets/project.ts';
import { optional } from '#db/schemas/fields.ts';
import { referencesTo } from '#server/domains/assets/index.ts';
import { addComponents, removeComponent } from '#server/domains/studio/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { STUDIO_READ, STUDIO_WRITE } from '#server/kernel/roles.ts';
import { NoMetadata, Ops, ProjectRequest, Renamings } from './answers.ts';

const COMPONENTS = '/automation-studio/projects/:projectId/components';

export const components = {
  addComponents: allow(...STUDIO_WRITE)
    .meta(
      rest('POST', `${COMPONENTS}/add`, 'Add assets to a project, as copies or by moving them', {
        errorResponses: { 409: 'An asset to move already belongs to a project' },
      }),
    )
    .input(
      ProjectRequest.extend({
        components: z
          .array(
            z.strictObject({
              type: ComponentType,
              reference: z.string().describe('Id of the asset'),
              folder: optional(z.string()).describe('Folder in which it is shown; absent: the top level'),
            }),
          )
          .min(1)
          .max(1000)
          .describe('Assets to add'),
        mode: optional(z.enum(['move', 'copy'])).describe(
          'copy adds a copy; move makes the asset itself a component of the project. Absent: copy',
        ),
      }),
    )
    .output(answer(Ops(Project, z.object({ renamed: Renamings }))))
    .mutation(
      write(async ({ ctx, input: { projectId, components: added, mode } }) => {
        const { project, renamed } = await addComponents(ctx, projectId, added, mode ?? 'copy');
        return { message: 'Successfully added components', data: project, metadata: { renamed } };
      }),
    ),

  removeComponent: allow(...STUDIO_WRITE)
    .meta(
      rest('DELETE', `${COMPONENTS}/:componentId`, 'Remove a component from its project', {
        description:
          'delete also deletes its document; move keeps the document as a global one, under its name without the project prefix.',
        errorResponses: { 409: 'A document outside the project uses the document to delete' },
      }),
    )
    .input(
      ProjectRequest.extend({
        componentId: z.int().min(0).describe('Number of the component within the project'),
        options: z.strictObject({
          mode: z.enum(['delete', 'move']).describe('What to do with the document'),
        }),
      }),
    )
    .output(
      answer(
        Ops(
          Project,
          z.object({
            renamed: Renamings,
            warnings: z
              .array(z.string())
              .describe('Components of the project that still reference the document'),
          }),
        ),
      ),
    )
    .mutation(
      write(async ({ ctx, input: { projectId, componentId, options } }) => {
        const { project, ...metadata } = await removeComponent(ctx, projectId, componentId, options.mode);
        return { message: 'Successfully removed component', data: project, metadata };
      }),
    ),

  listReferencesTo: allow(...STUDIO_READ)
    .meta(rest('GET', '/automation-studio/references-to', 'List the documents that use assets'))
    .input(
      z.strictObject({
        'target-type': ComponentType.describe('Kind of the assets'),
        'target-identifiers': z
          .array(z.string())
          .min(1)
          .max(1000)
          .describe('Ids of the assets; those of command templates are their names'),
      }),
    )
    .output(
      answer(
        Ops(
          z.array(
            z.object({
              type: z.union([ComponentType, z.enum(['automation', 'trigger', 'project'])]),
              _id: z.string().describe('Id of the document that uses one of them'),
              name: z.string().describe('Its name'),
            }),
          ),
          NoMetadata,
        ),
      ),
    )
    .query(async ({ ctx, input }) => ({
      message: 'Successfully retrieved references',
      data: await referencesTo(ctx, input['target-type'], input['target-identifiers']),
      metadata: {},
    })),
};
