/** An event that triggers can wait for: its publisher, its topic, and the schema of its payload. */
export type EventDefinition = { source: string; topic: string; definition: Record<string, unknown> };

const OPERATIONS = '@vendor/operations-manager';
const CONFIGURATION = '@vendor/configuration-manager';
const ADAPTERS = '@vendor/adapters';
const INVENTORY = '@vendor/inventory';
const GIT = '@vendor/git';
const RETENTION = '@vendor/retention';

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
  status: oneOf(['running', 'paused', 'complete', 'error', 'canceled'], 'Status of the job'),
  at: moment('When'),
};
const parent = { parent: id('Id of the job that started it') };

const task = {
  _id: text('Id of this iteration of the task'),
  jobId: id('Id of the job'),
  job: text('Name of the workflow'),
  task: text('Id of the task in its workflow'),
  name: text('Operation that the task calls'),
  summary: text('Description of the task'),
  groups: { type: 'array', items: { type: 'string' }, description: 'Ids of the groups that may finish it' },
  owner: { type: ['string', 'null'], description: 'Id of the account that has claimed it' },
  status: text('Status of the task'),
};

const adapter = {
  name: text('Name of the adapter'),
  model: text('Its model'),
  state: oneOf(['RUNNING', 'STOPPED', 'DELETED'], 'Whether the adapter is running'),
  connection: oneOf(['ONLINE', 'OFFLINE', 'UNKNOWN'], 'Whether the system behind the adapter responds'),
  detail: { type: ['string', 'null'], description: 'The fault that was found' },
};

const ENDED = ['complete', 'canceled', 'error'];
const message = { type: ['string', 'null'], description: 'Why the run failed' };

const backupRun = (statuses: string[]) => ({
  runId: id('Id of the run'),
  scheduleId: { type: ['string', 'null'], description: 'Id of the schedule that started it' },
  status: oneOf(statuses, 'Status of the run'),
  total: count('Number of devices'),
  stored: count('Number of backups with a new configuration'),
  unchanged: count('Number of devices with the configuration of their newest backup'),
  failed: count('Number of devices that could not be backed up'),
  waiting: count('Number of devices that are still to be read'),
});

const campaign = (statuses: string[]) => ({
  _id: id('Id of the campaign'),
  name: text('Name of the campaign'),
  treeId: id('Id of its golden configuration tree'),
  status: oneOf(statuses, 'Status of the campaign'),
  wave: count('Number of waves that have begun'),
  reason: text('Why it stopped or failed; empty otherwise'),
  devices: {
    type: 'object',
    description: 'Number of devices by status',
    additionalProperties: { type: 'integer', minimum: 0 },
  },
});

const inventoryRun = (statuses: string[]) => ({
  runId: id('Id of the run'),
  source: text('Name of the inventory source'),
  status: oneOf(statuses, 'Status of the run'),
  done: count('Number of devices done'),
  total: count('Number of devices that the source has'),
  new: count('Number of devices that were added'),
  changed: count('Number of devices that were changed'),
  gone: count('Number of devices that the source no longer has'),
  unchanged: count('Number of devices that were left as they are'),
  message,
});

const gitRun = (statuses: string[]) => ({
  runId: id('Id of the run'),
  remoteId: id('Id of the remote'),
  remote: text('Name of the remote'),
  action: oneOf(['push', 'pull'], 'Direction of the run'),
  branch: text('Branch that is pushed to or pulled from'),
  dryRun: { type: 'boolean', description: 'True: nothing is written' },
  status: oneOf(statuses, 'Status of the run'),
  message,
});

const retentionRun = (statuses: string[]) => ({
  _id: id('Id of the run'),
  trigger: oneOf(['manual', 'schedule'], 'What started it'),
  status: oneOf(statuses, 'Status of the run'),
  steps: count('Number of steps so far'),
  deleted: {
    type: 'object',
    description: 'Number of deleted documents by kind',
    additionalProperties: { type: 'integer', minimum: 0 },
  },
  message,
});

