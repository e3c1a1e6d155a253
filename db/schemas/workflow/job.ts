import { z } from 'zod';
import { number, numberOrNull, record, text, textOrNull, texts } from '../fields.ts';
import { ObjectId, TagReference, Timestamp } from '../primitives.ts';
import { Decorator, ErrorHandler, GroupReference, Tasks } from './task.ts';

/** State of a job (contract/decisions#5). */
export const JobStatus = z.enum(['running', 'paused', 'complete', 'error', 'canceled']).meta({
  id: 'JobStatus',
  description:
    'running: in progress, or waiting for a user; paused: held; error: stopped, a retry can resume it; complete and canceled: finished.',
});
export type JobStatus = z.infer<typeof JobStatus>;

/** An error in a job (contract/resources#2.13). */
export const JobError = z
  .looseObject({
    task: text('Id of the task within the workflow', 'a1b2'),
    message: z
      .union([z.string(), z.record(z.string(), z.unknown())])
      .optional()
      .describe('The error: text, or the response of the called system'),
    timestamp: number('When it happened, in milliseconds since 1970', 1767225600000),
  })
  .meta({ id: 'JobError', description: 'An error in a job.' });
export type JobError = z.infer<typeof JobError>;

/** A warning about a possible mistake in a workflow (contract/resources#2.13, contract/lifecycle#5.2). */
export const TaskWarning = z
  .looseObject({
    task: text('Id of the task within the workflow', 'a1b2'),
    name: text('Operation that the task calls', 'query'),
    message: text('The warning'),
  })
  .meta({ id: 'TaskWarning', description: 'A warning about a task.' });
export type TaskWarning = z.infer<typeof TaskWarning>;

/** A violation of the input schema by the start values (contract/resources#2.13, contract/endpoints#4.19). */
export const ValidationError = z
  .looseObject({
    keyword: text('Keyword of the JSON schema that is violated', 'required'),
    instancePath: text('JSON pointer to the value', '/hostname'),
    schemaPath: text('JSON pointer to the rule', '#/required'),
    message: text('The error'),
  })
  .meta({
    id: 'ValidationError',
    description: 'A start value that violates the input schema of the workflow.',
  });

/** A change of the acting account of a job (docs/decisions/0056). */
export const ActingChange = z
  .looseObject({
    from: textOrNull('Id of the previous acting account; null: none'),
    to: text('Id of the new acting account'),
    at: number('When, in milliseconds since 1970', 1767225600000),
    by: text('Action of the account: retry, continue or revert', 'retry'),
  })
  .meta({ id: 'ActingChange', description: 'A change of the acting account of a job.' });
export type ActingChange = z.infer<typeof ActingChange>;

/** A run of a workflow (contract/resources#2.13, contract/lifecycle#6.3). */
export const Job = z
  .looseObject({
    _id: z.string().meta({ description: 'Id of the job', examples: ['65f0c1d2e3a4b5c6d7e8f901'] }),
    type: text('Kind of run', 'automation'),
    name: z.string().meta({ description: 'Name of the workflow that runs', examples: ['IOS upgrade'] }),
    description: textOrNull('Description of this run; null without one'),
    status: JobStatus,
    created: Timestamp.optional().describe('When the job was started'),
    created_by: textOrNull('Id of the account that started the job; null: an event or schedule did'),
    actingAccount: textOrNull(
      'Id of the account whose rights the tasks have: who started the job, `runAs` of the trigger that did, or who took the job over since; set by the server. Only jobs that ended before this was recorded, or whose account nobody knows, have none',
    ),
    actingHistory: z
      .array(ActingChange)
      .optional()
      .describe('Changes of the acting account, in order of time; absent: none'),
    confirmedBy: z
      .array(z.string())
      .optional()
      .describe(
        'Of a child job: ids of the accounts that confirmed the task, or one above it, which started the job; its tasks have only rights that these have as well. Absent: none',
      ),
    tokenRoles: z
      .record(z.string(), z.array(z.string()))
      .optional()
      .describe(
        'Effective roles of an account, by its id, when it started, took over or confirmed with a personal token: the tasks have only these of its roles. Absent: all roles',
      ),
    initiator: text(
      'Who or what started the job: the name of an account, or `trigger <name> (<id>)`; set by the server',
      'trigger Every night (65f0c1d2e3a4b5c6d7e8f904)',
    ),
    last_updated: Timestamp.optional().describe(
      'Time of the last change of the job, including changes of its tasks',
    ),
    last_updated_by: textOrNull('Id of the account that last acted on the job'),
    createdVersion: textOrNull('Version of the platform with which the workflow was created'),
    lastUpdatedVersion: textOrNull('Version of the platform with which the workflow was last changed'),
    canvasVersion: numberOrNull('Revision of the canvas format of the workflow', 3),
    encodingVersion: numberOrNull('Revision of the encoding of the workflow', 1),
    migrationVersion: numberOrNull('Revision of the storage format of the workflow', 3),
    font_size: numberOrNull('Size of texts on the canvas, in points', 12),
    preAutomationTime: numberOrNull('Time of the same work done manually, in milliseconds', 5400000),
    sla: numberOrNull('Time limit of the run, in milliseconds; 0: no limit', 900000),
    decorators: z.array(Decorator).nullable().optional().describe('Values of the job that are encrypted'),
    tags: z.array(TagReference).optional().describe('Labels of the workflow'),
    error: z.array(JobError).nullable().optional().describe('Errors, in order of time'),
    timedOut: z
      .boolean()
      .optional()
      .describe('Of a child job: it was canceled because it took longer than its time limit. Absent: no'),
    warnings: z.array(TaskWarning).nullable().optional().describe('Warnings to check'),
    validationErrors: z
      .array(ValidationError)
      .nullable()
      .optional()
      .describe('Start values that violate the input schema of the workflow; they do not prevent the start'),
    ancestors: z
      .array(ObjectId)
      .optional()
      .describe('Ids of the jobs above this one, the topmost first; a job without parent lists itself'),
    tasks: Tasks,
    variables: record(
      'Values of the job by name: its inputs, the variables that tasks stored, _id and initiator',
    ),
    metrics: z
      .looseObject({
        start_time: number('Start of the job, in milliseconds since 1970', 1767225600000),
        end_time: numberOrNull('End of the job, in milliseconds since 1970; null before'),
        user: textOrNull('Id of the account that started the job'),
        progress: number('Progress, 0 to 1', 0.5),
        owner: textOrNull('Id of the owner of the job'),
      })
      .meta({ id: 'JobProgress', description: 'Times, progress and accounts of a job.' })
      .optional(),
    groups: z.array(GroupReference).nullable().optional().describe('Groups whose members may see the job'),
    watchers: texts('Ids of the accounts that watch the job'),
    parent: z
      .looseObject({
        job: text('Id of the parent job'),
        task: text('Id of the task that started this job'),
        iteration: number('Iteration of that task'),
        element: numberOrNull('Index of its loop element, counted from 0'),
      })
      .nullable()
      .optional()
      .describe('Task of another job that started this one; null: none'),
    errorHandler: ErrorHandler.optional(),
  })
  .meta({ id: 'Job', description: 'A run of a workflow, with the state of each task.' });
export type Job = z.infer<typeof Job>;
