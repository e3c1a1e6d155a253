import { z } from 'zod';
import { DetailedTask, ListedTask } from '#db/schemas/workflow/task-type.ts';
import { getTaskType, listTaskTypes } from '#server/domains/workflow/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest } from '#server/kernel/procedures.ts';
import { WORKFLOW_READ } from '#server/kernel/roles.ts';
import { dereferenceSchemas } from '../automation_studio/tasks.ts';

export const tasks = {
  listTasks: allow(...WORKFLOW_READ)
    .meta(rest('GET', '/workflow_builder/tasks/list', 'The tasks that the caller may use in workflows'))
    .input(
      z.strictObject({
        app: z
          .string()
          .optional()
          .meta({
            description: 'Only the tasks of this application or adapter type',
            examples: ['WorkFlowEngine'],
          }),
      }),
    )
    .output(answer(z.array(ListedTask)))
    .query(({ ctx, input }) => listTaskTypes(ctx, input.app)),

  getTaskDetails: allow(...WORKFLOW_READ)
    .meta(rest('GET', '/workflow_builder/getTaskDetails/:app/:task', 'One task, with its schemas'))
    .input(
      z.strictObject({
        app: z.string().describe('Application or adapter type of the task'),
        task: z.string().describe('Name of the task'),
        dereferenceSchemas,
      }),
    )
    .output(answer(DetailedTask))
    .query(({ ctx, input }) => getTaskType(ctx, input.app, input.task)),
};
