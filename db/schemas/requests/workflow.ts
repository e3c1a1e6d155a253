import { z } from 'zod';
import { TaskWarning } from '../workflow/job.ts';
import { Workflow } from '../workflow/workflow.ts';

/** A workflow that need not be finished: what is asked about a drawing. */
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

/** Members of a workflow that are to change (contract/lifecycle#5.2). */
export const WorkflowUpdate = Workflow.partial().meta({
  id: 'WorkflowUpdate',
  description: 'Members of a workflow that replace those stored; members that are not given stay.',
  examples: [{ description: 'Upgrades one device' }],
});

/** A workflow of a list, or as much of it as was asked for. */
export const ListedWorkflow = Workflow.partial().meta({
  id: 'ListedWorkflow',
  description: 'A workflow, or those of its members that were asked for.',
});

/** What a validation found (contract/lifecycle#5.2). */
export const WorkflowFindings = z
  .object({
    errors: z.array(TaskWarning).describe('What keeps the workflow from running'),
    warnings: z.array(TaskWarning).describe('What should be looked at before a run'),
  })
  .meta({ id: 'WorkflowFindings', description: 'What was found about a workflow.' });

/** What a run takes and leaves (contract/endpoints#4.23). */
export const WorkflowSchemas = z
  .object({
    inputSchema: z.record(z.string(), z.unknown()).describe('JSON schema of the variables that a run needs'),
    outputSchema: z
      .record(z.string(), z.unknown())
      .describe('JSON schema of the variables that a run leaves'),
  })
  .meta({ id: 'WorkflowSchemas', description: 'The schemas of what a run of a workflow takes and leaves.' });

/** What became of one workflow of an import (contract/lifecycle#5.2). */
export const ImportedWorkflow = z
  .object({
    success: z.boolean().describe('Always true: an import stores all or none'),
    message: z.string().describe('What was done, for a person to read'),
    original: Workflow.describe('The workflow as it came'),
    created: Workflow.describe('The workflow as it is stored'),
  })
  .meta({ id: 'ImportedWorkflow', description: 'What became of one workflow of an import.' });

/** How an import of workflows treats names that are taken. */
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
