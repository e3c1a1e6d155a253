import { z } from 'zod';
import { TaskWarning } from '../workflow/job.ts';
import { Workflow } from '../workflow/workflow.ts';

/** A workflow that may be incomplete, for checks while it is edited. */
export const DrawnWorkflow = Workflow.partial({ name: true, transitions: true }).meta({
  id: 'DrawnWorkflow',
  description: 'A workflow as it stands on the canvas; name and transitions may be missing.',
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
  description: 'Members of a workflow that replace those stored; members that are not given stay.',
  examples: [{ description: 'Upgrades one device' }],
});

/** A workflow in a list, or the requested fields of it. */
export const ListedWorkflow = Workflow.partial().meta({
  id: 'ListedWorkflow',
  description: 'A workflow, or those of its members that were asked for.',
});

/** The findings of a validation (contract/lifecycle#5.2). */
export const WorkflowFindings = z
  .object({
    errors: z.array(TaskWarning).describe('What keeps the workflow from running'),
    warnings: z.array(TaskWarning).describe('What should be looked at before a run'),
  })
  .meta({ id: 'WorkflowFindings', description: 'What was found about a workflow.' });

/** The input and output of a run, as JSON schemas (contract/endpoints#4.23). */
export const WorkflowSchemas = z
  .object({
    inputSchema: z.record(z.string(), z.unknown()).describe('JSON schema of the variables that a run needs'),
    outputSchema: z
      .record(z.string(), z.unknown())
      .describe('JSON schema of the variables that a run leaves'),
  })
  .meta({ id: 'WorkflowSchemas', description: 'The schemas of what a run of a workflow takes and leaves.' });

/** The outcome for one workflow of an import (contract/lifecycle#5.2). */
export const ImportedWorkflow = z
  .object({
    success: z.boolean().describe('Always true: an import stores all or none'),
    message: z.string().describe('What was done, for a person to read'),
    original: Workflow.describe('The workflow as it came'),
    created: Workflow.describe('The workflow as it is stored'),
  })
  .meta({ id: 'ImportedWorkflow', description: 'What became of one workflow of an import.' });

/** How an import of workflows treats names that are in use. */
export const WorkflowImportOptions = z
  .strictObject({
    overwrite: z
      .boolean()
      .nullish()
      .describe(
        'True replaces the global workflow of the same id or name, which keeps its id; absent: refused',
      ),
  })
  .nullish()
  .describe('How to import');
