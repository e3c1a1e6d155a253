import { z } from 'zod';
import { projectedQuery } from '#db/schemas/query-options.ts';
import { Job, JobStatus } from '#db/schemas/workflow/job.ts';
import { GroupReference, Task } from '#db/schemas/workflow/task.ts';
import {
  addWatchers,
  changeGroups,
  command,
  continueJob,
  countJobs,
  deleteJobs,
  getJob,
  getLargeData,
  listJobs,
  revertJob,
  startByName,
  watchJobs,
} from '#server/domains/workflow/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { ADMIN, JOB_ACT, JOB_READ, JOB_START } from '#server/kernel/roles.ts';
import { One, Page } from './answers.ts';

const jobId = z.string().meta({ description: 'Id of the job', examples: ['65f0c1d2e3a4b5c6d7e8f901'] });
const OneJob = z.strictObject({ jobId });
const jobIds = z
  .array(jobId)
  .min(1)
  .max(1000)
  .meta({ description: 'Ids of the jobs', examples: [['65f0c1d2e3a4b5c6d7e8f901']] });
const ManyJobs = z.strictObject({ jobIds });

const taskId = (description: string) => z.string().meta({ description, examples: ['a1b2'] });

const filters = projectedQuery().prefault({}).describe('Filters, page, order and projection');

/** A job in a list, which may lack fields. */
const ListedJob = Job.partial()
  .extend({ tasks: z.record(z.string(), Task.partial()).optional().describe('Its tasks, by their ids') })
  .meta({ id: 'ListedJob', description: 'A job, or its requested fields.' });

const ByJob = z
  .record(
    z.string(),
    z.object({
      status: JobStatus.optional().describe('State of the job after the call'),
      error: z.string().optional().describe('Why the job was not changed'),
    }),
  )
  .describe('Result for each job, by id');

const Watched = z.array(
  z.object({ _id: jobId, watchers: z.array(z.string()).describe('Ids of the accounts that watch the job') }),
);

const Deleted = z.array(
  z.object({
    _id: jobId,
    status: z.enum(['deleted', 'ignored']).describe('ignored: the job has not finished, or is a child job'),
  }),
);

const Counts = z.object({
  counts: z.record(z.string(), z.int().min(0)).describe('Number in each state'),
  total: z.int().min(0).describe('Total number'),
});

const groups = z
  .array(GroupReference)
  .max(1000)
  .meta({ description: 'Ids of groups', examples: [['65f0c1d2e3a4b5c6d7e8f902']] });

const failing = (verb: string) => ({
  500: `Nothing was done: \`Failed to ${verb} all jobs\`; \`data\` has the reasons by job id`,
});

