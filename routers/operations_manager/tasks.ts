import { z } from 'zod';
import { projectedQuery } from '#db/schemas/query-options.ts';
import { Job } from '#db/schemas/workflow/job.ts';
import { TaskItem } from '#db/schemas/workflow/task-item.ts';
import {
  countTasks,
  finishTask,
  getTask,
  listTasks,
  manualController,
  ownTask,
  retryTask,
} from '#server/domains/workflow/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { JOB_ACT, JOB_READ } from '#server/kernel/roles.ts';
import { One, Page } from './answers.ts';

const filters = projectedQuery().prefault({}).describe('Filters, page, order and projection');

const OneTask = z.strictObject({
  taskId: z.string().meta({
    description: 'Id of an iteration of a task, a UUID',
    examples: ['3b7e0f52-8a64-4c1d-9e2f-000000000003'],
  }),
});

const TaskOfJob = z.strictObject({
  jobId: z.string().describe('Id of the job'),
  taskId: z.string().meta({ description: 'Id of the task within its workflow', examples: ['a1b2'] }),
});

const ListedTask = TaskItem.partial().meta({
  id: 'ListedTaskItem',
  description: 'An iteration of a task, or its requested fields.',
});

const button = z.string().nullable().describe('Text on the button; null: no button');
const Controller = z.object({
  view: z.string().nullable().describe('Page on which the task is done'),
  incoming: z.record(z.string(), z.unknown()).describe('Input values of the task'),
  buttons: z.object({ success: button, failure: button }).describe('Buttons that finish the task'),
});

const held = { 409: 'Another account has claimed the task, or it is not waiting for a user' } as const;

export const tasks = {
  listTasks: allow(...JOB_READ)
    .meta(
      rest('GET', '/operations-manager/tasks', 'List tasks of jobs', {
        description:
          'Every iteration of a task that has started, newest first unless another order is requested.',
      }),
    )
    .input(z.strictObject({ queryOptions: filters }))
    .output(answer(Page(ListedTask)))
    .query(({ ctx, input }) => listTasks(ctx, input.queryOptions)),

  countTasks: allow(...JOB_READ)
    .meta(rest('GET', '/operations-manager/tasks/counts', 'Count tasks by state'))
    .input(z.strictObject({ queryOptions: filters }))
    .output(
      answer(
        z.object({
          counts: z.record(z.string(), z.int().min(0)).describe('Number in each state'),
          total: z.int().min(0).describe('Total number'),
        }),
      ),
    )
    .query(({ ctx, input }) => countTasks(ctx, input.queryOptions)),

  getTask: allow(...JOB_READ)
    .meta(rest('GET', '/operations-manager/tasks/:taskId', 'Read a task of a job'))
    .input(OneTask)
    .output(answer(One(TaskItem)))
    .query(({ ctx, input }) => getTask(ctx, input.taskId)),

  claimTask: allow(...JOB_ACT)
    .meta(
      rest('POST', '/operations-manager/tasks/:taskId/claim', 'Claim a manual task', {
        errorResponses: held,
      }),
    )
    .input(OneTask)
    .output(answer(One(TaskItem)))
    .mutation(write(({ ctx, input }) => ownTask(ctx, input.taskId, 'claim'))),

  releaseTask: allow(...JOB_ACT)
    .meta(
      rest('POST', '/operations-manager/tasks/:taskId/release', 'Release a manual task', {
        errorResponses: held,
      }),
    )
    .input(OneTask)
    .output(answer(One(TaskItem)))
    .mutation(write(({ ctx, input }) => ownTask(ctx, input.taskId, 'release'))),

  assignTask: allow(...JOB_ACT)
    .meta(
      rest('POST', '/operations-manager/tasks/:taskId/assign', 'Assign a manual task to an account', {
        errorResponses: held,
      }),
    )
    .input(
      OneTask.extend({
        userId: z.string().meta({ description: 'Id of the account', examples: ['65f0c1d2e3a4b5c6d7e8f903'] }),
      }),
    )
    .output(answer(One(TaskItem)))
    .mutation(write(({ ctx, input }) => ownTask(ctx, input.taskId, 'assign', input.userId))),

  getManualController: allow(...JOB_READ)
    .meta(
      rest(
        'GET',
        '/operations-manager/jobs/:jobId/tasks/:taskId/manual-controller',
        'The view of a manual task for users',
      ),
    )
    .input(TaskOfJob)
    .output(answer(One(Controller)))
    .query(({ ctx, input }) => manualController(ctx, input.jobId, input.taskId)),

  finishTask: allow(...JOB_ACT)
    .meta(
      rest('POST', '/operations-manager/jobs/:jobId/tasks/:taskId/finish', 'Finish a manual task', {
        description:
          'A task can be finished once. An unclaimed task is claimed by the call. A task that needs four eyes is denied to the account that started the job, and to its present and former acting accounts.',
        errorResponses: {
          409: 'The task is not waiting for a user, has already been finished, or is claimed by another account',
        },
      }),
    )
    .input(
      TaskOfJob.extend({
        taskData: z
          .strictObject({
            finish_state: z.enum(['success', 'failure']).describe('The button that was pressed'),
            variables: z
              .record(z.string(), z.unknown())
              .nullish()
              .meta({
                description: 'Results of the task, by name',
                examples: [{ export: { site: 'oslo' } }],
              }),
          })
          .describe('Finish state of the task'),
      }),
    )
    .output(answer(One(TaskItem)))
    .mutation(write(({ ctx, input }) => finishTask(ctx, input.jobId, input.taskId, input.taskData))),

  retryTask: allow(...JOB_ACT)
    .meta(
      rest('POST', '/operations-manager/jobs/:jobId/tasks/:taskId/retry', 'Retry a task', {
        description:
          'For a task in error. The job continues, with the rights of the caller from then on. Only its acting account or an admin may change values.',
        errorResponses: { 409: 'The task is not in error, or the job has finished' },
      }),
    )
    .input(
      TaskOfJob.extend({
        variables: z
          .record(z.string(), z.unknown())
          .nullish()
          .meta({
            description: 'Values that replace inputs of the task, for this attempt',
            examples: [{ device: 'edge-2' }],
          }),
      }),
    )
    .output(answer(One(Job)))
    .mutation(write(({ ctx, input }) => retryTask(ctx, input.jobId, input.taskId, input.variables ?? {}))),
};
