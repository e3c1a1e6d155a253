import { z } from 'zod';
import { numberOrNull, record, text, textOrNull, texts } from '../fields.ts';
import { FinishState, TaskStatus } from './task.ts';

/** One iteration of a task of a job, as a separate document (contract/lifecycle#6.4). */
export const TaskItem = z
  .looseObject({
    _id: z.string().meta({
      description: 'Id of this iteration of the task, a UUID',
      examples: ['3b7e0f52-8a64-4c1d-9e2f-000000000003'],
    }),
    name: z.string().meta({ description: 'Operation that the task calls', examples: ['ViewData'] }),
    app: textOrNull('Application of the operation', 'WorkFlowEngine'),
    type: z.string().meta({ description: 'operation, automatic or manual', examples: ['manual'] }),
    location: textOrNull('Where the operation runs', 'Application'),
    view: textOrNull('Page for the manual task', '/workflow_engine/task/ViewData'),
    status: TaskStatus,
    summary: text('Short title', 'Enough memory?'),
    description: text('What the task does'),
    variables: z
      .looseObject({
        incoming: record('Input values of the task, by name'),
        outgoing: record('Results of the task, by name'),
      })
      .optional()
      .describe('Inputs and outputs'),
    job: z
      .looseObject({
        _id: z.string().describe('Id of the job'),
        name: z.string().describe('Name of the workflow that runs'),
        task: z.string().describe('Id of the task within the workflow'),
      })
      .describe('Job of the task'),
    metrics: z
      .looseObject({
        start_time: numberOrNull('Start of this iteration, in milliseconds since 1970', 1767225600000),
        end_time: numberOrNull(
          'End of this iteration, in milliseconds since 1970; null before',
          1767225660000,
        ),
        owner: textOrNull('Id of the account that has claimed the task'),
        user: textOrNull('Id of the account that finished the task'),
        finish_state: FinishState.nullable().optional().describe('Finish state; null before the end'),
      })
      .describe('Times and accounts'),
    groups: texts('Ids of the groups whose members may finish the task; none: every account with the role'),
  })
  .meta({ id: 'TaskItem', description: 'An iteration of a task of a job.' });
export type TaskItem = z.infer<typeof TaskItem>;
