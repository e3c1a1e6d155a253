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
      rest('POST', '/workflow_engine/activate', 'Let tasks be executed again', {
        description: `What was held begins. ${HELD}`,
      }),
    )
    .input(Nothing)
    .output(answer(Switched))
    .mutation(write(({ ctx }) => switchWorker(ctx, 'task', true))),

  deactivateTaskWorker: allow(...ADMIN)
    .meta(
      rest('POST', '/workflow_engine/deactivate', 'Begin no more tasks', {
        description: `Tasks that run are finished; no other task begins. ${HELD}`,
      }),
    )
    .input(Nothing)
    .output(answer(Switched))
    .mutation(write(({ ctx }) => switchWorker(ctx, 'task', false))),

  activateJobWorker: allow(...ADMIN)
    .meta(
      rest('POST', '/workflow_engine/jobWorker/activate', 'Let jobs begin again', {
        description: `Jobs that were held begin. ${HELD}`,
      }),
    )
    .input(Nothing)
    .output(answer(Switched))
    .mutation(write(({ ctx }) => switchWorker(ctx, 'job', true))),

  deactivateJobWorker: allow(...ADMIN)
    .meta(
      rest('POST', '/workflow_engine/jobWorker/deactivate', 'Begin no more jobs', {
        description: `Jobs that run go on; new ones are stored and wait. ${HELD}`,
      }),
    )
    .input(Nothing)
    .output(answer(Switched))
    .mutation(write(({ ctx }) => switchWorker(ctx, 'job', false))),

  listJobMetrics: allow(...JOB_READ)
    .meta(rest('GET', '/workflow_engine/jobs/metrics', 'What completed jobs took, by workflow'))
    .input(ListMetrics)
    .output(answer(z.object({ results: z.array(JobMetrics), total: z.int() })))
    .query(({ ctx, input }) => listJobMetrics(ctx, input.queryOptions ?? {})),

  listTaskMetrics: allow(...JOB_READ)
    .meta(rest('GET', '/workflow_engine/tasks/metrics', 'How tasks ended and what they took, by task'))
    .input(ListMetrics)
    .output(answer(z.object({ results: z.array(TaskMetrics), total: z.int() })))
    .query(({ ctx, input }) => listTaskMetrics(ctx, input.queryOptions ?? {})),

  runEvaluationGroups: allow(...WORKFLOW_READ)
    .meta({
      ...rest('POST', '/workflow_engine/runEvaluationGroups', 'Try the comparisons of an evaluation task', {
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
        all_true_flag: z.boolean().nullish().describe('Whether every group must hold; absent: one is enough'),
      }),
    )
    .output(
      answer(
        z.object({
          return_value: z.boolean().describe('Whether the groups hold'),
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
            .describe('Each comparison with the values that it compared, by group'),
        }),
      ),
    )
    .query(({ input }) =>
      tryEvaluation({ groups: input.evaluation_groups, all: input.all_true_flag ?? false }),
    ),

  query: allow(...WORKFLOW_READ)
    .meta(rest('POST', '/workflow_engine/query', 'Try the query of a query task'))
    .input(
      z.strictObject({
        query: z
          .string()
          .meta({ description: 'The query (docs/tasks.md)', examples: ['interfaces[0].name'] }),
        obj: z.unknown().meta({
          description: 'The value to look into',
          examples: [{ interfaces: [{ name: 'Gi0/1' }] }],
        }),
        pass_on_null: z.boolean().nullish().describe('Read as clients send it: the answer is the same'),
        job_id: z.string().nullish().describe('Read as clients send it: nothing of the job is used'),
      }),
    )
    .output(answer(z.object({ return_data: z.unknown().describe('What was found; null: nothing') })))
    .query(({ input: { query, obj } }) => tryQuery({ query, obj })),
});
