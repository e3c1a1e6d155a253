import { z } from 'zod';
import { flag, number, numberOrNull, record, recordOrNull, text, textOrNull, texts } from '../fields.ts';
import { Group } from '../identity/account.ts';
import { Timestamp } from '../primitives.ts';

/** Marks a value inside a document as stored encrypted (contract/resources#2.13). */
export const Decorator = z
  .looseObject({
    type: z.string().meta({ description: 'Treatment of the value; encryption', examples: ['encryption'] }),
    pointer: z.string().meta({
      description: 'JSON pointer to the value',
      examples: ['/variables/password'],
    }),
  })
  .meta({
    id: 'Decorator',
    description: 'Marks a value of the document, found by its pointer, as encrypted.',
  });
export type Decorator = z.infer<typeof Decorator>;

/** A group in a document: its id, the word default, or a copy of the group (contract/resources#2.13). */
export const GroupReference = z
  .union([z.string(), Group.partial().meta({ id: 'GroupCopy', description: 'A copy of a group.' })])
  .meta({
    id: 'GroupReference',
    description: 'Id of a group, the word default for every account with the role, or a copy of the group.',
  });
export type GroupReference = z.infer<typeof GroupReference>;

const Position = z
  .looseObject({ x: number('To the right'), y: number('Downwards') })
  .meta({ id: 'Position', description: 'Position of the task on the canvas.' });

/** How a task is retried after it failed (contract/resources#2.13). */
export const RetrySettings = z
  .looseObject({
    state: texts('Finish states that are retried', ['error', 'failure']),
    autoRetry: flag('True: retries automatically; false: waits for a user'),
    limit: number('Maximum number of retries', 3),
    delay: number('Pause before the next attempt, in milliseconds', 3000),
    count: number('Number of retries so far', 1),
    finishedRetrying: flag('True when no retries are left'),
  })
  .meta({ id: 'RetrySettings', description: 'Retry settings of a task.' });
export type RetrySettings = z.infer<typeof RetrySettings>;

/** The workflow that runs when a job or task ends in error (contract/resources#2.17). */
export const ErrorHandler = z
  .looseObject({
    type: text('Kind of the handler', 'workflow'),
    name: text('Name of the workflow to run'),
  })
  .nullable()
  .meta({ id: 'ErrorHandler', description: 'Handler that runs after an error; null for none.' });
export type ErrorHandler = z.infer<typeof ErrorHandler>;

const successors = (state: string) =>
  z
    .array(
      z.looseObject({
        task: z.string().describe('Id of the next task within the workflow'),
        type: z
          .enum(['standard', 'loop', 'revert'])
          .describe('standard continues, loop enters the body of a loop, revert returns to an earlier task'),
      }),
    )
    .optional()
    .describe(`Tasks that follow when this one finishes with ${state}`);

/** State of a task (contract/decisions#5). */
export const TaskStatus = z.enum(['incomplete', 'running', 'paused', 'complete', 'error', 'canceled']).meta({
  id: 'TaskStatus',
  description:
    'incomplete: not started; running: in progress or waiting for a user; paused: held with its job; complete, error, canceled: finished.',
});

/** How a task ended (contract/decisions#5). */
export const FinishState = z.enum(['success', 'failure', 'error']).meta({
  id: 'FinishState',
  description:
    'success: done; failure: done, with a negative result such as a condition that is not met; error: could not be done.',
});
export type FinishState = z.infer<typeof FinishState>;

/** The inputs and outputs of a task. */
export const TaskVariables = z
  .looseObject({
    incoming: record('Input values of the task, by name; $var.job.x and $var.<task>.x refer to other values'),
    outgoing: record('Destination of each result, by name: $var.job.x, or null to keep it with the task'),
    error: textOrNull('Job variable that receives an error of the task', '$var.job.taskError'),
    decorators: z.array(Decorator).optional().describe('Values of the task that are encrypted'),
  })
  .meta({ id: 'TaskVariables', description: 'The inputs and outputs of a task.' });

/**
 * A task of a workflow, and of a job while and after it runs (contract/resources#2.13 task entry, contract/resources#2.17).
 */
