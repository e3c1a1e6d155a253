import { z } from 'zod';
import { listQuery } from '#db/schemas/query-options.ts';
import { JobMetrics, TaskMetrics, WorkersStatus } from '#db/schemas/workflow/worker.ts';
import {
  listJobMetrics,
  listTaskMetrics,
  readWorkersStatus,
  switchWorker,
  tryEvaluation,
  tryQuery,
} from '#server/domains/workflow/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, router, write } from '#server/kernel/procedures.ts';
import { ADMIN, JOB_READ, WORKFLOW_READ } from '#server/kernel/roles.ts';

const Nothing = z.strictObject({});
const Switched = z.object({
  status: z.literal('success'),
  message: z.string().meta({ examples: ['Successfully deactivated the job worker'] }),
});
const ListMetrics = z.strictObject({ queryOptions: listQuery({}).optional() });

const HELD =
  'Takes effect in all processes within a second and survives restarts; doing it twice changes nothing.';

export const workflowEngine = router({
  getWorkersStatus: allow(...JOB_READ)
    .meta(rest('GET', '/workflow_engine/workers/status', 'State of the workers'))
    .input(Nothing)
    .output(answer(WorkersStatus))
    .query(({ ctx }) => readWorkersStatus(ctx)),

  activateTaskWorker: allow(...ADMIN)
    .meta(
      rest('POST', '/workflow_engine/activate', 'Activate the task worker', {
        description: `Tasks that were held start. ${HELD}`,
      }),
    )
    .input(Nothing)
    .output(answer(Switched))
    .mutation(write(({ ctx }) => switchWorker(ctx, 'task', true))),

  deactivateTaskWorker: allow(...ADMIN)
    .meta(
      rest('POST', '/workflow_engine/deactivate', 'Deactivate the task worker', {
        description: `Running tasks are finished; no other task starts. ${HELD}`,
      }),
    )
    .input(Nothing)
    .output(answer(Switched))
    .mutation(write(({ ctx }) => switchWorker(ctx, 'task', false))),

  activateJobWorker: allow(...ADMIN)
    .meta(
      rest('POST', '/workflow_engine/jobWorker/activate', 'Activate the job worker', {
        description: `Jobs that were held start. ${HELD}`,
      }),
    )
    .input(Nothing)
    .output(answer(Switched))
    .mutation(write(({ ctx }) => switchWorker(ctx, 'job', true))),

  deactivateJobWorker: allow(...ADMIN)
    .meta(
      rest('POST', '/workflow_engine/jobWorker/deactivate', 'Deactivate the job worker', {
        description: `Running jobs continue; new jobs are stored and wait. ${HELD}`,
      }),
    )
    .input(Nothing)
    .output(answer(Switched))
    .mutation(write(({ ctx }) => switchWorker(ctx, 'job', false))),

  listJobMetrics: allow(...JOB_READ)
    .meta(rest('GET', '/workflow_engine/jobs/metrics', 'Metrics of completed jobs, by workflow'))
    .input(ListMetrics)
    .output(answer(z.object({ results: z.array(JobMetrics), total: z.int() })))
    .query(({ ctx, input }) => listJobMetrics(ctx, input.queryOptions ?? {})),

  listTaskMetrics: allow(...JOB_READ)
    .meta(rest('GET', '/workflow_engine/tasks/metrics', 'Metrics of tasks, by task'))
    .input(ListMetrics)
    .output(answer(z.object({ results: z.array(TaskMetrics), total: z.int() })))
    .query(({ ctx, input }) => listTaskMetrics(ctx, input.queryOptions ?? {})),

  runEvaluationGroups: allow(...WORKFLOW_READ)
    .meta({
      ...rest('POST', '/workflow_engine/runEvaluationGroups', 'Test the comparisons of an evaluation task', {
        aliases: ['/workflow_engine/runEvaluationGroup'],
      }),
    })
    .input(
      z.strictObject({
        evaluation_groups: z.array(z.record(z.string(), z.unknown())).meta({
          description:
            'Groups of comparisons as the evaluation task has them; operands are values, or `{"task":"static","variable":value}`',
          examples: [
            [
              {
                evaluations: [{ operand_1: 16, operator: '>=', operand_2: { task: 'static', variable: 8 } }],
              },
            ],
          ],
        }),
        all_true_flag: z
          .boolean()
          .nullish()
          .describe('Whether every group must be met; absent: one is enough'),
      }),
    )
    .output(
      answer(
        z.object({
          return_value: z.boolean().describe('Whether the groups are met'),
          details: z
            .array(
              z.array(
                z.object({
                  left: z.unknown(),
                  operator: z.string(),
                  right: z.unknown(),
                  result: z.boolean(),
                }),
              ),
            )
            .describe('Each comparison with the compared values, by group'),
        }),
      ),
    )
    .query(({ input }) =>
      tryEvaluation({ groups: input.evaluation_groups, all: input.all_true_flag ?? false }),
    ),

  query: allow(...WORKFLOW_READ)
    .meta(rest('POST', '/workflow_engine/query', 'Test the query of a query task'))
    .input(
      z.strictObject({
        query: z
          .string()
          .meta({ description: 'The query (docs/tasks.md)', examples: ['interfaces[0].name'] }),
        obj: z.unknown().meta({
          description: 'The value to search',
          examples: [{ interfaces: [{ name: 'Gi0/1' }] }],
        }),
        pass_on_null: z.boolean().nullish().describe('Has no effect; accepted because clients send it'),
        job_id: z.string().nullish().describe('Has no effect; accepted because clients send it'),
      }),
    )
    .output(answer(z.object({ return_data: z.unknown().describe('The value found; null: nothing') })))
    .query(({ input: { query, obj } }) => tryQuery({ query, obj })),
});
