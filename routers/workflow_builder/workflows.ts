import { z } from 'zod';
import { optional } from '#db/schemas/fields.ts';
import { Done, Name } from '#db/schemas/primitives.ts';
import { imported, nullTolerant } from '#db/schemas/requests/null-fields.ts';
import { DrawnWorkflow, WorkflowImportOptions, WorkflowSchemas } from '#db/schemas/requests/workflow.ts';
import { Workflow } from '#db/schemas/workflow/workflow.ts';
import {
  calculateSchemas,
  deleteWorkflow,
  exportWorkflow,
  importWorkflow,
  renameWorkflow,
  saveWorkflow,
} from '#server/domains/workflow/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { STUDIO_WRITE, WORKFLOW_READ } from '#server/kernel/roles.ts';
import { edit } from '../automation_studio/answers.ts';

export const workflows = {
  calculateSchemas: allow('admin', 'engineering', 'support')
    .meta(
      rest(
        'POST',
        '/workflow_builder/workflows/schemas',
        'Calculate the input and output schemas of a workflow',
        {
          description:
            'The input has every variable of the job that a task reads and no task sets; the output also has those that tasks set.',
        },
      ),
    )
    .input(z.strictObject({ workflow: nullTolerant(DrawnWorkflow).describe('The workflow, stored or not') }))
    .output(answer(WorkflowSchemas))
    .query(({ ctx, input }) => calculateSchemas(ctx, input.workflow)),

  deleteWorkflow: allow(...STUDIO_WRITE)
    .meta(rest('DELETE', '/workflow_builder/workflows/delete/:name', 'Delete a workflow that nothing uses'))
    .input(z.strictObject({ name: z.string().describe('Name of the workflow') }))
    .output(
      answer(
        Done.extend({
          value: Workflow.describe('The deleted workflow'),
          ok: z.literal(1).describe('Always 1; a failure has an error status and a different body'),
        }),
      ),
    )
    .mutation(
      write(async ({ ctx, input }) => ({
        status: 'success' as const,
        message: `Deleted workflow ${input.name}`,
        value: await deleteWorkflow(ctx, input.name),
        ok: 1 as const,
      })),
    ),

  importWorkflow: allow(...STUDIO_WRITE)
    .meta(rest('POST', '/workflow_builder/import', 'Import a workflow', { bodyLimit: 'import' }))
    .input(
      z.strictObject({
        workflow: imported(Workflow).describe('The workflow'),
        options: WorkflowImportOptions,
      }),
    )
    .output(answer(Workflow))
    .mutation(
      write(({ ctx, input }) => importWorkflow(ctx, input.workflow, input.options?.overwrite ?? false)),
    ),

  exportWorkflow: allow(...WORKFLOW_READ)
    .meta(rest('POST', '/workflow_builder/export', 'Export a workflow'))
    .input(
      z.strictObject({
        options: z
          .strictObject({
            _id: optional(z.string()).describe('Id of the workflow'),
            name: optional(z.string()).meta({
              description: 'Name of the workflow',
              examples: ['IOS upgrade'],
            }),
            type: optional(z.literal('automation')).describe(
              'Has no effect; accepted because clients send it',
            ),
          })
          .describe('The workflow, by id, by name, or by both'),
      }),
    )
    .output(answer(Workflow))
    .query(({ ctx, input }) => exportWorkflow(ctx, input.options)),

  renameWorkflow: allow(...STUDIO_WRITE)
    .meta(
      rest('POST', '/workflow_builder/workflows/rename', 'Rename a workflow', {
        description: 'References to the workflow are updated.',
      }),
    )
    .input(
      z
        .strictObject({
          name: optional(z.string()).meta({ description: 'Name of the workflow', examples: ['IOS upgrade'] }),
          workflow: optional(z.looseObject({ name: z.string() })).describe(
            'The workflow, in place of its name',
          ),
          newName: Name.describe('New name, unique'),
        })
        .refine(({ name, workflow }) => (name === undefined) !== (workflow === undefined), {
          path: ['name'],
          message: 'either `name` or `workflow` is required',
        }),
    )
    .output(answer(Done))
    .mutation(
      write(async ({ ctx, input: { name, workflow, newName } }) => {
        const given = name ?? workflow?.name ?? '';
        await renameWorkflow(ctx, given, newName);
        return { status: 'success' as const, message: `Renamed workflow ${given} to ${newName}` };
      }),
    ),

  saveWorkflow: allow(...STUDIO_WRITE)
    .meta(
      rest(
        'POST',
        '/workflow_builder/workflows/save',
        'Create a workflow, or replace the workflow of the same name',
      ),
    )
    .input(z.strictObject({ workflow: nullTolerant(Workflow).describe('The workflow') }))
    .output(
      answer(
        z.object({
          created: Workflow.optional().describe('The created workflow'),
          updated: Workflow.optional().describe('The replaced workflow'),
          edit,
        }),
      ),
    )
    .mutation(write(({ ctx, input }) => saveWorkflow(ctx, input.workflow))),
};
