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
    description: 'Id of a pass through a task, a UUID',
    examples: ['3b7e0f52-8a64-4c1d-9e2f-000000000003'],
  }),
});

const TaskOfJob = z.strictObject({
  jobId: z.string().describe('Id of the job'),
  taskId: z.string().meta({ description: 'Id of the task within its workflow', examples: ['a1b2'] }),
});

const ListedTask = TaskItem.partial().meta({
  id: 'ListedTaskItem',
  description: 'A pass through a task, or the members of it asked for.',
});

const button = z.string().nullable().describe('Text on the button; null: there is none');
const Controller = z.object({
  view: z.string().nullable().describe('Page on which the task is done'),
  incoming: z.record(z.string(), z.unknown()).describe('Values that the task was given'),
  buttons: z.object({ success: button, failure: button }).describe('What finishes the task'),
});

const held = { 409: 'Somebody else has claimed the task, or it does not wait for anybody' } as const;

export const tasks = {
  listTasks: allow(...JOB_READ)
    .meta(
      rest('GET', '/operations-manager/tasks', 'List tasks of jobs', {
        description: 'Every pass through a task that has begun, newest first unless asked for otherwise.',
      }),
    )
    .input(z.strictObject({ queryOptions: filters }))
    .output(answer(Page(ListedTask)))
    .query(({ ctx, input }) => listTasks(ctx, input.queryOptions)),

  countTasks: allow(...JOB_READ)
    .meta(rest('GET', '/operations-manager/tasks/counts', 'How many tasks are in each state'))
    .input(z.strictObject({ queryOptions: filters }))
    .output(
      answer(
        z.object({
          counts: z.record(z.string(), z.int().min(0)).describe('How many there are in each state'),
          total: z.int().min(0).describe('How many there are in all'),
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
    .meta(rest('POST', '/operations-manager/tasks/:taskId/claim', 'Claim a manual task', { refusals: held }))
    .input(OneTask)
    .output(answer(One(TaskItem)))
    .mutation(write(({ ctx, input }) => ownTask(ctx, input.taskId, 'claim'))),

  releaseTask: allow(...JOB_ACT)
    .meta(
      rest('POST', '/operations-manager/tasks/:taskId/release', 'Let go of a manual task', {
        refusals: held,
      }),
    )
    .input(OneTask)
    .output(answer(One(TaskItem)))
    .mutation(write(({ ctx, input }) => ownTask(ctx, input.taskId, 'release'))),

  assignTask: allow(...JOB_ACT)
    .meta(
      rest('POST', '/operations-manager/tasks/:taskId/assign', 'Give a manual task to an account', {
        refusals: held,
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
        'What a person sees of a manual task',
      ),
    )
    .input(TaskOfJob)
    .output(answer(One(Controller)))
    .query(({ ctx, input }) => manualController(ctx, input.jobId, input.taskId)),

  finishTask: allow(...JOB_ACT)
    .meta(
      rest('POST', '/operations-manager/jobs/:jobId/tasks/:taskId/finish', 'Finish a manual task', {
        description:
          'Exactly once. A task that nobody has claimed is claimed by this. One that needs four eyes is denied to whoever started the job, is or was its acting account.',
        refusals: { 409: 'It does not wait for anybody, was finished before, or is claimed by another' },
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
                description: 'What the task gives, by name',
                examples: [{ export: { site: 'oslo' } }],
              }),
          })
          .describe('How the task ends'),
      }),
    )
    .output(answer(One(TaskItem)))
    .mutation(write(({ ctx, input }) => finishTask(ctx, input.jobId, input.taskId, input.taskData))),

  retryTask: allow(...JOB_ACT)
    .meta(
      rest('POST', '/operations-manager/jobs/:jobId/tasks/:taskId/retry', 'Try a task again', {
        description:
          'For a task in error. The job runs on, with the rights of the caller from then on. Values are changed only by its acting account or an admin.',
        refusals: { 409: 'The task is not in error, or the job is over' },
      }),
    )
    .input(
      TaskOfJob.extend({
        variables: z
          .record(z.string(), z.unknown())
          .nullish()
          .meta({
            description: 'Values that replace those given to the task, for this attempt',
            examples: [{ device: 'edge-2' }],
          }),
      }),
    )
    .output(answer(One(Job)))
    .mutation(write(({ ctx, input }) => retryTask(ctx, input.jobId, input.taskId, input.variables ?? {}))),
};