export const jobs = {
  startJob: allow(...JOB_START)
    .meta(
      rest('POST', '/operations-manager/jobs/start', 'Start a workflow by its name', {
        aliases: ['/operations_manager/jobs/start'],
        description: 'Returns as soon as the job is stored. Members of a project need the right to execute.',
        errorResponses: { 409: 'The workflow is a draft: its errors are the issues' },
      }),
    )
    .input(
      z.strictObject({
        workflow: z.string().meta({
          description: 'Name of the workflow; one of a project begins with @<projectId>: ',
          examples: ['IOS upgrade'],
        }),
        options: z
          .strictObject({
            description: z.string().max(10_000).nullish().describe('Description of this run'),
            type: z.string().max(100).nullish().describe('Kind of run; absent: automation'),
            variables: z
              .record(z.string(), z.unknown())
              .nullish()
              .meta({
                description: 'Input values of the workflow, by name',
                examples: [{ device: 'edge-1' }],
              }),
            groups: groups.nullish().describe('Groups that can see the job'),
          })
          .nullish()
          .describe('Options of the job'),
      }),
    )
    .output(answer(One(Job)))
    .mutation(write(({ ctx, input }) => startByName(ctx, input))),

  listJobs: allow(...JOB_READ)
    .meta(
      rest('GET', '/operations-manager/jobs', 'List jobs', {
        description:
          'Newest first unless another order is requested; without tasks unless they are included by name.',
      }),
    )
    .input(z.strictObject({ queryOptions: filters }))
    .output(answer(Page(ListedJob)))
    .query(({ ctx, input }) => listJobs(ctx, input.queryOptions)),

  countJobs: allow(...JOB_READ)
    .meta(rest('GET', '/operations-manager/jobs/counts', 'Count jobs by state'))
    .input(z.strictObject({ queryOptions: filters }))
    .output(answer(Counts))
    .query(({ ctx, input }) => countJobs(ctx, input.queryOptions)),

  getJob: allow(...JOB_READ)
    .meta(rest('GET', '/operations-manager/jobs/:jobId', 'Read a job'))
    .input(
      OneJob.extend({
        queryOptions: z
          .strictObject({
            include: z.string().optional().describe('Fields to return, separated by commas'),
            exclude: z.string().optional().describe('Fields to omit, separated by commas'),
          })
          .prefault({})
          .describe('Projection'),
      }),
    )
    .output(answer(One(ListedJob)))
    .query(({ ctx, input }) => getJob(ctx, input.jobId, input.queryOptions)),

  cancelJobs: allow(...JOB_ACT)
    .meta(
      rest('POST', '/operations-manager/jobs/cancel', 'Cancel jobs', { errorResponses: failing('cancel') }),
    )
    .input(ManyJobs)
    .output(answer(One(ByJob)))
    .mutation(write(({ ctx, input }) => command(ctx, 'cancel', input.jobIds))),

  pauseJobs: allow(...JOB_ACT)
    .meta(rest('POST', '/operations-manager/jobs/pause', 'Pause jobs', { errorResponses: failing('pause') }))
    .input(ManyJobs)
    .output(answer(One(ByJob)))
    .mutation(write(({ ctx, input }) => command(ctx, 'pause', input.jobIds))),

  resumeJobs: allow(...JOB_ACT)
    .meta(
      rest('POST', '/operations-manager/jobs/resume', 'Resume jobs', { errorResponses: failing('resume') }),
    )
    .input(ManyJobs)
    .output(answer(One(ByJob)))
    .mutation(write(({ ctx, input }) => command(ctx, 'resume', input.jobIds))),

  deleteJob: allow(...ADMIN)
    .meta(
      rest('DELETE', '/operations-manager/jobs/:jobId', 'Delete a finished job', {
        description: 'Its child jobs, tasks and values are deleted as well.',
      }),
    )
    .input(OneJob)
    .output(answer(One(Deleted)))
    .mutation(write(({ ctx, input }) => deleteJobs(ctx, [input.jobId]))),

  deleteJobs: allow(...ADMIN)
    .meta(rest('POST', '/operations-manager/jobs/delete', 'Delete finished jobs'))
    .input(ManyJobs)
    .output(answer(One(Deleted)))
    .mutation(write(({ ctx, input }) => deleteJobs(ctx, input.jobIds))),

  continueJob: allow(...JOB_ACT)
    .meta(
      rest('POST', '/operations-manager/jobs/:jobId/continue', 'Continue a job at a task', {
        description:
          'The tasks before it are treated as done. From then on the job has the rights of the caller.',
        errorResponses: { 409: 'The job has finished, or the task is running or done' },
      }),
    )
    .input(OneJob.extend({ fromTask: taskId('Id of the task at which to continue') }))
    .output(answer(One(Job)))
    .mutation(write(({ ctx, input }) => continueJob(ctx, input.jobId, input.fromTask))),

  revertJob: allow(...JOB_ACT)
    .meta(
      rest('POST', '/operations-manager/jobs/:jobId/revert', 'Revert a job to an earlier task', {
        description: 'The tasks between run again. From then on the job has the rights of the caller.',
        errorResponses: {
          409: 'The job has finished, the task has not started, or the other task does not precede it',
        },
      }),
    )
    .input(
      OneJob.extend({
        fromTask: taskId('Id of the task from which to revert'),
        toTask: taskId('Id of the task to which to revert'),
      }),
    )
    .output(answer(One(Job)))
    .mutation(write(({ ctx, input }) => revertJob(ctx, input.jobId, input))),

  watchJob: allow(...JOB_READ)
    .meta(rest('POST', '/operations-manager/jobs/:jobId/watch', 'Watch a job'))
    .input(OneJob)
    .output(answer(One(Watched)))
    .mutation(write(({ ctx, input }) => watchJobs(ctx, [input.jobId], true))),

  unwatchJob: allow(...JOB_READ)
    .meta(rest('POST', '/operations-manager/jobs/:jobId/unwatch', 'Stop watching a job'))
    .input(OneJob)
    .output(answer(One(Watched)))
    .mutation(write(({ ctx, input }) => watchJobs(ctx, [input.jobId], false))),

  watchJobs: allow(...JOB_READ)
    .meta(rest('POST', '/operations-manager/jobs/watch', 'Watch jobs'))
    .input(ManyJobs)
    .output(answer(One(Watched)))
    .mutation(write(({ ctx, input }) => watchJobs(ctx, input.jobIds, true))),

  unwatchJobs: allow(...JOB_READ)
    .meta(rest('POST', '/operations-manager/jobs/unwatch', 'Stop watching jobs'))
    .input(ManyJobs)
    .output(answer(One(Watched)))
    .mutation(write(({ ctx, input }) => watchJobs(ctx, input.jobIds, false))),

  addJobWatchers: allow(...JOB_READ)
    .meta(rest('POST', '/operations-manager/jobs/:jobId/add-watchers', 'Add watchers to a job'))
    .input(
      OneJob.extend({
        watchers: z
          .array(z.string())
          .max(1000)
          .meta({ description: 'Ids of the accounts', examples: [['65f0c1d2e3a4b5c6d7e8f903']] }),
      }),
    )
    .output(answer(One(Watched)))
    .mutation(write(({ ctx, input }) => addWatchers(ctx, input.jobId, input.watchers))),

  addJobGroups: allow(...JOB_ACT)
    .meta(rest('POST', '/operations-manager/jobs/:jobId/groups', 'Add groups that can see a job'))
    .input(OneJob.extend({ groups }))
    .output(
      answer(One(z.array(z.string()).describe('Ids of the groups that can see the job after the call'))),
    )
    .mutation(write(({ ctx, input }) => changeGroups(ctx, input.jobId, 'add', input.groups))),

  setJobGroups: allow(...JOB_ACT)
    .meta(rest('PUT', '/operations-manager/jobs/:jobId/groups', 'Set which groups can see a job'))
    .input(OneJob.extend({ groups }))
    .output(
      answer(One(z.array(z.string()).describe('Ids of the groups that can see the job after the call'))),
    )
    .mutation(write(({ ctx, input }) => changeGroups(ctx, input.jobId, 'set', input.groups))),

  clearJobGroups: allow(...JOB_ACT)
    .meta(
      rest(
        'DELETE',
        '/operations-manager/jobs/:jobId/groups',
        'Remove all groups of a job, so that everyone with the role can see it',
      ),
    )
    .input(OneJob)
    .output(answer(One(z.array(z.string()).describe('Always empty'))))
    .mutation(write(({ ctx, input }) => changeGroups(ctx, input.jobId, 'set', []))),

  removeJobGroup: allow(...JOB_ACT)
    .meta(rest('DELETE', '/operations-manager/jobs/:jobId/groups/:groupId', 'Remove a group of a job'))
    .input(OneJob.extend({ groupId: z.string().describe('Id of the group') }))
    .output(
      answer(One(z.array(z.string()).describe('Ids of the groups that can see the job after the call'))),
    )
    .mutation(write(({ ctx, input }) => changeGroups(ctx, input.jobId, 'remove', [input.groupId]))),

  getLargeData: allow(...JOB_READ)
    .meta(
      rest('GET', '/operations-manager/large-data/:id', 'A separately stored value of a job', {
        description: 'Values over 1 MiB appear in their job as `{"$largeData": "<id>", "size": n}`.',
      }),
    )
    .input(z.strictObject({ id: z.string().describe('Id of the value') }))
    .output(answer(z.unknown().describe('The value')))
    .query(({ ctx, input }) => getLargeData(ctx, input.id)),
};
