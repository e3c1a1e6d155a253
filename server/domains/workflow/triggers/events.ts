/** An event that triggers can wait for: its publisher, its topic, and the schema of its payload. */
export type EventDefinition = { source: string; topic: string; definition: Record<string, unknown> };

const OPERATIONS = '@vendor/operations-manager';
const CONFIGURATION = '@vendor/configuration-manager';
const ADAPTERS = '@vendor/adapters';

const text = (description: string) => ({ type: 'string', description });
const id = (description: string) => ({ type: 'string', pattern: '^[0-9a-fA-F]{24}$', description });
const moment = (description: string) => ({
  type: 'integer',
  description: `${description}, in milliseconds since 1970`,
});
const oneOf = (values: string[], description: string) => ({ type: 'string', enum: values, description });
const count = (description: string) => ({ type: 'integer', minimum: 0, description });

/** Returns a payload schema. All properties are required, except those in `optional`; later versions may add more. */
const payload = (
  title: string,
  properties: Record<string, unknown>,
  optional: Record<string, unknown> = {},
): Record<string, unknown> => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title,
  type: 'object',
  properties: { ...properties, ...optional },
  required: Object.keys(properties),
  additionalProperties: true,
});

const job = {
  _id: id('Id of the job'),
  name: text('Name of the workflow'),
  description: { type: ['string', 'null'], description: 'What the job is for' },
  status: oneOf(['running', 'paused', 'complete', 'error', 'canceled'], 'How it stands'),
  at: moment('When'),
};
const parent = { parent: id('Id of the job that started it') };

const task = {
  _id: text('Id of this pass through the task'),
  jobId: id('Id of the job'),
  job: text('Name of the workflow'),
  task: text('Id of the task in its workflow'),
  name: text('Operation that it calls'),
  summary: text('What is to be done'),
  groups: { type: 'array', items: { type: 'string' }, description: 'Ids of the groups that may do it' },
  owner: { type: ['string', 'null'], description: 'Id of the account that has claimed it' },
  status: text('How it stands'),
};

const adapter = {
  name: text('Name of the adapter'),
  model: text('Its model'),
  state: oneOf(['RUNNING', 'STOPPED', 'DELETED'], 'Whether it runs'),
  connection: oneOf(['ONLINE', 'OFFLINE', 'UNKNOWN'], 'Whether the other side answers'),
  detail: { type: ['string', 'null'], description: 'What was wrong' },
};

