/** An event that triggers can wait for: who publishes it, under which name, and what its payload holds. */
export type EventDefinition = { source: string; topic: string; definition: Record<string, unknown> };

const OPERATIONS = '@vendor/operations-manager';
const CONFIGURATION = '@vendor/configuration-manager';

const text = (description: string) => ({ type: 'string', description });
const id = (description: string) => ({ type: 'string', pattern: '^[0-9a-fA-F]{24}$', description });
const moment = (description: string) => ({
  type: 'integer',
  description: `${description}, in milliseconds since 1970`,
});
const oneOf = (values: string[], description: string) => ({ type: 'string', enum: values, description });
const count = (description: string) => ({ type: 'integer', minimum: 0, description });

/** Every member is there, unless it stands in `optional`; more may come with later versions. */
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
};

/** What the service itself publishes (lifecycle §6.2, events): by source, then topic. */
export const EVENTS: readonly EventDefinition[] = [
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
    }),
  },
  {
    source: CONFIGURATION,
    topic: 'configurationChanged',
    definition: payload('A document of the configuration manager was written', {
      kind: oneOf(['tree', 'version', 'node', 'spec', 'parser'], 'What was written'),
      _id: id('Id of the document'),
      name: text('Name of the document, or path of the node'),
      change: oneOf(['created', 'updated', 'deleted'], 'What became of it'),
    }),
  },
  {
    source: OPERATIONS,
    topic: 'jobCanceled',
    definition: payload('A job was canceled', { ...job, at: moment('When'), by: text('Id of the account') }),
  },
  {
    source: OPERATIONS,
    topic: 'jobCompleted',
    definition: payload('A job came to its end', {
      ...job,
      at: moment('When'),
      variables: { type: 'object', description: 'Job variables at the end' },
    }),
  },
  {
    source: OPERATIONS,
    topic: 'jobErrored',
    definition: payload('A job stopped at an error', {
      ...job,
      at: moment('When'),
      task: text('Id of the task that failed'),
      message: text('Why'),
    }),
  },
  {
    source: OPERATIONS,
    topic: 'jobStarted',
    definition: payload(
      'A job was started',
      { ...job, at: moment('When'), by: text('Id of the account, or of the trigger') },
      { parent: id('Id of the job that started it') },
    ),
  },
  {
    source: OPERATIONS,
    topic: 'missedJobs',
    definition: payload('A schedule was due while nothing could start', {
      triggerId: id('Id of the trigger'),
      name: text('Name of the trigger'),
      missed: { type: 'array', items: moment('A time that passed'), description: 'Times that passed' },
      started: count('How many of them were made up for'),
    }),
  },
  {
    source: OPERATIONS,
    topic: 'taskWaiting',
    definition: payload('A task waits for a person', {
      jobId: id('Id of the job'),
      task: text('Id of the task in its workflow'),
      name: text('Name of the task'),
      summary: text('What is to be done'),
      groups: { type: 'array', items: id('Id of a group'), description: 'Groups that may do it' },
    }),
  },
];
