import { z } from 'zod';
import { ComponentType, Project, ProjectFolder, ProjectMember } from '#db/schemas/assets/project.ts';
import { optional } from '#db/schemas/fields.ts';
import { Name } from '#db/schemas/primitives.ts';
import { projectedQuery } from '#db/schemas/query-options.ts';
import {
  createProject,
  deleteProject,
  getProject,
  getThumbnail,
  listProjects,
  setThumbnail,
  updateProject,
} from '#server/domains/studio/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { STUDIO_READ, STUDIO_WRITE } from '#server/kernel/roles.ts';
import { NoMetadata, Ops, ProjectAnswer, ProjectRequest, Thumbnail } from './answers.ts';

/** A row of the list, which has only the fields that the request selects. */
const ListedProject = Project.partial({ name: true }).meta({
  id: 'ListedProject',
  description: 'A project in a list; with `include` or `exclude`, the fields that these leave.',
});

const ProjectPage = z.object({
  message: z.string(),
  data: z.array(ListedProject).describe('Projects of which the caller is a member'),
  metadata: z.looseObject({
    total: z.int().describe('Number of matches in total'),
    skip: z.int(),
    limit: z.int(),
    currentPageSize: z.int(),
    nextPageSkip: z.int().nullable().describe('Start of the next page'),
    previousPageSkip: z.int().nullable().describe('Start of the previous page'),
    hints: z.array(z.string()),
  }),
});

const basics = {
  description: optional(z.string()).describe('Purpose of the project'),
  backgroundColor: optional(z.string().max(64)).describe('Background colour of the image'),
  thumbnail: optional(Thumbnail),
};

const Placed = z
  .looseObject({
    iid: z.int().min(0).describe('Number of the component within the project'),
    folder: optional(z.string()).describe('Folder in which it is shown; absent: its current folder'),
  })
  .describe('A component at its position in the order; other fields are ignored');

const ignored = z.unknown().optional().describe('Read-only: ignored, and listed in `ignored`');

const ProjectPatch = ProjectRequest.extend({
  name: optional(Name).describe('New name, unique'),
  ...basics,
  folders: optional(z.array(ProjectFolder)).describe(
    'The complete folder tree; components that it omits are shown at the top level',
  ),
  members: optional(z.array(ProjectMember)).describe(
    'All members: they replace the previous ones; owners only',
  ),
  components: optional(z.array(Placed)).describe('All components, in their new order and folders'),
  _id: ignored,
  iid: ignored,
  accessControl: ignored,
  componentIidIndex: ignored,
  created: ignored,
  createdBy: ignored,
  lastUpdated: ignored,
  lastUpdatedBy: ignored,
});

export const projects = {
  listProjects: allow(...STUDIO_READ)
    .meta(rest('GET', '/automation-studio/projects', 'Projects of which the caller is a member'))
    .input(
      z.strictObject({
        queryOptions: projectedQuery().prefault({}).describe('Filters, page, order and projection'),
      }),
    )
    .output(answer(ProjectPage))
    .query(async ({ ctx, input }) => listProjects(ctx, input.queryOptions)),

  getProject: allow(...STUDIO_READ)
    .meta(rest('GET', '/automation-studio/projects/:projectId', 'One project with its members by name'))
    .input(ProjectRequest)
    .output(answer(ProjectAnswer))
    .query(async ({ ctx, input }) => ({
      message: 'Successfully retrieved project',
      data: await getProject(ctx, input.projectId),
      metadata: {},
    })),

  createProject: allow(...STUDIO_WRITE)
    .meta(
      rest('POST', '/automation-studio/projects', 'Create a project; the caller becomes its owner', {
        errorResponses: { 409: 'The name is taken, or a component already belongs to a project' },
      }),
    )
    .input(
      z.strictObject({
        name: Name.describe('Name of the project, unique'),
        ...basics,
        components: optional(
          z
            .array(
              z.strictObject({
                type: ComponentType,
                reference: z.string().describe('Id of the asset'),
                folder: optional(z.string()).describe('Folder in which it is shown; absent: the top level'),
              }),
            )
            .max(1000),
        ).describe('Global assets to copy into the project'),
      }),
    )
    .output(answer(ProjectAnswer))
    .mutation(
      write(async ({ ctx, input }) => ({
        message: 'Successfully created project',
        data: await createProject(ctx, input),
        metadata: {},
      })),
    ),

  updateProject: allow(...STUDIO_WRITE)
    .meta(
      rest(
        'PATCH',
        '/automation-studio/projects/:projectId',
        'Change a project; fields that are sent replace the stored ones',
        {
          description:
            'Components may change their order and folder. Omitting one is rejected with 409: remove it with DELETE.',
        },
      ),
    )
    .input(ProjectPatch)
    .output(answer(Ops(Project, z.object({ ignored: z.array(z.string()).describe('Read-only fields') }))))
    .mutation(
      write(async ({ ctx, input }) => {
        const { project, ignored: left } = await updateProject(ctx, input);
        return { message: 'Successfully updated project', data: project, metadata: { ignored: left } };
      }),
    ),

  deleteProject: allow(...STUDIO_WRITE)
    .meta(
      rest('DELETE', '/automation-studio/projects/:projectId', 'Delete a project with its assets', {
        errorResponses: { 409: 'A document outside the project uses one of its assets' },
      }),
    )
    .input(ProjectRequest)
    .output(
      answer(
        Ops(
          z.null(),
          z.object({
            deletedComponents: z
              .array(z.object({ type: ComponentType, reference: z.string() }))
              .describe('Assets that were deleted with the project'),
          }),
        ),
      ),
    )
    .mutation(
      write(async ({ ctx, input }) => {
        const { name, deletedComponents } = await deleteProject(ctx, input.projectId);
        return {
          message: `Successfully deleted project ${name}`,
          data: null,
          metadata: { deletedComponents },
        };
      }),
    ),

  getThumbnail: allow(...STUDIO_READ)
    .meta(rest('GET', '/automation-studio/projects/:projectId/thumbnail', 'The image of a project'))
    .input(ProjectRequest)
    .output(answer(Ops(z.object({ imageData: z.string().describe('Data URL; empty: none') }), NoMetadata)))
    .query(async ({ ctx, input }) => ({
      message: 'Successfully retrieved thumbnail',
      data: await getThumbnail(ctx, input.projectId),
      metadata: {},
    })),

  setThumbnail: allow(...STUDIO_WRITE)
    .meta(rest('PUT', '/automation-studio/projects/:projectId/thumbnail', 'Change the image of a project'))
    .input(ProjectRequest.extend({ imageData: Thumbnail }))
    .output(answer(Ops(z.object({ imageData: z.string() }), NoMetadata)))
    .mutation(
      write(async ({ ctx, input }) => ({
        message: 'Successfully updated thumbnail',
        data: await setThumbnail(ctx, input.projectId, input.imageData),
        metadata: {},
      })),
    ),
};
