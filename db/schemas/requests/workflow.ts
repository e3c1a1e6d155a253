import { z } from 'zod';
import { TaskWarning } from '../workflow/job.ts';
import { Workflow } from '../workflow/workflow.ts';

/** A workflow that may be incomplete, for checks while it is edited. */
export const DrawnWorkflow = Workflow.partial({ name: true, transitions: true }).meta({
  id: 'DrawnWorkflow',
  description: 'A workflow from the canvas; name and transitions may be missing.',
  examples: [
    {
      name: 'IOS upgrade',
      tasks: { workflow_start: { name: 'workflow_start' }, workflow_end: { name: 'workflow_end' } },
      transitions: {
        workflow_start: { workflow_end: { type: 'standard', state: 'success' } },
        workflow_end: {},
      },
    },
  ],
});

/** The fields of a workflow to change (contract/lifecycle#5.2). */
export const WorkflowUpdate = Workflow.partial().meta({
  id: 'WorkflowUpdate',
  description: 'Fields of a workflow that replace stored ones; fields that are not given are kept.',
  examples: [{ description: 'Upgrades one device' }],
});

/** A workflow in a list, or the requested fields of it. */
export const ListedWorkflow = Workflow.partial().meta({
  id: 'ListedWorkflow',
  description: 'A workflow, or its requested fields.',
});

/** The findings of a validation (contract/lifecycle#5.2). */
export const WorkflowFindings = z
  .object({
    errors: z.array(TaskWarning).describe('Errors that prevent the workflow from running'),
    warnings: z.array(TaskWarning).describe('Warnings to check before a run'),
  })
  .meta({ id: 'WorkflowFindings', description: 'The findings about a workflow.' });

/** The input and output of a run, as JSON schemas (contract/endpoints#4.23). */
export const WorkflowSchemas = z
  .object({
    inputSchema: z.record(z.string(), z.unknown()).describe('JSON schema of the input variables of a run'),
    outputSchema: z.record(z.string(), z.unknown()).describe('JSON schema of the output variables of a run'),
  })
  .meta({ id: 'WorkflowSchemas', description: 'The input and output schemas of a workflow.' });

/** The outcome for one workflow of an import (contract/lifecycle#5.2). */
export const ImportedWorkflow = z
  .object({
    success: z.boolean().describe('Always true: an import stores all or none'),
    message: z.string().describe('What was done, in words'),
    original: Workflow.describe('The submitted workflow'),
    created: Workflow.describe('The stored workflow'),
  })
  .meta({ id: 'ImportedWorkflow', description: 'The result for one workflow of an import.' });

/** How an import of workflows treats names that are in use. */
export const WorkflowImportOptions = z
  .strictObject({
    overwrite: z
      .boolean()
      .nullish()
      .describe(
        'True replaces the global workflow with the same id or name, which keeps its id; absent: rejected',
      ),
  })
  .nullish()
  .describe('How to import');
