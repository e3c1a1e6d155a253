import { z } from 'zod';
import { missingFields } from '#db/schemas/assets/missing.ts';
import { projectedQuery } from '#db/schemas/query-options.ts';
import { imported, nullTolerant } from '#db/schemas/requests/null-fields.ts';
import {
  DrawnWorkflow,
  ImportedWorkflow,
  ListedWorkflow,
  WorkflowFindings,
  WorkflowImportOptions,
  WorkflowUpdate,
} from '#db/schemas/requests/workflow.ts';
import { Workflow } from '#db/schemas/workflow/workflow.ts';
import {
  createWorkflow,
  getWorkflow,
  importWorkflowFiles,
  listWorkflows,
  updateWorkflow,
  validateWorkflow,
} from '#server/domains/workflow/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { STUDIO_WRITE, WORKFLOW_READ } from '#server/kernel/roles.ts';
import { edit } from './answers.ts';

const WorkflowPage = z.object({
  items: z.array(ListedWorkflow).describe('Entries of this page, in order'),
  skip: z.int().describe('Number of workflows skipped'),
  limit: z.int().describe('Maximum number of workflows in a page'),
  end: z.int().describe('Position after the last workflow of this page'),
  count: z.int().describe('Workflows on this page'),
  total: z.int().describe('Number of matches in total'),
  next: z.string().nullable().describe('URL of the next page; null: no further page'),
  previous: z.string().nullable().describe('URL of the previous page; null: no previous page'),
});

const Imported = z.union([
  z.object({
    imported: z.array(ImportedWorkflow).describe('Result for each one, in order'),
    ...missingFields,
  }),
  Workflow,
]);

export const workflows = {
  listWorkflows: allow(...WORKFLOW_READ)
    .meta(rest('GET', '/automation-studio/workflows', 'List workflows'))
    .input(
      z.strictObject({ queryOptions: projectedQuery().prefault({}).describe('Filters, page and order') }),
    )
    .output(answer(WorkflowPage))
    .query(({ ctx, input }) => listWorkflows(ctx, input.queryOptions)),

  getWorkflow: allow(...WORKFLOW_READ)
    .meta(rest('GET', '/automation-studio/workflows/detailed/:name', 'One workflow, by its name'))
    .input(z.strictObject({ name: z.string().describe('Name of the workflow') }))
    .output(answer(Workflow))
    .query(({ ctx, input }) => getWorkflow(ctx, input.name)),

  createWorkflow: allow(...STUDIO_WRITE)
    .meta(
      rest('POST', '/automation-studio/automations', 'Create a workflow', {
        description:
          'A workflow that could not run is stored as a draft, with its issues in `errors`. Missing schemas are calculated.',
      }),
    )
    .input(z.strictObject({ automation: nullTolerant(Workflow).describe('The workflow') }))
    .output(answer(z.object({ created: Workflow.describe('The stored workflow'), edit })))
    .mutation(write(({ ctx, input }) => createWorkflow(ctx, input.automation, ['automation']))),

  updateWorkflow: allow(...STUDIO_WRITE)
    .meta(
      rest('PUT', '/automation-studio/automations/:id', 'Change a workflow', {
        description: 'References to the workflow are updated when its name changes.',
      }),
    )
    .input(
      z.strictObject({ id: z.string().describe('Id of the workflow'), update: nullTolerant(WorkflowUpdate) }),
    )
    .output(
      answer(
        z.looseObject({
          updated: Workflow.describe('The workflow after the change; its fields are also at the top level'),
          edit,
        }),
      ),
    )
    .mutation(write(({ ctx, input }) => updateWorkflow(ctx, input.id, input.update))),

  importWorkflows: allow(...STUDIO_WRITE)
    .meta(
      rest('POST', '/automation-studio/automations/import', 'Import workflows, all or none', {
        bodyLimit: 'import',
        description: 'One workflow is returned by itself, several as a list of results.',
      }),
    )
    .input(
      z.strictObject({
        automations: z.array(imported(Workflow)).min(1).describe('The workflows'),
        options: WorkflowImportOptions,
      }),
    )
    .output(answer(Imported))
    .mutation(
      write(({ ctx, input }) =>
        importWorkflowFiles(ctx, input.automations, input.options?.overwrite ?? false),
      ),
    ),

  validateWorkflow: allow(...WORKFLOW_READ)
    .meta(rest('POST', '/automation-studio/workflows/validate', 'Validate a workflow'))
    .input(z.strictObject({ workflow: nullTolerant(DrawnWorkflow).describe('The workflow, stored or not') }))
    .output(answer(WorkflowFindings))
    .query(({ ctx, input }) => validateWorkflow(ctx, input.workflow)),
};