/** The events that the service itself publishes (contract/lifecycle#events): by source, then topic. */
export const EVENTS: readonly EventDefinition[] = [
  {
    source: ADAPTERS,
    topic: 'adapterDown',
    definition: payload('An adapter was stopped, or the system behind it does not respond', adapter),
  },
  {
    source: ADAPTERS,
    topic: 'adapterUp',
    definition: payload('An adapter was started, or the system behind it responds again', adapter),
  },
  {
    source: CONFIGURATION,
    topic: 'backupRunFinished',
    definition: payload('A backup run ended', backupRun(ENDED)),
  },
  {
    source: CONFIGURATION,
    topic: 'backupRunProgressed',
    definition: payload('A backup run began, or went through devices', backupRun(['running'])),
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
    topic: 'campaignFinished',
    definition: payload('A campaign ended or stopped', campaign(['stopped', ...ENDED])),
  },
  {
    source: CONFIGURATION,
    topic: 'campaignProgressed',
    definition: payload(
      'A campaign was created, changed its status, or went through devices',
      campaign(['preparing', 'review', 'approved', 'running']),
    ),
  },
  {
    source: CONFIGURATION,
    topic: 'complianceBatchFinished',
    definition: payload('A compliance run has stored all its reports', {
      batchId: id('Id of the batch'),
      treeId: id('Id of the golden configuration tree'),
      version: text('Name of its version'),
      nodePath: text('Node that was checked, including the nodes below it'),
      reports: count('Number of reports of the batch'),
      totals: {
        type: 'object',
        description: 'Total counts of all reports',
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
        description: 'Every node that was checked; the first one is also in the fields above',
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
    definition: payload('A compliance run ended before all its reports were stored', {
      batchId: id('Id of the batch'),
      status: oneOf(['canceled', 'error'], 'Whether a user stopped the run, or it failed'),
      reports: count('Number of reports stored'),
      total: count('Number of reports expected'),
    }),
  },
  {
    source: CONFIGURATION,
    topic: 'complianceReportsStored',
    definition: payload('Reports of a compliance run were stored', {
      batchId: id('Id of the batch'),
      reports: count('Number of reports stored now'),
      done: count('Number of reports stored so far'),
      errors: count('Number of reports that could not be made'),
      total: count('Number of reports expected'),
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
        'Kind of the document',
      ),
      _id: id('Id of the document'),
      name: text('Name of the document, or path of the node'),
      change: oneOf(['created', 'updated', 'deleted'], 'The action: created, updated or deleted'),
    }),
  },
  {
    source: GIT,
    topic: 'gitRunFinished',
    definition: payload('A push or pull ended', {
      ...gitRun(['complete', 'error']),
      conflicts: count('Number of documents that both sides changed, and that were left as they are'),
      issues: count('Number of files that could not be read or stored'),
    }),
  },
  { source: GIT, topic: 'gitRunStarted', definition: payload('A push or pull began', gitRun(['running'])) },
  {
    source: INVENTORY,
    topic: 'inventoryRunFinished',
    definition: payload('A run of an inventory source ended', inventoryRun(['complete', 'error'])),
  },
  {
    source: INVENTORY,
    topic: 'inventoryRunProgressed',
    definition: payload(
      'A run of an inventory source began, or went through devices',
      inventoryRun(['running']),
    ),
  },
  {
    source: OPERATIONS,
    topic: 'jobCanceled',
    definition: payload('A job was canceled', { ...job, by: text('Id of the account') }, parent),
  },
  {
    source: OPERATIONS,
    topic: 'jobCompleted',
    definition: payload('A job completed', job, parent),
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
      'A job stopped because a task failed',
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
      'A job resumed after a pause or an error',
      { ...job, by: text('Id of the account') },
      parent,
    ),
  },
  {
    source: OPERATIONS,
    topic: 'jobStarted',
    definition: payload(
      'A job was started',
      { ...job, by: text('Id of the account; `trigger <name> (<id>)` when a trigger started the job') },
      parent,
    ),
  },
  {
    source: OPERATIONS,
    topic: 'missedJobs',
    definition: payload('A schedule missed runs while the service could not start jobs', {
      triggerId: id('Id of the trigger'),
      name: text('Name of the trigger'),
      missed: count('Number of missed runs that are not made up for'),
      started: count('Number of jobs started now'),
    }),
  },
  {
    source: OPERATIONS,
    topic: 'taskAssigned',
    definition: payload('A manual task was claimed, assigned or released', task),
  },
  {
    source: OPERATIONS,
    topic: 'taskErrored',
    definition: payload('A task ended in error', task),
  },
  {
    source: OPERATIONS,
    topic: 'taskFinished',
    definition: payload('A manual task has finished', {
      ...task,
      finish_state: {
        type: ['string', 'null'],
        description: 'success, failure or error; null when the task was canceled',
      },
      by: { type: ['string', 'null'], description: 'Id of the account' },
    }),
  },
  {
    source: OPERATIONS,
    topic: 'taskWaiting',
    definition: payload('A manual task is waiting for a user', task),
  },
  {
    source: OPERATIONS,
    topic: 'triggerRefused',
    definition: payload('A schedule or an event did not start a job', {
      triggerId: id('Id of the trigger'),
      name: text('Name of the trigger'),
      runAs: { type: ['string', 'null'], description: 'Id of the account for which the trigger runs' },
      reason: text('Why no job was started'),
    }),
  },
  {
    source: RETENTION,
    topic: 'retentionRunFinished',
    definition: payload('A retention run ended', retentionRun(['complete', 'error'])),
  },
  {
    source: RETENTION,
    topic: 'retentionRunProgressed',
    definition: payload('A retention run began, or deleted documents', retentionRun(['running'])),
  },
];