/** The events that the service itself publishes (contract/lifecycle#events): by source, then topic. */
export const EVENTS: readonly EventDefinition[] = [
  {
    source: ADAPTERS,
    topic: 'adapterDown',
    definition: payload('An adapter was stopped, or what it connects to does not answer', adapter),
  },
  {
    source: ADAPTERS,
    topic: 'adapterUp',
    definition: payload('An adapter was started, or what it connects to answers again', adapter),
  },
  {
    source: CONFIGURATION,
    topic: 'backupStored',
    definition: payload('A configuration of a device was stored', {
      _id: id('Id of the backup'),
      name: text('Name of the device'),
      date: { type: 'string', format: 'date-time', description: 'When the configuration was read' },
    }),
  },
  {
    source: CONFIGURATION,
    topic: 'complianceBatchFinished',
    definition: payload('Every report of a compliance run is there', {
      batchId: id('Id of the batch'),
      treeId: id('Id of the golden configuration tree'),
      version: text('Name of its version'),
      nodePath: text('Node that was checked, with those below it'),
      reports: count('How many reports the batch has'),
      totals: {
        type: 'object',
        description: 'Verdicts of all reports together',
        properties: {
          errors: count('Errors'),
          warnings: count('Warnings'),
          infos: count('Infos'),
          passes: count('Passes'),
        },
        required: ['errors', 'warnings', 'infos', 'passes'],
      },
      places: {
        type: 'array',
        description: 'Every place that was checked; the first stands above as well',
        items: {
          type: 'object',
          properties: {
            treeId: id('Id of the tree'),
            version: text('Name of its version'),
            nodePath: text('Node'),
          },
        },
      },
    }),
  },
  {
    source: CONFIGURATION,
    topic: 'complianceBatchStopped',
    definition: payload('A compliance run ended before every report was there', {
      batchId: id('Id of the batch'),
      status: oneOf(['canceled', 'error'], 'Whether somebody stopped it, or something failed'),
      reports: count('How many reports are there'),
      total: count('How many there should have been'),
    }),
  },
  {
    source: CONFIGURATION,
    topic: 'complianceReportsStored',
    definition: payload('Reports of a compliance run were stored', {
      batchId: id('Id of the batch'),
      reports: count('How many were stored now'),
      done: count('How many are there'),
      errors: count('How many of them could not be made'),
      total: count('How many there will be'),
    }),
  },
  {
    source: CONFIGURATION,
    topic: 'configurationChanged',
    definition: payload('A document of the configuration manager was written', {
      kind: oneOf(
        [
          'tree',
          'version',
          'node',
          'spec',
          'parser',
          'backup',
          'deviceGroup',
          'deviceTemplate',
          'plan',
          'remediation',
        ],
        'What was written',
      ),
      _id: id('Id of the document'),
      name: text('Name of the document, or path of the node'),
      change: oneOf(['created', 'updated', 'deleted'], 'What became of it'),
    }),
  },
  {
    source: OPERATIONS,
    topic: 'jobCanceled',
    definition: payload('A job was canceled', { ...job, by: text('Id of the account') }, parent),
  },
  {
    source: OPERATIONS,
    topic: 'jobCompleted',
    definition: payload('A job came to its end', job, parent),
  },
  {
    source: OPERATIONS,
    topic: 'jobDeleted',
    definition: payload('A job was deleted', job, parent),
  },
  {
    source: OPERATIONS,
    topic: 'jobErrored',
    definition: payload(
      'A job stopped at an error',
      { ...job, task: text('Id of the task that failed'), message: text('Why') },
      parent,
    ),
  },
  {
    source: OPERATIONS,
    topic: 'jobPaused',
    definition: payload('A job was paused', { ...job, by: text('Id of the account') }, parent),
  },
  {
    source: OPERATIONS,
    topic: 'jobResumed',
    definition: payload(
      'A job goes on after a pause or an error',
      { ...job, by: text('Id of the account') },
      parent,
    ),
  },
  {
    source: OPERATIONS,
    topic: 'jobStarted',
    definition: payload(
      'A job was started',
      { ...job, by: text('Id of the account; `trigger <name> (<id>)` where a trigger started it by itself') },
      parent,
    ),
  },
  {
    source: OPERATIONS,
    topic: 'missedJobs',
    definition: payload('A schedule was due while nothing could start', {
      triggerId: id('Id of the trigger'),
      name: text('Name of the trigger'),
      missed: count('How many times passed and are not made up for'),
      started: count('How many jobs were started now'),
    }),
  },
  {
    source: OPERATIONS,
    topic: 'taskAssigned',
    definition: payload('A task that waits for a person was claimed, assigned or released', task),
  },
  {
    source: OPERATIONS,
    topic: 'taskErrored',
    definition: payload('A task ended in error', task),
  },
  {
    source: OPERATIONS,
    topic: 'taskFinished',
    definition: payload('A task that waited for a person is over', {
      ...task,
      finish_state: {
        type: ['string', 'null'],
        description: 'success, failure or error; null when it was called off',
      },
      by: { type: ['string', 'null'], description: 'Id of the account' },
    }),
  },
  {
    source: OPERATIONS,
    topic: 'taskWaiting',
    definition: payload('A task waits for a person', task),
  },
  {
    source: OPERATIONS,
    topic: 'triggerRefused',
    definition: payload('A schedule or an event started nothing', {
      triggerId: id('Id of the trigger'),
      name: text('Name of the trigger'),
      runAs: { type: ['string', 'null'], description: 'Id of the account for which it runs' },
      reason: text('Why nothing was started'),
    }),
  },
];
