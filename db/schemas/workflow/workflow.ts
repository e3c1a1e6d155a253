import { z } from 'zod';
import { number, record, text, textOrNull } from '../fields.ts';
import { Author, Namespace, TagReference, Timestamp } from '../primitives.ts';
import { TaskWarning } from './job.ts';
import { Decorator, ErrorHandler, GroupReference, Tasks } from './task.ts';

/** An edge of the graph (contract/decisions#5), followed when the task that it leaves finishes in its state. */
export const Transition = z
  .looseObject({
    type: z.enum(['standard', 'revert']).describe('standard continues; revert returns to an earlier task'),
    state: z
      .enum(['success', 'failure', 'error', 'loop'])
      .describe('Finish state of this transition; loop leads into the body of a loop'),
  })
  .meta({ id: 'Transition', description: 'A transition from one task to another.' });
export type Transition = z.infer<typeof Transition>;

/** A workflow (contract/resources#2.17, contract/lifecycle#5.2). */
export const Workflow = z
  .looseObject({
    _id: text('Id of the workflow, a UUID', '7c1e4f0a-2b3c-4d5e-8f90-a1b2c3d4e5f6'),
    name: z.string().meta({
      description: 'Name of the workflow, unique; one that belongs to a project begins with @<projectId>: ',
      examples: ['IOS upgrade'],
    }),
    type: text('Kind of workflow', 'automation'),
    description: textOrNull('Description of the workflow'),
    tasks: Tasks,
    transitions: z
      .record(z.string(), z.record(z.string(), Transition))
      .describe('Transitions: id of the source task, id of the target task, transition'),
    groups: z.array(GroupReference).optional().describe('Groups whose members may see and run the workflow'),
    errorHandler: ErrorHandler.optional(),
    font_size: number('Size of texts on the canvas, in points', 12),
    created: Timestamp.optional().describe('When the workflow was stored'),
    created_by: Author.optional().describe('Author of the workflow'),
    last_updated: Timestamp.optional().describe('When the workflow last changed'),
    last_updated_by: Author.optional().describe('Last editor of the workflow'),
    createdVersion: text('Version of the platform with which the workflow was created', '2026.1.0'),
    lastUpdatedVersion: text('Version of the platform with which the workflow was last changed', '2026.1.0'),
    tags: z.array(TagReference).optional().describe('Labels of the workflow'),
    canvasVersion: number('Revision of the canvas format', 3),
    encodingVersion: number('Revision of the encoding', 1),
    migrationVersion: number('Revision of the storage format', 3),
    decorators: z.array(Decorator).optional().describe('Values of the workflow that are encrypted'),
    inputSchema: record('JSON schema of the input of a run, calculated from the tasks'),
    outputSchema: record('JSON schema of the output of a run, calculated from the tasks'),
    preAutomationTime: number('Time of the same work done manually, in milliseconds', 5400000),
    sla: number('Time limit of a run, in milliseconds; 0: no limit', 900000),
    namespace: Namespace.optional(),
    errors: z
      .array(TaskWarning)
      .optional()
      .describe(
        'Errors that prevent the workflow from running; a workflow with errors is a draft and cannot be started',
      ),
    warnings: z.array(TaskWarning).optional().describe('Warnings to check before a run'),
  })
  .meta({ id: 'Workflow', description: 'A workflow: tasks, and the transitions between them.' });
export type Workflow = z.infer<typeof Workflow>;
