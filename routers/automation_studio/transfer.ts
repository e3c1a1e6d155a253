import { z } from 'zod';
import { draftFields } from '#db/schemas/assets/draft.ts';
import { Missing, missingFields } from '#db/schemas/assets/missing.ts';
import { ExportedProject, Project } from '#db/schemas/assets/project.ts';
import { optional } from '#db/schemas/fields.ts';
import { imported } from '#db/schemas/requests/null-fields.ts';
import { ProjectFile } from '#db/schemas/requests/project-file.ts';
import {
  exportProject,
  importProject,
  listMissing,
  listMissingOfWorkflow,
} from '#server/domains/studio/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { STUDIO_READ, STUDIO_WRITE, WORKFLOW_READ } from '#server/kernel/roles.ts';
import { NoMetadata, Ops, ProjectRequest, Renamings } from './answers.ts';

const Failed = z.object({
  type: z.string().describe('Kind of the asset in the file'),
  reference: z.string().describe('Id that the component has in the file'),
  iid: z.number().describe('Number of the component in the file'),
  name: z.string().nullable().describe('Its name; null when it has none'),
  issues: z
    .array(
      z.object({
        path: z.array(z.union([z.string(), z.number()])),
        message: z.string(),
        code: z.string(),
      }),
    )
    .describe('Its issues'),
});

const MissingParts = Ops(
  z.array(Missing).describe('By kind, then by name; at most 1000 entries'),
  z.object({ total: z.int().describe('How many entries there are in all') }),
);

export const transfer = {
  importProject: allow(...STUDIO_WRITE)
    .meta(
      rest('POST', '/automation-studio/projects/import', 'Import a project with its assets, all or nothing', {
        bare: 'project',
        bodyLimit: 'import',
        description:
          'Accepts `{"project":{…}}` with options, or the project document itself. A document that can be stored but not run becomes a draft: `errors` of the document and `drafts` of the answer say why.',
        errorResponses: {
          400: 'The file is not valid: all issues are listed by path, and nothing is stored',
        },
      }),
    )
    .input(
      z.strictObject({
        project: imported(ProjectFile),
        conflictMode: optional(z.enum(['insert-new', 'overwrite'])).describe(
          'For an existing project: insert-new keeps components with the same reference, overwrite replaces them. Nothing is removed. Absent: insert-new',
        ),
        assignNewReferences: optional(z.boolean()).describe('True: all assets get new ids'),
        skipReferenceValidation: optional(z.boolean()).describe(
          'True: references of the documents are not checked',
        ),
        relink: optional(z.boolean()).describe(
          'True: a reference to a workflow that does not exist is changed to the only workflow of the project whose name extends it or is extended by it. Absent: that workflow is only suggested',
        ),
        dryRun: optional(z.boolean()).describe('True: returns the result without storing anything'),
        options: optional(
          z.strictObject({
            partial: optional(z.boolean()).describe(
              'True: components with issues are omitted, and the others are stored',
            ),
          }),
        ).describe('How to handle issues'),
      }),
    )
    .output(
      answer(
        Ops(
          Project,
          z.object({
            failedComponents: z.array(Failed).describe('Components that were omitted (partial)'),
            renamed: Renamings,
            warnings: z.array(z.string()).describe('Missing references and other warnings'),
            ...draftFields,
            ...missingFields,
          }),
        ),
      ),
    )
    .mutation(
      write(async ({ ctx, input: { options, ...file } }) => {
        const { project, ...metadata } = await importProject(ctx, { ...file, partial: options?.partial });
        return { message: 'Successfully imported project', data: project, metadata };
      }),
    ),

  listMissing: allow(...STUDIO_READ)
    .meta(
      rest(
        'GET',
        '/automation-studio/projects/:projectId/missing',
        'What a project needs and this installation lacks',
      ),
    )
    .input(ProjectRequest)
    .output(answer(MissingParts))
    .query(async ({ ctx, input }) => {
      const { missing, total } = await listMissing(ctx, input.projectId);
      return { message: 'Successfully retrieved missing parts', data: missing, metadata: { total } };
    }),

  listMissingOfWorkflow: allow(...WORKFLOW_READ)
    .meta(
      rest(
        'GET',
        '/automation-studio/workflows/missing/:workflowId',
        'What a workflow needs and this installation lacks',
      ),
    )
    .input(z.strictObject({ workflowId: z.string().describe('Id of the workflow') }))
    .output(answer(MissingParts))
    .query(async ({ ctx, input }) => {
      const { missing, total } = await listMissingOfWorkflow(ctx, input.workflowId);
      return { message: 'Successfully retrieved missing parts', data: missing, metadata: { total } };
    }),

  exportProject: allow(...STUDIO_READ)
    .meta(
      rest(
        'GET',
        '/automation-studio/projects/:projectId/export',
        'A project with the documents of its assets',
      ),
    )
    .input(ProjectRequest)
    .output(answer(Ops(ExportedProject, NoMetadata)))
    .query(async ({ ctx, input }) => ({
      message: 'Successfully exported project',
      data: await exportProject(ctx, input.projectId),
      metadata: {},
    })),
};
