import { z } from 'zod';
import { members, numberOrNull, text, textOrNull, texts } from '../fields.ts';
import { FinishState, TaskStatus } from './task.ts';

/** One iteration of a task of a job, as a separate document (contract/lifecycle#6.4). */
export const TaskItem = z
  .looseObject({
    _id: z.string().meta({
      description: 'Id of this pass through the task, a UUID',
      examples: ['3b7e0f52-8a64-4c1d-9e2f-000000000003'],
    }),
    name: z.string().meta({ description: 'Operation that the task calls', examples: ['ViewData'] }),
    app: textOrNull('Application that brings the operation', 'WorkFlowEngine'),
    type: z.string().meta({ description: 'operation, automatic or manual', examples: ['manual'] }),
    location: textOrNull('Where the operation runs', 'Application'),
    view: textOrNull('Page on which a person does the task', '/workflow_engine/task/ViewData'),
    status: TaskStatus,
    summary: text('Short title', 'Enough memory?'),
    description: text('What the task does'),
    variables: z
      .looseObject({
        incoming: members('Values that the task was given, by name'),
        outgoing: members('What it gave, by name'),
      })
      .optional()
      .describe('Inputs and outputs'),
    job: z
      .looseObject({
        _id: z.string().describe('Id of the job'),
        name: z.string().describe('Name of the workflow that runs'),
        task: z.string().describe('Id of the task within the workflow'),
      })
      .describe('The job that the task is of'),
    metrics: z
      .looseObject({
        start_time: numberOrNull('When this pass began, in milliseconds since 1970', 1767225600000),
        end_time: numberOrNull('When it ended, in milliseconds since 1970; null before', 1767225660000),
        owner: textOrNull('Id of the account that has claimed the task'),
        user: textOrNull('Id of the account that finished the task'),
        finish_state: FinishState.nullable().optional().describe('How it ended; null before'),
      })
      .describe('Times and people'),
    groups: texts('Ids of the groups whose members may work on the task; none: everybody who may work here'),
  })
  .meta({ id: 'TaskItem', description: 'A pass through a task of a job.' });
export type TaskItem = z.infer<typeof TaskItem>;
