import { z } from 'zod';
import { missingMembers } from '#db/schemas/assets/missing.ts';
import { projectedQuery } from '#db/schemas/query-options.ts';
import { given, imported } from '#db/schemas/requests/given.ts';
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

const WorkflowPage = z.object({
  items: z.array(ListedWorkflow).describe('This page, in order'),
  skip: z.int().describe('Workflows left out from the start'),
  limit: z.int().describe('Workflows a page, at most'),
  end: z.int().describe('Place behind the last one of this page'),
  count: z.int().describe('Workflows on this page'),
  total: z.int().describe('How many match in all'),
  next: z.string().nullable().describe('URL of the next page; null: there is none'),
  previous: z.string().nullable().describe('URL of the page before; null: there is none'),
});

const Imported = z.union([
  z.object({
    imported: z.array(ImportedWorkflow).describe('What became of each, in their order'),
    ...missingMembers,
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
          'A workflow that could not run is stored as a draft, with what is wrong with it in `errors`. Schemas that are not given are calculated.',
      }),
    )
    .input(z.strictObject({ automation: given(Workflow).describe('The workflow') }))
    .output(answer(z.object({ created: Workflow.describe('The workflow as it is stored') })))
    .mutation(write(({ ctx, input }) => createWorkflow(ctx, input.automation, ['automation']))),

  updateWorkflow: allow(...STUDIO_WRITE)
    .meta(
      rest('PUT', '/automation-studio/automations/:id', 'Change a workflow', {
        description: 'Documents that name the workflow follow a new name.',
      }),
    )
    .input(z.strictObject({ id: z.string().describe('Id of the workflow'), update: given(WorkflowUpdate) }))
    .output(
      answer(
        z.looseObject({
          updated: Workflow.describe('The workflow as it is now; its members stand beside it too'),
        }),
      ),
    )
    .mutation(write(({ ctx, input }) => updateWorkflow(ctx, input.id, input.update))),

  importWorkflows: allow(...STUDIO_WRITE)
    .meta(
      rest('POST', '/automation-studio/automations/import', 'Import workflows, all or none', {
        bodyLimit: 'import',
        description: 'One workflow is answered bare, several as a list of what became of each.',
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
    .meta(rest('POST', '/automation-studio/workflows/validate', 'Tell what keeps a workflow from running'))
    .input(z.strictObject({ workflow: given(DrawnWorkflow).describe('The workflow; it need not be stored') }))
    .output(answer(WorkflowFindings))
    .query(({ ctx, input }) => validateWorkflow(ctx, input.workflow)),
};