export const Task = z
  .looseObject({
    name: z.string().meta({ description: 'Operation that the task calls', examples: ['evaluation'] }),
    summary: textOrNull('Short title, as shown on the canvas', 'Enough memory?'),
    description: textOrNull('What the task does'),
    displayName: textOrNull('Display name of the application'),
    canvasName: textOrNull('Display name of the operation'),
    app: textOrNull('Application of the operation', 'WorkFlowEngine'),
    location: textOrNull('Where the operation runs: Application, Adapter or Broker', 'Application'),
    locationType: textOrNull('Model of the adapter, when it runs there'),
    serverId: textOrNull('Server process that ran the task'),
    taskId: textOrNull('Id of the task within its workflow', 'a1b2'),
    task_name: textOrNull('Name of the workflow or transformation that the task calls'),
    view: textOrNull('Page for the manual task', '/workflow_engine/task/ViewData'),
    actor: textOrNull(
      'Who confirms: the id of an earlier manual task; the task then has only the rights that the acting account of the job and whoever finished that one both have. Any other value, or null: the acting account alone',
      'job',
    ),
    stubbed: flag('True when a stub of the adapter answered, and nothing was called; in jobs only'),
    fourEyes: flag(
      'True on a manual task: the account that started the job, and its present and former acting accounts, can neither claim nor finish it',
    ),
    confirmedBy: textOrNull('Id of the account that confirmed the task as its actor; in jobs only'),
    type: textOrNull('operation and automatic run without a user, manual waits for a user', 'operation'),
    x: number('Horizontal position on the canvas; older form of nodeLocation'),
    y: number('Vertical position on the canvas; older form of nodeLocation'),
    nodeLocation: Position.optional().describe('Position on the canvas, in pixels'),
    gridCoordinate: Position.optional().describe('Position on the canvas, in columns and rows'),
    groups: z
      .union([z.array(GroupReference), z.literal('default')])
      .optional()
      .describe('Groups whose members may finish the task; none, or the word default: everybody with access'),
    iterations: texts('Ids of the iterations of this task, the latest last; a revert or loop adds one'),
    variables: TaskVariables.optional().describe('Inputs and outputs'),
    deprecated: flag('True when the operation should no longer be used'),
    scheduled: flag('True when the task waits for its time window'),
    matched: z
      .array(
        z.looseObject({
          key: text('Field in which the searched text was found'),
          highlightString: text('The found text with its match marked'),
        }),
      )
      .optional()
      .describe('Match of a search'),
    status: TaskStatus.optional().describe('State of the task; in jobs only'),
    previous: z
      .looseObject({
        incomplete: texts('Preceding tasks that are not done'),
        complete: texts('Preceding tasks that are done'),
        error: texts('Preceding tasks that ended in error'),
      })
      .optional()
      .describe('Ids of the preceding tasks, by state'),
    transitions: z
      .looseObject({
        success: successors('success'),
        failure: successors('failure'),
        error: successors('error'),
        loop: successors('another element of a loop'),
      })
      .optional()
      .describe('Tasks after this one, by finish state; in jobs only'),
    start_time: z
      .union([Timestamp, z.number()])
      .nullable()
      .optional()
      .describe('Start of the task: a UTC time, or milliseconds since 1970; null before'),
    end_time: numberOrNull('End of the task, in milliseconds since 1970; null before', 1767225600000),
    finish_state: FinishState.nullable().optional().describe('Finish state of the task; null before'),
    owner: textOrNull('Account that has claimed the task'),
    retrySettings: RetrySettings.nullable()
      .optional()
      .describe('Retry settings of the task; null: no retries'),
    parent: z
      .looseObject({
        task: text('Id of the loop or child-job task'),
        iteration: number('Iteration of that task'),
        element: number('Index of the loop element, counted from 0'),
      })
      .nullable()
      .optional()
      .describe('Loop that the task belongs to; null: none'),
    errorHandler: ErrorHandler.optional(),
    metrics: recordOrNull('Times and user of the run; on the start and the end task'),
    endTasks: texts('Ids of the tasks that led to the end; on the end task'),
  })
  .meta({ id: 'Task', description: 'A task of a workflow; in a job also its state and results.' });
export type Task = z.infer<typeof Task>;

/** Maximum number of tasks in one workflow; those made by hand have a few dozen. */
const MOST_TASKS = 5000;

/** The tasks of a workflow, by their ids (contract/resources#2.13, #2.17). */
export const Tasks = z.record(z.string(), Task).meta({
  description:
    'Tasks by id: workflow_start, workflow_end, and up to four hexadecimal characters for the others',
  maxProperties: MOST_TASKS,
});
