import { z } from 'zod';
import { Timestamp } from '../primitives.ts';

const Worker = z.looseObject({
  running: z.boolean().describe('Whether the worker accepts new work'),
  clusterValue: z
    .enum(['not defined', 'enabled', 'disabled'])
    .describe('The setting of an admin for all processes; not defined: none, which means enabled'),
  localValue: z
    .enum(['enabled', 'disabled'])
    .describe('Whether the process that handles the request executes work itself; disabled with WORKERS=0'),
});

/** State of the workers (contract/lifecycle#2). */
export const WorkersStatus = z
  .looseObject({ jobWorker: Worker.describe('Starts jobs'), taskWorker: Worker.describe('Executes tasks') })
  .meta({ id: 'WorkersStatus', description: 'State of the workers that start jobs and execute tasks.' });
export type WorkersStatus = z.infer<typeof WorkersStatus>;

const milliseconds = (of: string) => z.number().describe(`${of}, in milliseconds`);

const MeasuredWorkflow = z
  .looseObject({
    id: z.string().optional().describe('Id of the workflow; absent once no workflow has this name'),
    name: z.string().describe('Name of the workflow'),
  })
  .describe('Workflow of the jobs');

const startDate = Timestamp.describe('Start of the day (UTC) of the runs');

/** Durations of the completed jobs of one workflow (contract/lifecycle#2). */
export const JobMetrics = z
  .looseObject({
    _id: z.string().describe('Id of the workflow, or its name once no workflow has this name'),
    workflow: MeasuredWorkflow,
    metrics: z
      .array(
        z.looseObject({
          startDate,
          jobsComplete: z.int().describe('Completed jobs'),
          totalRunTime: milliseconds('Time from start to end of these jobs'),
          slaTargetsMissed: z.int().describe('Jobs that took longer than the `sla` of their workflow'),
          totalManualTime: milliseconds('Time of the manual tasks of these jobs'),
        }),
      )
      .describe('Metrics by day'),
    preAutomationTime: milliseconds('Time of the same work done manually, as declared in the workflow'),
    jobsComplete: z.int().describe('Completed jobs of all days'),
    totalRunTime: milliseconds('Time from start to end of all these jobs'),
  })
  .meta({ id: 'JobMetrics', description: 'Metrics of the completed jobs of one workflow.' });
export type JobMetrics = z.infer<typeof JobMetrics>;

/** Outcomes and durations of one task of a workflow (contract/lifecycle#2). */
export const TaskMetrics = z
  .looseObject({
    _id: z.string().describe('Id of the workflow (or its name), and id of the task in it'),
    taskId: z.string().describe('Id of the task within the workflow'),
    taskType: z.string().describe('operation, automatic or manual'),
    name: z.string().describe('Operation that the task calls'),
    app: z.string().describe('Application of the operation'),
    workflow: MeasuredWorkflow,
    metrics: z
      .array(
        z.looseObject({
          startDate,
          totalSuccesses: z.int().describe('Runs that ended with success'),
          totalSuccessRunTime: milliseconds('Time of these runs'),
          totalFailures: z.int().describe('Runs that ended with failure'),
          totalFailureRunTime: milliseconds('Time of these runs'),
          totalErrors: z.int().describe('Runs that ended in error'),
          totalErrorRunTime: milliseconds('Time of these runs'),
        }),
      )
      .describe('Metrics by day'),
  })
  .meta({ id: 'TaskMetrics', description: 'Metrics of one task of a workflow.' });
export type TaskMetrics = z.infer<typeof TaskMetrics>;
